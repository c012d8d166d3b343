import { writeFileSync } from 'node:fs';
import { workbookOf } from '../src/testing/workbook';

const COLUMNS = 10;
const SEED = 20_261_121;
const WORDS_A_TEXT = 29;
const FEW = 50;
const WORDS = [
    'trail',
    'shoe',
    'moss',
    'slate',
    'jacket',
    'women',
    'waterproof',
    'light',
    'nordic',
    'summer',
    'winter',
    'leather',
    'cotton',
    'recycled',
    'black',
    'sand',
    'fit',
    'regular',
    'slim',
    'wide',
    'sole',
    'lace',
    'hood',
    'zip',
    'pocket',
    'running',
    'hiking',
    'urban',
    'classic',
    'series',
    'limited',
    'edition',
];

/**
 * Writes a workbook of one sheet whose cells all refer to shared strings of about 200 characters: a few of them
 * repeatedly, or each a different one. Returns how many bytes of XML it contains uncompressed.
 */
export function writeWorkbook(path: string, records: number, isEachItsOwn: boolean): number {
    const cells = records * COLUMNS;
    const strings = isEachItsOwn ? cells : FEW;
    const random = mulberry32(SEED);
    let list = Array.from({ length: COLUMNS }, (_, i) => `<si><t>column ${i + 1}</t></si>`).join('');
    for (let i = 0; i < strings; i++) {
        let text = String(i);
        for (let word = 0; word < WORDS_A_TEXT; word++) text += ` ${WORDS[random() & 31]!}`;
        list += `<si><t>${text}</t></si>`;
    }
    let rows = rowOf(1, i => i);
    for (let row = 0; row < records; row++) rows += rowOf(row + 2, i => COLUMNS + ((row * COLUMNS + i) % strings));
    writeFileSync(path, workbookOf({ sheets: { Rows: rows }, sharedStrings: list }));
    return rows.length + list.length;
}

function rowOf(number: number, stringOf: (column: number) => number): string {
    let cells = '';
    for (let i = 0; i < COLUMNS; i++)
        cells += `<c r="${String.fromCharCode(65 + i)}${number}" t="s"><v>${stringOf(i)}</v></c>`;
    return `<row r="${number}">${cells}</row>`;
}

/** Random integers of 32 bits, always the same for a seed. */
function mulberry32(seed: number): () => number {
    let state = seed;
    return () => {
        state = (state + 0x6d2b79f5) | 0;
        let t = Math.imul(state ^ (state >>> 15), 1 | state);
        t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
        return (t ^ (t >>> 14)) >>> 0;
    };
}

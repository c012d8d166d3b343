import { charactersRead } from '../../../test/kit/characters-read';
import { csvReader } from './csv';
import { CsvRows } from './csv-rows';
import { jsonReader } from './json';
import { JsonRecordSplitter } from './json-record-splitter';

const LONG = 'x'.repeat(2_097_200);
const TEXT_OF_CSV = `a\n"${LONG}"\n${'b\n'.repeat(1_000_000)}`;
const TEXT_OF_JSON = `[{"a":"${LONG}"}${',1'.repeat(1_000_000)}]`;

function pieces(text: string): string[] {
    return Array.from({ length: Math.ceil(text.length / 65_536) }, (_, i) => text.slice(i * 65_536, (i + 1) * 65_536));
}

describe('what has gathered after a long record', () => {
    it('of CSV is read some rows at a time', () => {
        const reader = new CsvRows({ delimiter: ',' });
        let rows = 0;
        let most = 0;
        const count = (some: readonly unknown[]): void => {
            rows += some.length;
            most = Math.max(most, some.length);
        };
        for (const piece of pieces(TEXT_OF_CSV)) for (const some of reader.push(piece)) count(some);
        for (const some of reader.end()) count(some);
        expect(rows).toBe(1_000_002);
        expect(most).toBeLessThanOrEqual(500);
    });

    it('of JSON is read some elements at a time', () => {
        let elements = 0;
        let before = 0;
        let most = 0;
        const reader = new JsonRecordSplitter({
            isWanted: () => {
                elements++;
                return false;
            },
            take: () => undefined,
            refuse: () => undefined,
        });
        const stop = (): void => {
            most = Math.max(most, elements - before);
            before = elements;
        };
        for (const piece of pieces(TEXT_OF_JSON)) for (const _ of reader.push(piece)) stop();
        for (const _ of reader.end()) stop();
        expect(elements).toBe(1_000_001);
        expect(most).toBeLessThanOrEqual(500);
    });

    it('of JSON is reported with its place without reading the long record each time', async () => {
        const text = `[{"a":"${LONG}"}${',1'.repeat(50_000)}]`;
        const reader = jsonReader(async function* () {
            yield* pieces(text);
        });
        let issues = 0;
        const read = await charactersRead(15 * text.length, async () => {
            for await (const page of reader.read({})) issues += page.faults.length;
        });
        expect(issues).toBe(50_000);
        expect(read).toBeGreaterThanOrEqual(text.length);
    });
});

describe('a page is full by its weight', () => {
    async function sizes(reader: ReturnType<typeof csvReader>): Promise<number[]> {
        const found: number[] = [];
        for await (const { records, faults: issues } of reader.read({})) found.push(records.length + issues.length);
        return found;
    }

    it('with rows of CSV that have many cells, though most are empty', async () => {
        const header = Array.from({ length: 2000 }, (_, i) => `c${i}`).join(',');
        const text = `${header}\n${`${','.repeat(1999)}11\n`.repeat(300)}`;
        // Each row has 2001 characters, and 2000 cells that cost 16 more.
        expect(
            await sizes(
                csvReader(
                    async function* () {
                        yield text;
                    },
                    { delimiter: ',', hasHeader: true },
                ),
            ),
        ).toEqual([124, 124, 52]);
    });

    it('and what a resumed run leaves out weighs nothing', async () => {
        const text = `a\n${`${'x'.repeat(99_999)}\n`.repeat(60)}`;
        const pages: number[] = [];
        for await (const { records } of csvReader(
            async function* () {
                yield text;
            },
            { delimiter: ',', hasHeader: true },
        ).read({ skip: 40 }))
            pages.push(records.length);
        expect(pages).toEqual([20]);
    });

    it('where records of JSON are long', async () => {
        const text = `[${Array.from({ length: 30 }, () => `{"a":"${'x'.repeat(500_000)}"}`).join(',')}]`;
        expect(
            await sizes(
                jsonReader(async function* () {
                    yield* pieces(text);
                }),
            ),
        ).toEqual([9, 9, 9, 3]);
    });
});

import { PLAIN_TEXT, PlainMarkup, PREFIX } from './plain-markup';

/** Receives the cells and rows of a sheet that are found without the parser. */
export interface PlainRows {
    /** True where a cell or a row is the next thing that counts. */
    readonly takesRows: boolean;
    openRow(number: string | undefined): void;
    closeRow(): void;
    cell(cell: PlainCell): void;
}

/** The attributes of a cell, as far as it has them, and its text. */
export interface PlainCell {
    readonly name: string | undefined;
    readonly type: string | undefined;
    readonly style: string | undefined;
    readonly text: string;
}

const STYLE = ' s="(\\d{1,10})"';
const TYPE = ' t="([A-Za-z]{1,12})"';
const FORMULA =
    '<\\1f(?: t="\\w{1,20}")?(?: ref="[A-Z\\d:]{1,30}")?(?: ca="\\d")?(?: si="\\d{1,10}")? ?' +
    `(?:/>|>${PLAIN_TEXT}</\\1f>)`;
/** A formula without a stored value is left to the parser, which marks its cell. */
const VALUED_FORMULA = `${FORMULA}(?=<\\1(?:v>[^<]|is>))`;
const VALUE = `<\\1v>(${PLAIN_TEXT})</\\1v>`;
const INLINE = `<\\1is><\\1t(?: xml:space="preserve")?>(${PLAIN_TEXT})</\\1t></\\1is>`;
/** With the attributes in the orders in which Excel and others write them. */
const CELL =
    `<${PREFIX}c(?: r="([A-Z]{1,3}\\d{1,7})")?(?:(?:${STYLE})?(?:${TYPE})?|${TYPE}${STYLE}) ?` +
    `(?:/>|>(?:${VALUED_FORMULA})?(?:${VALUE}|${INLINE})?</\\1c>)`;
const flag = (name: string): string => `(?: ${name}="\\w{1,5}")?`;
const number = (name: string): string => `(?: ${name}="[\\d.]{1,20}")?`;
const ROW =
    `row(?: r="(\\d{1,7})")?(?: spans="[\\d: ]{0,40}")?${number('s')}${flag('customFormat')}${number('ht')}${flag('hidden')}` +
    `${flag('customHeight')}${number('outlineLevel')}${flag('collapsed')}${flag('thickTop')}${flag('thickBot')}${number('x14ac:dyDescent')} ?`;
/** The end of a row and the beginning of the next one. */
const TURN = `</${PREFIX}row>[ \\t\\n]{0,8}<\\9${ROW}>`;
const EMPTY_ROW = `<${PREFIX}${ROW}/>`;

/** The groups of the pattern by their content. */
const GROUP = { name: 2, style: 3, type: 4, otherType: 5, otherStyle: 6, value: 7, inline: 8 } as const;
const TURNED = { prefix: 9, number: 10 } as const;
const EMPTY = { prefix: 11, number: 12 } as const;

/** Takes plain cells, transitions from one row to the next, and empty rows. The parser reads everything else. */
export class SheetFastPath extends PlainMarkup {
    constructor(private readonly rows: PlainRows) {
        super(new RegExp(`${CELL}|${TURN}|${EMPTY_ROW}`, 'g'));
    }

    get closes(): string | undefined {
        const prefix = this.match?.[TURNED.prefix];
        return prefix === undefined ? undefined : `${prefix}row`;
    }

    take(): boolean {
        const { rows, match } = this;
        if (!match || !rows.takesRows) return false;
        if (match[TURNED.prefix] !== undefined) {
            rows.closeRow();
            rows.openRow(match[TURNED.number]);
        } else if (match[EMPTY.prefix] !== undefined) {
            rows.openRow(match[EMPTY.number]);
            rows.closeRow();
        } else {
            rows.cell({
                name: match[GROUP.name],
                type: match[GROUP.type] ?? match[GROUP.otherType],
                style: match[GROUP.style] ?? match[GROUP.otherStyle],
                text: match[GROUP.value] ?? match[GROUP.inline] ?? '',
            });
        }
        return true;
    }
}

import { PLAIN_TEXT, PlainMarkup, PREFIX } from './plain-markup';

const ITEM = `<${PREFIX}si>(?:<\\1t(?: xml:space="preserve")?(?: ?/>|>(${PLAIN_TEXT})</\\1t>))?</\\1si>`;
const EMPTY_ITEM = `<${PREFIX}si ?/>`;
const TEXT = 2;

/** Takes the shared strings that are plain texts. The parser reads all others. */
export class StringFastPath extends PlainMarkup {
    readonly closes = undefined;

    /** `found` returns false if a string is not what should come next. */
    constructor(private readonly found: (text: string) => boolean) {
        super(new RegExp(`${ITEM}|${EMPTY_ITEM}`, 'g'));
    }

    take(): boolean {
        return this.match !== null && this.found(this.match[TEXT] ?? '');
    }
}

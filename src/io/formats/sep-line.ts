import { show } from '../../core/value/show';
import { flowError } from '../../core/errors/flow-error';
import { DELIMITER_RULE } from './delimiters';

const WHOLE = /^\ufeff?sep=([^"\r\n])(?:\r\n|\n|\r(?!\n))/i;
const WITHOUT_END = /^\ufeff?sep=([^"\r\n])\r?$/i;
/** A text that may become such a line with the next piece. */
const BEGUN = /^\ufeff?(?:s(?:e(?:p(?:=(?:(?:[\ud800-\udbff][\udc00-\udfff]|[^"\r\n])\r?)?)?)?)?)?$/i;
/** A line that names a character that separates nothing: half of a pair, or a whole one. */
const WRONG = /^\ufeff?sep=([\ud800-\udfff]{1,2})(?=[\r\n]|$)/i;

/** Removes the first line of a text if that is Excel's `sep=;`, which names the delimiter and is not a row. */
export class SepLine {
    /** What it names. */
    delimiter: string | undefined;
    private held: string | undefined = '';

    /** False once the beginning of the text has decided it. */
    get isOpen(): boolean {
        return this.held !== undefined;
    }

    /** The part of this piece that is text of the table. */
    take(piece: string): string {
        if (this.held === undefined) return piece;
        const text = this.held + piece;
        if (BEGUN.test(text)) {
            this.held = text;
            return '';
        }
        return this.decided(text, WHOLE.exec(text));
    }

    /** The rest when the text has ended. */
    end(): string {
        return this.held === undefined ? '' : this.decided(this.held, WITHOUT_END.exec(this.held));
    }

    private decided(text: string, line: RegExpExecArray | null): string {
        this.held = undefined;
        const [, wrong] = WRONG.exec(text) ?? [];
        if (wrong !== undefined)
            throw flowError('SOURCE_MALFORMED', {
                where: 'line 1',
                problem: `the delimiter that it names is ${show(wrong)}; allowed: ${DELIMITER_RULE}`,
            });
        this.delimiter = line?.[1];
        return line ? text.slice(line[0].length) : text;
    }
}

/** The delimiter that the first line of a text names with `sep=`; undefined if there is no such line. */
export async function delimiterNamedIn(text: AsyncIterable<string>): Promise<string | undefined> {
    const line = new SepLine();
    for await (const piece of text) {
        line.take(piece);
        if (!line.isOpen) break;
    }
    line.end();
    return line.delimiter;
}

/** So far ahead a line end is looked for at most. */
const AHEAD = 4_096;

/**
 * A place in a text that is read in pieces: line and column, from 1. It only moves forward, so no line end is counted
 * twice.
 */
export class TextLocation {
    private line = 1;
    private column = 1;
    /** The index of the place in the current text. */
    private at = 0;
    /** Up to here there is no line end after the place. */
    private clear = 0;

    /** Moves on to an offset of the text. */
    moveTo(to: number, text: string): this {
        if (to > this.clear) this.pass(to, text);
        else this.column += to - this.at;
        this.at = to;
        return this;
    }

    /** The text before the place is dropped. */
    cut(): void {
        this.clear = Math.max(0, this.clear - this.at);
        this.at = 0;
    }

    private pass(to: number, text: string): void {
        const passed = text.slice(this.at, to);
        let after = 0;
        for (let lf = passed.indexOf('\n'); lf >= 0; lf = passed.indexOf('\n', after)) {
            this.line++;
            this.column = 1;
            after = lf + 1;
        }
        this.column += passed.length - after;
        // A line that is already long probably continues. The look-ahead is limited, as the line's end may be far,
        // and the next place near.
        const ahead = text.slice(to, to + Math.min(this.column, AHEAD));
        const lf = ahead.indexOf('\n');
        this.clear = to + (lf < 0 ? ahead.length : lf);
    }

    get lineNumber(): number {
        return this.line;
    }

    toString(): string {
        return `line ${this.line}, column ${this.column}`;
    }
}

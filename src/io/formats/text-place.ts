/** A place in a text that comes in pieces: line and column, from 1. Moves forward only, so that no line end is counted twice. */
export class TextPlace {
    private line = 1;
    private column = 1;
    /** Where in the text that is held the place is. */
    private at = 0;
    /** Up to here there is no line end behind the place. */
    private clear = 0;

    /** Moves on to an offset of the text. */
    moveTo(to: number, text: string): this {
        if (to > this.clear) this.pass(to, text);
        else this.column += to - this.at;
        this.at = to;
        return this;
    }

    /** The text before the place is let go of. */
    cut(): void {
        this.clear = Math.max(0, this.clear - this.at);
        this.at = 0;
    }

    private pass(to: number, text: string): void {
        let behind = this.at;
        let lf = text.indexOf('\n', Math.max(behind, this.clear));
        for (; lf >= 0 && lf < to; lf = text.indexOf('\n', behind)) {
            this.line++;
            this.column = 1;
            behind = lf + 1;
        }
        this.column += to - behind;
        // Each stretch of text is searched once, however near the next place is.
        this.clear = lf < 0 ? text.length : lf;
    }

    get lineNumber(): number {
        return this.line;
    }

    toString(): string {
        return `line ${this.line}, column ${this.column}`;
    }
}

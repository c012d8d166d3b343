/** A place in a text that comes in pieces: line and column, from 1. Moves forward only, so that no line end is counted twice. */
export class TextPlace {
    private line = 1;
    private column = 1;
    /** Where in the text that is held the place is. */
    private at = 0;

    /** Moves on to an offset of the text. */
    moveTo(to: number, text: string): this {
        // Only what is passed is searched: the next line end may be far, and the next place near.
        const passed = text.slice(this.at, to);
        let behind = 0;
        for (let lf = passed.indexOf('\n'); lf >= 0; lf = passed.indexOf('\n', behind)) {
            this.line++;
            this.column = 1;
            behind = lf + 1;
        }
        this.column += passed.length - behind;
        this.at = to;
        return this;
    }

    /** The text before the place is let go of. */
    cut(): void {
        this.at = 0;
    }

    get lineNumber(): number {
        return this.line;
    }

    toString(): string {
        return `line ${this.line}, column ${this.column}`;
    }
}

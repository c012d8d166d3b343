/** A place in a text that comes in pieces: line and column, from 1. Moves forward only, so that no line end is counted twice. */
export class TextPlace {
    private line = 1;
    private column = 1;
    /** Where in the text that is held the place is. */
    private at = 0;

    /** Moves on to an offset of the text. */
    moveTo(to: number, text: string): this {
        let behind = -1;
        for (let lf = text.indexOf('\n', this.at); lf >= 0 && lf < to; lf = text.indexOf('\n', lf + 1)) {
            this.line++;
            behind = lf + 1;
        }
        this.column = behind < 0 ? this.column + to - this.at : to - behind + 1;
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

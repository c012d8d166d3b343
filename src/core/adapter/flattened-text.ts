import type { Span } from './secret-matcher';

/** The end of a line between two characters of base64, written out or as JSON has it, with the blanks that a header is folded with. */
const BREAK = /(?<=[\w+/-])(?:\r?\n[ \t]*|(?:\\r)?\\n)(?=[\w+/=-])/g;

/** A text without the line ends that may occur within base64, which wraps at 64 or 76 characters. */
export class FlattenedText {
    private constructor(
        readonly text: string,
        /** Where its lines begin, and how many characters were removed before each. */
        private readonly lines: readonly number[],
        private readonly removed: readonly number[],
    ) {}

    /** Undefined if nothing has to be removed. */
    static of(text: string): FlattenedText | undefined {
        if (!text.includes('\n') && !text.includes('\\n')) return undefined;
        const pieces: string[] = [];
        const lines: number[] = [];
        const removed: number[] = [];
        let from = 0;
        let length = 0;
        for (const { 0: lineEnd, index } of text.matchAll(BREAK)) {
            pieces.push(text.slice(from, index));
            length += index - from;
            from = index + lineEnd.length;
            lines.push(length);
            removed.push(from - length);
        }
        if (lines.length === 0) return undefined;
        return new FlattenedText(pieces.join('') + text.slice(from), lines, removed);
    }

    /** The same stretch in the text with its lines. */
    broken([from, to]: Span): Span {
        return [this.place(from), this.place(to - 1) + 1];
    }

    private place(at: number): number {
        let low = 0;
        let high = this.lines.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.lines[middle]! <= at) low = middle + 1;
            else high = middle;
        }
        return low === 0 ? at : at + this.removed[low - 1]!;
    }
}

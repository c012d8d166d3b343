import type { FastPath } from '../markup';

/** The prefix of a name, which may be empty. */
export const PREFIX = '((?:[A-Za-z_]\\w{0,20}:)?)';
/** Text without markup, which every parser would pass on unchanged. */
export const PLAIN_TEXT = '[^<&\\]\\r\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u2028\\ud800-\\udfff\\ufffe\\uffff]*';

/** Finds stretches of plain markup by one regular expression. A subclass interprets them. */
export abstract class PlainMarkup implements FastPath {
    end = 0;
    protected match: RegExpExecArray | null = null;

    /** The pattern is a global one; no two of its matches may begin at the same place. */
    constructor(private readonly pattern: RegExp) {}

    find(text: string, from: number): number {
        const { pattern } = this;
        pattern.lastIndex = from;
        this.match = pattern.exec(text);
        if (!this.match) return -1;
        this.end = pattern.lastIndex;
        return this.match.index;
    }

    abstract get closes(): string | undefined;
    abstract take(): boolean;
}

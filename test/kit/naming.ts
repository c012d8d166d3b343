const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** A number is matched as a whole. */
const pattern = (part: string | number): string =>
    typeof part === 'number' ? `(?<![\\d.])${part}(?!\\d)` : escaped(part);

/** Matches a text that contains all these values and names, in any order and in whatever sentence. */
export const naming = (...parts: readonly (string | number)[]): string =>
    expect.stringMatching(new RegExp(`^${parts.map(part => `(?=.*${pattern(part)})`).join('')}`, 's')) as string;

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** Whole words and numbers only: neither 1 in 10, in 1.5 or in -1, nor `sku` in `variant.sku`. */
const whole = (value: string): string => {
    const start = /^[\w-]/.test(value) ? '(?<![\\w.-])' : '';
    const end = /\w$/.test(value) ? '(?!\\w|[.-]\\w)' : '';
    return start + escaped(value) + end;
};

/** A pattern for texts that name all of these values, in any order. A test with it passes when only the words around the values change. */
export const naming = (...values: ReadonlyArray<string | number>): RegExp => {
    if (values.length === 0) throw new Error('naming() without a value matches every text');
    return new RegExp(`^${values.map(value => `(?=[^]*${whole(String(value))})`).join('')}`);
};

/** A number is matched as a whole. */
const pattern = (part: string | number): string =>
    typeof part === 'number' ? `(?<![\\d.])${part}(?!\\d)` : escaped(part);

/** In the place of a text, one that contains all these values and parts, in any order and in any sentence. */
export const textNaming = (...parts: ReadonlyArray<string | number>): string =>
    expect.stringMatching(new RegExp(`^${parts.map(part => `(?=.*${pattern(part)})`).join('')}`, 's')) as string;

import wording from '../golden/wording.json';

/** The name of a wording in `test/golden/wording.json`. */
export type WordingKey = keyof typeof wording;

const PLACEHOLDER = /\{([a-z][A-Za-z0-9]*)\}/g;

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** Inserts values into a wording, and throws if key, placeholders and values do not match: a test must not pass because of a typing error. */
const filled = <T>(
    key: WordingKey,
    values: Record<string, T>,
    fill: { text: (text: string) => string; value: (value: T) => string },
): string => {
    const desired: string | undefined = wording[key];
    if (desired === undefined) throw new Error(`test/golden/wording.json has no wording "${key}"`);
    const names = new Set([...desired.matchAll(PLACEHOLDER)].map(([, name]) => name!));
    for (const name of Object.keys(values))
        if (!names.has(name)) throw new Error(`The wording "${key}" has no placeholder {${name}}`);
    return desired
        .split(PLACEHOLDER)
        .map((part, index) => {
            if (index % 2 === 0) return fill.text(part);
            const value = values[part];
            if (value === undefined) throw new Error(`The wording "${key}" needs a value for {${part}}`);
            return fill.value(value);
        })
        .join('');
};

/** A text of Flow: a wording of the golden file with its placeholders filled in. */
export const said = (key: WordingKey, values: Record<string, string | number> = {}): string =>
    filled(key, values, { text: text => text, value: String });

/** Like `said`, as a pattern whose values may be patterns as well; `ends` binds it to the start (`^`) or end (`$`) of the text. */
export const saidLike = (
    key: WordingKey,
    values: Record<string, RegExp | string | number> = {},
    ends: '' | '^' | '$' | '^$' = '',
): RegExp => {
    const pattern = filled(key, values, {
        text: escaped,
        value: value => (value instanceof RegExp ? `(?:${value.source})` : escaped(String(value))),
    });
    return new RegExp(`${ends.includes('^') ? '^' : ''}${pattern}${ends.includes('$') ? '$' : ''}`);
};

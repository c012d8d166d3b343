/** How many characters a built-in function of texts reads or copies. */
type Cost = (text: string, args: readonly unknown[], result: unknown) => number;

const one: Cost = () => 1;
const all: Cost = text => text.length;
const result: Cost = (_text, _args, answer) => (answer as string).length;
const upToTheFind: Cost = (text, [desired, from], found) => {
    const start = Math.min(Math.max(Number(from ?? 0), 0), text.length);
    return (found as number) < 0 ? text.length - start : (found as number) - start + (desired as string).length;
};
const ofText: Readonly<Record<string, Cost>> = {
    at: one,
    charAt: one,
    codePointAt: one,
    startsWith: (_text, [desired]) => (desired as string).length,
    endsWith: (_text, [desired]) => (desired as string).length,
    indexOf: upToTheFind,
    lastIndexOf: all,
    includes: all,
    replaceAll: all,
    slice: result,
    substring: result,
    split: all,
    toLowerCase: all,
    toUpperCase: all,
    trim: all,
    trimStart: all,
    trimEnd: all,
};

/**
 * Runs the work and counts the characters that it reads through the built-in functions of texts, through patterns and through `JSON.parse`. Text that
 * is read again is counted again. The work is aborted as soon as it reads more than `atMost` characters, since repeated scans of a text might never
 * end. Nothing else in the process may work on texts in the meantime. Backtracking within one match and `text[i]` are not counted.
 */
export async function charactersRead(atMost: number, work: () => unknown): Promise<number> {
    let read = 0;
    const look = (characters: number): void => {
        read += characters;
        if (read > atMost) throw new Error(`more than ${atMost} characters were read`);
    };
    const undo: Array<() => void> = [];
    const replace = (owner: object, name: string, value: unknown): void => {
        const own = Object.getOwnPropertyDescriptor(owner, name)!;
        Object.defineProperty(owner, name, { ...own, value });
        undo.push(() => Object.defineProperty(owner, name, own));
    };
    for (const [name, cost] of Object.entries(ofText)) {
        const original = Reflect.get(String.prototype, name) as (...args: unknown[]) => unknown;
        replace(String.prototype, name, function (this: string, ...args: unknown[]): unknown {
            const answer = Reflect.apply(original, this, args);
            look(cost(this, args, answer));
            return answer;
        });
    }
    // Scanners mostly use this function, up to a hundred million times. Written out, it costs a tenth.
    const { charCodeAt } = String.prototype;
    replace(String.prototype, 'charCodeAt', function (this: string, at: number): number {
        if (++read > atMost) look(0);
        return charCodeAt.call(this, at);
    });
    // All other functions of patterns use this one, and so do those of texts that take a pattern.
    const exec = Reflect.get(RegExp.prototype, 'exec') as RegExp['exec'];
    replace(RegExp.prototype, 'exec', function (this: RegExp, text: string): RegExpExecArray | null {
        const from = this.sticky || this.global ? this.lastIndex : 0;
        const match = Reflect.apply(exec, this, [text]) as RegExpExecArray | null;
        if (match) look(match.index + match[0].length - from);
        else look(this.sticky ? 1 : Math.max(text.length - from, 0));
        return match;
    });
    const parse = JSON.parse;
    replace(JSON, 'parse', (text: string, ...args: never[]): unknown => {
        look(text.length);
        return parse(text, ...args);
    });
    try {
        await work();
        // The work may have caught the error.
        look(0);
        return read;
    } finally {
        for (const putBack of undo) putBack();
    }
}

import { factText, type FactText } from '../errors/rendered';

/** What a text that is not JSON has in place of the expected. */
export const SYNTAX_TEXTS = {
    found: 'line {line}, column {column}: expected {expected}, found {found}',
    ends: 'line {line}, column {column}: expected {expected}, the text ends',
} as const;

/** What may be expected. */
export const EXPECTED_TEXTS = {
    value: 'a value',
    valueOrEnd: 'a value or ]',
    key: 'a key in double quotes',
    keyOrEnd: 'a key in double quotes or }',
    colon: 'a colon',
    commaInObject: 'a comma or }',
    commaInList: 'a comma or ]',
    end: 'the end of the text',
} as const;

/** Where a text stops being JSON, for a message: "line 3, column 7: expected a comma or }". Undefined when it is JSON. */
export function jsonSyntaxIssue(text: string): FactText | undefined {
    const scan = new Scan(text);
    const expected = scan.run();
    if (expected === undefined) return undefined;
    const before = text.slice(0, scan.offset).split('\n');
    const char = text.codePointAt(scan.offset);
    const facts = { line: before.length, column: before[before.length - 1]!.length + 1, expected };
    if (char === undefined) return factText(SYNTAX_TEXTS.ends, facts);
    return factText(SYNTAX_TEXTS.found, { ...facts, found: JSON.stringify(String.fromCodePoint(char)) });
}

const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** What may come next. */
type Want = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'separator';

/** Walks the tokens of a text without recursion, so that no depth of nesting can exhaust the stack. */
class Scan {
    offset = 0;
    private readonly open: Array<'{' | '['> = [];

    constructor(private readonly text: string) {}

    /** What was expected at `offset`, undefined when the whole text is one JSON value. */
    run(): string | undefined {
        let want: Want = 'value';
        for (;;) {
            this.take(SPACE);
            if (want === 'separator' && this.open.length === 0) {
                return this.offset === this.text.length ? undefined : EXPECTED_TEXTS.end;
            }
            const next = this.next(want);
            if (next === undefined) return this.describe(want);
            want = next;
        }
    }

    private next(want: Want): Want | undefined {
        const char = this.text[this.offset];
        switch (want) {
            case 'colon':
                return this.skip(char === ':', 'value');
            case 'key':
            case 'key or }':
                if (want === 'key or }' && char === '}') return this.close();
                return this.take(STRING) ? 'colon' : undefined;
            case 'separator':
                if (char === (this.open.at(-1) === '{' ? '}' : ']')) return this.close();
                return this.skip(char === ',', this.open.at(-1) === '{' ? 'key' : 'value');
            default:
                if (want === 'value or ]' && char === ']') return this.close();
                if (char === '{' || char === '[') {
                    this.open.push(char);
                    return this.skip(true, char === '{' ? 'key or }' : 'value or ]');
                }
                return this.take(STRING) || this.take(SCALAR) ? 'separator' : undefined;
        }
    }

    private close(): Want {
        this.open.pop();
        this.offset++;
        return 'separator';
    }

    private skip(matches: boolean, then: Want): Want | undefined {
        if (matches) this.offset++;
        return matches ? then : undefined;
    }

    private take(token: RegExp): boolean {
        token.lastIndex = this.offset;
        const match = token.exec(this.text);
        if (match) this.offset += match[0].length;
        return match !== null;
    }

    private describe(want: Want): string {
        if (want === 'colon') return EXPECTED_TEXTS.colon;
        if (want === 'key') return EXPECTED_TEXTS.key;
        if (want === 'key or }') return EXPECTED_TEXTS.keyOrEnd;
        if (want === 'separator')
            return this.open.at(-1) === '{' ? EXPECTED_TEXTS.commaInObject : EXPECTED_TEXTS.commaInList;
        return want === 'value' ? EXPECTED_TEXTS.value : EXPECTED_TEXTS.valueOrEnd;
    }
}

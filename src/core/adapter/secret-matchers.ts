import { SecretMatcher, type Span } from './secret-matcher';

/** The number of characters that decide whether a full comparison is worthwhile. */
const GRAM = 4;
const BUCKETS = 1 << 16;

/** Searches many texts at once: one check at each place of a text finds the few candidates that may begin there. */
export class SecretMatchers {
    private readonly texts = new Set<string>();
    private readonly marks = new Uint8Array(BUCKETS);
    private readonly byMark = new Map<number, SecretMatcher[]>();

    get isEmpty(): boolean {
        return this.texts.size === 0;
    }

    has(text: string): boolean {
        return this.texts.has(text);
    }

    /** Shorter ones than four characters are not taken. */
    add(text: string): void {
        if (text.length < GRAM || this.texts.has(text)) return;
        this.texts.add(text);
        const mark = markOf(text);
        const others = this.byMark.get(mark);
        if (others) others.push(new SecretMatcher(text));
        else this.byMark.set(mark, [new SecretMatcher(text)]);
        this.marks[mark] = 1;
    }

    /** The spans where they occur, in no particular order. */
    in(text: string): readonly Span[] {
        if (this.isEmpty || text.length < GRAM) return [];
        const { marks } = this;
        const looked = new Set<SecretMatcher>();
        let mark = markOf(text);
        for (let at = 0; ; at++) {
            if (marks[mark] === 1) this.look(text, { at, mark }, looked);
            if (at + GRAM >= text.length) break;
            mark = nextMark(mark, text.charCodeAt(at + GRAM));
        }
        return [...looked].flatMap(matcher => matcher.taken());
    }

    private look(
        text: string,
        { at, mark }: { readonly at: number; readonly mark: number },
        looked: Set<SecretMatcher>,
    ): void {
        for (const matcher of this.byMark.get(mark)!) {
            looked.add(matcher);
            matcher.lookAt(text, at);
        }
    }
}

/** Of the first characters: the low bits of the last four. */
function markOf(text: string): number {
    let mark = 0;
    for (let i = 0; i < GRAM; i++) mark = nextMark(mark, text.charCodeAt(i));
    return mark;
}

function nextMark(mark: number, code: number): number {
    return ((mark << 4) ^ (code & 0xf) ^ ((code & 0x70) << 3)) & (BUCKETS - 1);
}

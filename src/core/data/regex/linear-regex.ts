import { RE2JS } from 're2js';
import { recordInvalid } from '../../errors/record-invalid';
import type { PatternMode } from './read';
import { type Groups, type Replacement, withReplaced } from './replacement';
import { Walker } from './walker';

/**
 * A pattern that is matched in linear time for any text. It throws RECORD_INVALID for a text that is too long even so.
 */
export interface Regex extends Groups {
    /** True if the pattern matches anywhere in the text. */
    test(text: string): boolean;
    /**
     * The text of a group in the first match, 0 for the whole match; undefined without a match, or if the group did not
     * take part in it.
     */
    group(text: string, group: number): string | undefined;
    /** The text with the first match replaced, or all matches. */
    replace(text: string, by: Replacement, all: boolean): string;
}

/**
 * Instructions times characters: less than a tenth of a second, twice that on a slow or busy machine. The event loop is
 * blocked meanwhile.
 */
const MAX_WALK = 5_500_000;

/** The library's form of a pattern; throws its exceptions for an invalid one. */
export function compileLinear(pattern: string, { ignoreCase, multiline, dotAll }: PatternMode): RE2JS {
    const flags =
        (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0) | (multiline ? RE2JS.MULTILINE : 0) | (dotAll ? RE2JS.DOTALL : 0);
    return RE2JS.compile(pattern, flags);
}

/** The slower engine, for every pattern and text. */
export class LinearRegex implements Regex {
    readonly groupCount: number;
    readonly names: ReadonlyMap<string, number>;
    private readonly field: string;
    private walker: Walker | undefined;

    constructor(
        private readonly pattern: string,
        private readonly patternMode: PatternMode,
        { groupCount, names, field }: Groups & { readonly field: string },
    ) {
        this.groupCount = groupCount;
        this.names = names;
        this.field = field;
    }

    test(text: string): boolean {
        return this.walkerFor(text).next(0) !== undefined;
    }

    group(text: string, group: number): string | undefined {
        const match = this.walkerFor(text).next(0);
        return match && groupText(text, match, group);
    }

    replace(text: string, by: Replacement, all: boolean): string {
        const walker = this.walkerFor(text);
        let out = '';
        let last = 0;
        let from = 0;
        while (from <= text.length) {
            const match = walker.next(from);
            if (!match) break;
            const [start, end] = [match[0]!, match[1]!];
            out += text.slice(last, start);
            out = withReplaced(out, by, group => groupText(text, match, group));
            last = end;
            if (!all) break;
            from = end > start ? end : end + (text.codePointAt(end)! > 0xffff ? 2 : 1);
        }
        return out + text.slice(last);
    }

    private walkerFor(text: string): Walker {
        this.walker ??= new Walker(compileLinear(this.pattern, this.patternMode));
        const most = Math.floor(MAX_WALK / this.walker.size);
        if (text.length > most)
            throw recordInvalid(
                this.field,
                `has ${text.length} characters; the pattern can be matched with at most ${most}`,
            );
        this.walker.take(text);
        return this.walker;
    }
}

function groupText(text: string, match: Int32Array, group: number): string | undefined {
    const start = match[2 * group]!;
    return start < 0 ? undefined : text.slice(start, match[2 * group + 1]);
}

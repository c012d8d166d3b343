import { RE2JSSyntaxException } from 're2js';
import { flowError } from '../../errors/flow-error';
import { clause, type FactText } from '../../errors/rendered';
import { compileLinear, LinearRegex, type Regex } from './linear-regex';
import { nativeOf } from './native-regex';
import { type PatternMode, PatternIssue, type PatternReading, readPattern } from './read';
import { isAccepted, patternProblem } from './pattern-check';
import { type Groups, type Replacement, withReplaced } from './replacement';
import { sizeOf } from './tree';
import { patternWeight } from './weight';

export const MAX_PATTERN = 1000;
/** The maximum number of instructions of a pattern; a repetition counts as often as its maximum. */
const MAX_SIZE = 2000;
/**
 * The maximum number of characters in its classes: without case, they are compared one by one, and the event loop is
 * blocked meanwhile.
 */
const MAX_WEIGHT = 500_000;

/** The letters of flags. */
export type RegexFlag = 'g' | 'i' | 'm' | 's' | 'u';

/** What is wrong with a pattern, as the end of "pattern …"; undefined if it is valid. */
export function regexProblem(pattern: string): FactText | undefined {
    return pattern.length > MAX_PATTERN ? judge(pattern) : patternProblem(pattern, judge);
}

function judge(pattern: string): FactText | undefined {
    const read = tryRead(pattern, mannerOf(''));
    return 'message' in read ? read : undefined;
}

/** The groups of a pattern that `regexProblem` has accepted. */
export function groupsOf(pattern: string): Groups {
    return readPattern(pattern, mannerOf(''));
}

/** Compiles a pattern that `regexProblem` has accepted; `field` is the matched field, for messages. */
export function compileRegex(pattern: string, flags: string, field: string): Regex {
    const manner = mannerOf(flags);
    // Flags change neither the syntax nor the size of a pattern, and another check takes as long as compiling.
    const read = isAccepted(pattern) ? readPattern(pattern, manner) : tryRead(pattern, manner);
    if ('message' in read)
        throw flowError('BUG', { problem: `pattern ${read.message} and was compiled without a check` });
    const linear = new LinearRegex(pattern, manner, { ...read, field });
    const native = nativeOf(read.tree);
    if (!native) return linear;
    const { first, every, maxLength } = native;
    return {
        groupCount: read.groupCount,
        names: read.names,
        test: text => (text.length <= maxLength ? first.test(text) : linear.test(text)),
        group: (text, group) => (text.length <= maxLength ? first.exec(text)?.[group] : linear.group(text, group)),
        replace(text, by, all) {
            if (text.length > maxLength) return linear.replace(text, by, all);
            const pattern = all ? every : first;
            return by.longest(text.length, all) <= by.limit.most
                ? text.replace(pattern, by.template)
                : replacedBit(text, pattern, by);
        },
    };
}

/** Replaces like the platform does with the template, and checks the length at each step. */
function replacedBit(text: string, pattern: RegExp, by: Replacement): string {
    let out = '';
    let last = 0;
    text.replace(pattern, (...found: readonly unknown[]) => {
        const groups = found as ReadonlyArray<string | undefined>;
        const start = found.find(part => typeof part === 'number') as number;
        out = withReplaced(out + text.slice(last, start), by, group => groups[group]);
        last = start + groups[0]!.length;
        return '';
    });
    by.limit.fits(out.length + text.length - last);
    return out + text.slice(last);
}

function mannerOf(flags: string): PatternMode {
    return { ignoreCase: flags.includes('i'), multiline: flags.includes('m'), dotAll: flags.includes('s') };
}

function tryRead(pattern: string, patternMode: PatternMode): PatternReading | FactText {
    if (pattern.length > MAX_PATTERN)
        return clause`has ${pattern.length} characters; at most ${MAX_PATTERN} are allowed`;
    try {
        const reading = readPattern(pattern, patternMode);
        const size = sizeOf(reading.tree);
        if (size > MAX_SIZE) return tooLarge(size);
        const weight = patternWeight(pattern);
        if (weight > MAX_WEIGHT)
            return clause`has classes of ${weight} characters, each class counted by itself; at most ${MAX_WEIGHT} are allowed`;
        const compiled = compileLinear(pattern, patternMode).programSize();
        return compiled > MAX_SIZE ? tooLarge(compiled) : reading;
    } catch (error) {
        if (error instanceof PatternIssue) return error.text;
        if (error instanceof RE2JSSyntaxException) return describe(error, pattern);
        throw error;
    }
}

function tooLarge(size: number): FactText {
    return clause`takes ${size} instructions with its repetitions written out; at most ${MAX_SIZE} are allowed`;
}

function describe(error: RE2JSSyntaxException, pattern: string): FactText {
    const place = error.getPattern() ?? '';
    const at = place === '' ? -1 : pattern.indexOf(place);
    const problem = `${error.getDescription()}${place === '' ? '' : ` "${place}"`}`;
    return at < 0 ? clause`is invalid: ${problem}` : clause`is invalid at character ${at + 1}: ${problem}`;
}

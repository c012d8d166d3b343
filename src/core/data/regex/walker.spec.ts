import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { charactersRead } from '../../../../test/kit/characters-read';
import { naming } from '../../../../test/kit/naming';
import { compileLinear, LinearRegex } from './linear-regex';
import { type PatternMode, readPattern } from './read';
import { compileReplacement } from './replacement';
import { Walker } from './walker';

/** The version whose inside the walk has been written for. Another one: see that all below still holds, and what else its programs have. */
const KNOWN = '2.10.0';

interface Program {
    readonly start: number;
    readonly inst: ReadonlyArray<{
        readonly op: number;
        readonly out: number;
        readonly arg: number;
        readonly runes: Iterable<number>;
        matchRune(code: number): boolean;
    }>;
}

const PLAIN: PatternMode = { ignoreCase: false, multiline: false, dotAll: false };
const programOf = (pattern: string, patternMode: Partial<PatternMode> = {}): Program =>
    compileLinear(pattern, { ...PLAIN, ...patternMode }).re2().prog as Program;
const jsonOf = <T>(file: string): T => JSON.parse(readFileSync(file, 'utf8')) as T;

describe('what the walker knows about re2js', () => {
    it(`is that of version ${KNOWN}, to which it is pinned and which is installed`, () => {
        const own = jsonOf<{ dependencies: Record<string, string> }>(join(__dirname, '../../../../package.json'));
        const installed = jsonOf<{ version: string }>(join(dirname(require.resolve('re2js')), '../package.json'));
        expect([own.dependencies['re2js'], installed.version]).toEqual([KNOWN, KNOWN]);
    });

    // Each instruction: its operation, its successor, its argument, the characters that it accepts. The first one fails.
    it.each<[string, string, Partial<PatternMode>, number, string]>([
        ['one character', 'a', {}, 1, '9>2 0 [97] | 6'],
        ['a class', '[a-c]', {}, 1, '8>2 0 [97 99] | 6'],
        ['a dot', '.', {}, 1, '11>2 0 [0 9 11 1114111] | 6'],
        ['a dot for line ends, too', '.', { dotAll: true }, 1, '10>2 0 [0 1114111] | 6'],
        ['either case', 'k', { ignoreCase: true }, 1, '8>2 1 [75] | 6'],
        ['alternatives', 'ab|cd', {}, 5, '9>2 0 [97] | 9>6 0 [98] | 9>4 0 [99] | 9>6 0 [100] | 1>1 3 | 6'],
        ['a group', '(a)', {}, 1, '3>2 2 | 9>3 0 [97] | 3>4 3 | 6'],
        ['a greedy repetition', 'a*', {}, 2, '9>2 0 [97] | 1>1 3 | 6'],
        ['a lazy repetition', 'a*?', {}, 2, '9>2 0 [97] | 1>3 1 | 6'],
        ['both ends of the text', '^$', {}, 1, '4>2 4 | 4>3 8 | 6'],
        ['both ends of a line', '^$', { multiline: true }, 1, '4>2 1 | 4>3 2 | 6'],
        ['edges of a word', '\\b\\B', {}, 1, '4>2 16 | 4>3 32 | 6'],
        ['nothing', '', {}, 1, '7>2 0 | 6'],
    ])('is the program of %s', (_, pattern, manner, start, instructions) => {
        const { inst, start: first } = programOf(pattern, manner);
        const [fail, ...rest] = inst.map(({ op, out, arg, runes }) => {
            const taken = [...runes].join(' ');
            return op === 6 || op === 5 ? String(op) : `${op}>${out} ${arg}${taken === '' ? '' : ` [${taken}]`}`;
        });
        expect([first, fail, rest.join(' | ')]).toEqual([start, '5', instructions]);
    });

    it('is which characters an instruction accepts', () => {
        const takes = (pattern: string, texts: string, patternMode: Partial<PatternMode> = {}): string =>
            [...texts]
                .filter(text => programOf(pattern, patternMode).inst[1]!.matchRune(text.codePointAt(0)!))
                .join('');
        expect(takes('[a-c😀]', 'abcdAé😀\n')).toBe('abc😀');
        expect(takes('\\pL', 'aé1 ß漢😀')).toBe('aéß漢');
        expect(takes('k', 'kK\u212ax', { ignoreCase: true })).toBe('kK\u212a');
    });

    it('is everything in a program: one with anything else is rejected, and not matched wrongly', () => {
        const pattern = compileLinear('a', PLAIN);
        (pattern.re2().prog as { inst: Array<{ op: number }> }).inst[1]!.op = 12;
        expect(() => new Walker(pattern)).toThrow(
            expect.objectContaining({ code: 'BUG', message: expect.stringMatching(naming('re2js', 12)) as string }),
        );
    });
});

// Should the library come to do without, there is no need any more to know its inside (docs/adr/0013-linear-time-patterns.md).
describe('the purpose of the walker', () => {
    it.each([
        ['a*b|a', 'a'],
        ['<[^>]*>|<', '<'],
        ['(?i)k+x|k', 'k'],
    ])('is that replacing %s reads a text once, and not once more for each match', async (pattern, character) => {
        const text = character.repeat(1000);
        const by = compileReplacement('-', { groupCount: 0, names: new Map() });
        const library = compileLinear(pattern, PLAIN);
        const own = new LinearRegex(pattern, PLAIN, { ...readPattern(pattern, PLAIN), field: 'f' });

        expect(library.matcher(text).replaceAll('-')).toBe('-'.repeat(1000));
        expect(own.replace(text, by, true)).toBe('-'.repeat(1000));
        const readByLibrary = await charactersRead(10_000_000, () => library.matcher(text).replaceAll('-'));
        const readByWalk = await charactersRead(20 * text.length, () => own.replace(text, by, true));
        expect(readByLibrary).toBeGreaterThan((text.length * text.length) / 4);
        expect(readByWalk).toBeGreaterThan(text.length);
    });
});

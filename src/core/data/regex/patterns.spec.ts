import { z } from 'zod';
import { naming } from '../../../../test/kit/naming';
import { runAtOnce } from '../../concurrency/yielding-task';
import { pattern } from '../../schema/regex-fields';
import { Patterns } from './patterns';
import { compileRegex, regexProblem } from './regex';
import { patternWeight } from './weight';

const schema = z.strictObject({ patterns: z.array(pattern('Pattern', 'What to look for.')) });
const read = (patterns: Patterns, ...list: readonly string[]) =>
    patterns.read(() => schema.safeParse({ patterns: list }));

describe('the patterns of a definition', () => {
    it('are checked one by one, each once, and their problems have their paths', () => {
        const work = read(new Patterns(), 'one+', '(', 'two+', 'one+');
        let bits = 0;
        let bit = work.next();
        for (; bit.done !== true; bit = work.next()) bits++;
        // Before each of the three, and before the value is read again.
        expect(bits).toBe(4);
        expect(bit.value.error!.issues).toMatchObject([{ path: ['patterns', 1] }]);
        expect(bit.value.error!.issues[0]!.message).toBe(`pattern ${regexProblem('(')?.message}`);
    });

    it('are cached for the whole definition', () => {
        const patterns = new Patterns();
        runAtOnce(read(patterns, 'a+'));
        expect(read(patterns, 'a+').next()).toMatchObject({ done: true, value: { success: true } });
    });

    it('are reported as too many beyond a number, without counting repeated ones', () => {
        const patterns = new Patterns(2);
        const { error } = runAtOnce(read(patterns, 'a', 'a', 'b', 'c', 'd'));
        expect(error!.issues.map(({ path }) => path)).toEqual([
            ['patterns', 3],
            ['patterns', 4],
        ]);
        expect(patterns.beyond).toBe(2);
    });
});

describe('the classes of a pattern', () => {
    it.each([
        ['[a-z]+', 25],
        ['[\\x{80}-\\x{ffff}]', 0xff7f],
        ['[^\\x{80}-\\x{10ffff}]', 0x1e943 - 0x80],
        ['\\pL|[\\p{Greek}\\PN]', 10_500],
        ['a-b c-d \\x41-\\x42', 3],
        ['no classes', 0],
    ])('of %s weigh %i', (text, weight) => {
        expect(patternWeight(text)).toBe(weight);
    });

    it('are rejected if they take too long to compose, with any flags', () => {
        expect(regexProblem('\\pL'.repeat(300))?.message).toMatch(naming(1_050_000, 500_000));
        expect(regexProblem('[B-\\x{1e942}]'.repeat(3))).toBe(undefined);
        expect(regexProblem('[B-\\x{1e942}]'.repeat(4))).not.toBe(undefined);
        expect(regexProblem('[^\\x{80}-\\x{10ffff}]\\p{L}')).toBeUndefined();
    });

    it('can be compiled with any flags once the pattern has been accepted', () => {
        expect(regexProblem('[é-ü]+x')).toBeUndefined();
        expect(compileRegex('[é-ü]+x', 'i', 'f').test('ÉX')).toBe(true);
    });
});

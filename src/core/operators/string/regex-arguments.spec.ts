import type { z } from 'zod';
import { naming } from '../../../../test/kit/naming';
import { parseWith } from '../../schema/issues';
import { validateFormat } from '../data/validate-format';
import { extractRegex } from './extract-regex';
import { replaceRegex } from './replace-regex';

function messagesOf(schema: z.ZodObject, args: object): readonly string[] {
    const parsed = parseWith(schema, args);
    return parsed.ok ? [] : parsed.issues.map(({ message }) => message);
}

const extract = (args: object): readonly string[] =>
    messagesOf(extractRegex.config, { source: 's', target: 't', ...args });
const replace = (args: object): readonly string[] =>
    messagesOf(replaceRegex.config, { path: 'p', replacement: '', ...args });

describe('the arguments of operators with a pattern', () => {
    it.each([
        [{ pattern: '(a)', group: 2 }, 'group: is 2, but the pattern has one group; 0 is the whole match'],
        [{ pattern: 'a' }, 'group: is 1, but the pattern has no groups; 0 is the whole match'],
        [{ pattern: '(a)', group: -1 }, 'group is -1; allowed: 0 to 99'],
        [{ pattern: '(a)', flags: 'y' }, 'flags is "y"; allowed: the letters i, m, s, g, u, each at most once'],
        [{ pattern: '(a)', flags: 'gg' }, 'flags is "gg"; allowed: the letters i, m, s, g, u, each at most once'],
        [{ pattern: '(?:a)', group: 1 }, 'group: is 1, but the pattern has no groups; 0 is the whole match'],
        [
            { pattern: '(a)(?!b)' },
            'pattern is invalid at character 4: "(?!" is a lookahead, which cannot be matched in linear time',
        ],
        [{ pattern: '' }, 'pattern'],
        [{}, 'pattern'],
    ])('extractRegex with %j', (args, message) => {
        expect(extract(args)[0]).toContain(message);
        expect(extract(args)).toHaveLength(1);
    });

    it.each([
        [
            { pattern: '(a)', replacement: '$2' },
            'replacement has $2 at character 1, but the pattern has one group; write $$ for a dollar sign',
        ],
        [{ pattern: 'a', flags: 'y' }, 'flags is "y"; allowed: the letters g, i, m, s, u, each at most once'],
        [{ pattern: 'a', flags: 'gg' }, 'flags is "gg"; allowed: the letters g, i, m, s, u, each at most once'],
        [{ pattern: '(a' }, 'pattern is invalid at character 1: "(" is not closed'],
    ])('replaceRegex with %j', (args, message) => {
        expect(replace(args)[0]).toContain(message);
        expect(replace(args)).toHaveLength(1);
    });

    it('are accepted in any order and valid combination', () => {
        expect(extract({ pattern: 'a', group: 0, flags: 'smi' })).toEqual([]);
        expect(replace({ pattern: '(a)', replacement: '$1$$', flags: 'ig' })).toEqual([]);
        expect(messagesOf(validateFormat.config, { field: 'f', pattern: '^\\d+(\\.\\d{2})?$' })).toEqual([]);
        expect(messagesOf(validateFormat.config, { field: 'f', pattern: '(a)\\1' })[0]).toMatch(
            naming('pattern', 4, '"\\1"'),
        );
    });
});

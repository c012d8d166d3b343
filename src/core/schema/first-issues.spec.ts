import { z } from 'zod';
import { firstIssues } from './first-issues';
import { tryParse } from './issues';

const OWN = 'one letter, please';
const schema = z.strictObject({
    size: z.int().min(1).default(7),
    names: z.array(z.string().regex(/^[a-z]$/, OWN)).optional(),
    either: z.union([z.string(), z.null()]).optional(),
});
const faulty = { size: 0, names: ['a', 'BB', 3, 'CC'], either: 1, x: 1, y: 2 };

describe('the first issues of a value', () => {
    it('are all of them, if as many are requested', () => {
        const all = tryParse(schema, faulty);
        expect(firstIssues(schema, faulty, 100)).toEqual({ ...all, more: 0 });
        expect(firstIssues(schema, {}, 100)).toEqual({ ok: true, value: { size: 7 } });
    });

    it.each([0, 1, 3, 6, 7])('are at most %d, and the others are counted, each unknown field separately', most => {
        const outcome = firstIssues(schema, faulty, most);
        if (outcome.ok) throw new Error('is valid');
        const told = outcome.faults.map(issue => (issue.code === 'unrecognized_keys' ? issue.keys.length : 1));
        expect([told.reduce((sum, count) => sum + count, 0), outcome.more]).toEqual([most, 7 - most]);
    });

    it('have the messages of the checks, and none of zod', () => {
        const before = z.config().customError;
        try {
            z.config({ customError: () => 'Nope, in the words of the shop' });
            const outcome = firstIssues(schema, faulty, 100);
            const texts = outcome.ok ? [] : outcome.faults.map(({ message }) => message);
            expect([...new Set(texts)].sort()).toEqual(['', OWN]);
        } finally {
            z.config({ customError: before });
        }
    });
});

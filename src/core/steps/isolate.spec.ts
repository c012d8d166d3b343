import fc from 'fast-check';
import type { StatementProgram } from '../adapter/loader';
import { flowError } from '../errors/flow-error';
import { isolate } from './isolate';
import type { LoadTransaction } from '../ports/ports';

const rejected = flowError('RECORD_REFUSED', { problem: 'poison' });

/** A transaction without statements: what a failed part has done is undone by the test itself. */
function loading(guilty: ReadonlySet<number>, error: Error = rejected) {
    let tries = 0;
    const tx: LoadTransaction = {
        isolate: true,
        *savepoint(part) {
            tries++;
            try {
                return { ok: true, value: yield* part() };
            } catch (failure) {
                return { ok: false, error: failure };
            }
        },
    };
    const run = (count: number): readonly string[] => {
        const script = isolate<string>(tx, count, {
            // eslint-disable-next-line require-yield -- there is no database to ask
            *load(from, to): StatementProgram<string> {
                for (let i = from; i < to; i++) if (guilty.has(i)) throw error;
                return '='.repeat(to - from);
            },
            refuse: () => 'X',
        });
        const end = script.next();
        if (!end.done) throw new Error('there is nothing to wait for');
        return end.value;
    };
    return { run, tries: () => tries };
}

describe('isolate', () => {
    it('rejects only the invalid records, and returns in the order of the records', () => {
        fc.assert(
            fc.property(fc.integer({ min: 0, max: 64 }), fc.uniqueArray(fc.nat(63)), (count, numbers) => {
                const guilty = new Set(numbers.filter(n => n < count));
                const expected = Array.from({ length: count }, (_, i) => (guilty.has(i) ? 'X' : '=')).join('');
                expect(loading(guilty).run(count).join('')).toBe(expected);
            }),
        );
    });

    it('finds one guilty record among a thousand in about twenty tries', () => {
        const { run, tries } = loading(new Set([617]));
        const parts = run(1_000);
        expect(parts.join('').indexOf('X')).toBe(617);
        expect(tries()).toBeLessThanOrEqual(20);
        expect(parts.length).toBeLessThanOrEqual(11);
    });

    it('stops at an error that no record causes', () => {
        const { run } = loading(new Set([1]), flowError('DATABASE_LOST', { problem: 'gone' }));
        expect(() => run(4)).toThrow(expect.objectContaining({ code: 'DATABASE_LOST' }));
    });
});

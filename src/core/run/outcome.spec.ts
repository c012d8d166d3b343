import { said } from '../../../test/kit/said';
import { NO_COUNTS, type StepCounters } from './counters';
import { ErrorBudget } from './error-budget';
import { outcomeOf, totalsOf } from './outcome';

const counts = (some: Partial<StepCounters>): StepCounters => ({ ...NO_COUNTS, ...some });

describe('totalsOf', () => {
    it('counts a record where it ended: at the end of the pipeline, at a filter, or rejected', () => {
        const totals = totalsOf(
            {
                read: counts({ in: 100, out: 98, rejected: 2 }),
                shape: counts({ in: 98, expanded: 4, out: 90, filtered: 10, rejected: 2 }),
                write: counts({ in: 90, out: 87, created: 50, updated: 20, deleted: 7, unchanged: 10, rejected: 3 }),
            },
            { sources: ['read'], loads: ['write'], leaves: ['write'] },
        );
        expect(totals).toEqual({
            recordsRead: 100,
            recordsProcessed: 104,
            recordsLoaded: 77,
            recordsUnchanged: 10,
            recordsFiltered: 10,
            recordsRejected: 7,
        });
    });

    it('has nothing but zeros before anything was read', () => {
        const totals = totalsOf({}, { sources: ['read'], loads: ['write'], leaves: ['write'] });
        expect(Object.values(totals)).toEqual([0, 0, 0, 0, 0, 0]);
    });
});

describe('outcomeOf', () => {
    const totals = totalsOf({}, { sources: [], loads: [], leaves: [] });

    it.each([
        ['EMPTY', { recordsRead: 0 }],
        ['SUCCESS', { recordsRead: 5 }],
        ['PARTIAL', { recordsRead: 5, recordsRejected: 1 }],
        ['PARTIAL', { recordsRead: 1, recordsRejected: 1 }],
    ])('is %s for %j', (outcome, some) => {
        expect(outcomeOf({ ...totals, ...some })).toBe(outcome);
    });
});

describe('ErrorBudget', () => {
    it('names the limit, and how much of what was rejected', () => {
        const budget = new ErrorBudget({ maxErrors: 2 }, { recordsRead: 50, recordsRejected: 2 });
        budget.spend({ read: 5 });
        expect(() => budget.spend({ rejected: 1 })).toThrow(said('too-many-records-were-rejected', { records: 55 }));
    });

    it('bears everything when it has no limits', () => {
        const budget = new ErrorBudget({}, { recordsRead: 0, recordsRejected: 0 });
        expect(() => budget.spend({ read: 1_000, rejected: 1_000 })).not.toThrow();
    });

    it('allows a rate of nought none at all, from the hundredth record on', () => {
        const budget = new ErrorBudget({ maxErrorRate: 0 }, { recordsRead: 0, recordsRejected: 0 });
        budget.spend({ read: 99, rejected: 1 });
        expect(() => budget.spend({ read: 1 })).toThrow('1 of 100');
    });
});

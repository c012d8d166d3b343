import { NO_COUNTS, type StepCounters } from './counters';
import { outcomeOf, totalsOf } from './outcome';

const counts = (some: Partial<StepCounters>): StepCounters => ({ ...NO_COUNTS, ...some });

describe('totalsOf', () => {
    it('counts a record at its end: at the end of the pipeline, at a filter, or rejected', () => {
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

import { sumOf } from './sums';

const run = {
    recordsRead: 12_400,
    recordsProcessed: 12_400,
    recordsLoaded: 11_900,
    recordsUnchanged: 380,
    recordsFiltered: 0,
    recordsRejected: 120,
    held: [],
    steps: [],
};

describe('the sum of a run', () => {
    it('comes out', () => {
        expect(sumOf(run)).toMatchObject({ read: 12_400, loaded: 11_900, unchanged: 380, rejected: 120, other: 0 });
    });

    it('counts what sinks have delivered and removed as exported', () => {
        const counters = { created: 0, updated: 1_300, deleted: 10 };
        const steps = [
            { kind: 'EXTRACT', counters: { ...counters, updated: 7 } },
            { kind: 'SINK', counters },
        ];
        const exported = {
            ...run,
            recordsRead: 1_310,
            recordsLoaded: 0,
            recordsUnchanged: 0,
            recordsRejected: 0,
            steps,
        };
        expect(sumOf(exported)).toMatchObject({ exported: 1_310, loaded: 0, other: 0, comesOut: true });
    });

    it('says how many are held, and how many are still on their way', () => {
        expect(sumOf({ ...run, recordsLoaded: 11_000, held: [{ records: 500 }, { records: 100 }] })).toMatchObject({
            held: 600,
            other: 300,
        });
    });

    it('is omitted if records count more than once', () => {
        expect(sumOf(run).comesOut).toBe(true);
        expect(sumOf({ ...run, recordsLoaded: 23_800 })).toMatchObject({ other: 0, comesOut: false });
    });
});

import { MemoryState } from '../../../test/kit/memory-ports';
import { compiled, ids, pages, runPipeline, sketched } from '../../../test/kit/pipeline';
import { ToyTarget } from '../../../test/kit/toy-sink';
import { type Counters, NO_COUNTS, type StepCounters } from '../progress/counters';
import { START } from '../steps/extract';
import { RecordBalance } from './record-balance';

const definition = sketched({
    steps: {
        start: ['TRIGGER', {}],
        read: ['EXTRACT', pages(ids(4))],
        sort: ['ROUTE', { branches: [{ name: 'odd', when: [{ field: 'id', value: 1 }] }] }],
        odd: ['LOAD', { adapterCode: 'toyUpsert', table: 'odd' }],
        even: ['LOAD', { adapterCode: 'toyUpsert', table: 'even' }],
        last: ['LOAD', { adapterCode: 'toyUpsert', table: 'last' }],
    },
    edges: ['start > read > sort', 'sort [odd] > odd > last', 'sort [default] > even > last'],
});

const counts = (some: Partial<StepCounters>): StepCounters => ({ ...NO_COUNTS, ...some });
const SOUND: Counters = {
    read: counts({ in: 5, out: 4, rejected: 1 }),
    sort: counts({ in: 4, out: 4 }),
    odd: counts({ in: 1, out: 1, created: 1 }),
    even: counts({ in: 3, out: 2, created: 2, rejected: 1 }),
    last: counts({ in: 3, out: 3, created: 3 }),
};

function balanceOf(read = 5): RecordBalance {
    const balance = new RecordBalance(compiled(definition, {}));
    balance.began('read', START, {});
    balance.committed('read', { ...START, seq: read });
    return balance;
}

describe('the check that every record has one end', () => {
    it('finds nothing wrong if all records have one', () => {
        expect(balanceOf().imbalance(SOUND)).toBeUndefined();
    });

    it.each([
        ['a source that read more than it counted', 6, {}, { stepKey: 'read', came: 6, ended: 5 }],
        ['a step that kept a record', 5, { even: { out: 1, created: 1 } }, { stepKey: 'even', came: 3, ended: 2 }],
        ['a step that still holds one', 5, { even: { out: 1, held: 1 } }, { stepKey: 'even', came: 3, ended: 2 }],
        ['a record that never came to a step', 5, { last: { in: 2, out: 2 } }, { stepKey: 'last', came: 3, ended: 2 }],
        ['a record that came to a step twice', 5, { last: { in: 4, out: 4 } }, { stepKey: 'last', came: 3, ended: 4 }],
        [
            'a record that no branch got',
            5,
            { odd: { in: 0, out: 0 }, last: { in: 2, out: 2 } },
            { stepKey: 'sort', came: 4, ended: 3 },
        ],
    ] as const)('finds %s', (_, read, wrong: Readonly<Record<string, Partial<StepCounters>>>, found) => {
        const entries = Object.entries(SOUND).map(([key, some]) => [key, { ...some, ...wrong[key] }]);
        expect(balanceOf(read).imbalance(Object.fromEntries(entries) as Counters)).toEqual(found);
    });

    it('counts the records of a resumed source from its position', () => {
        const balance = new RecordBalance(compiled(definition, {}));
        balance.began('read', { ...START, seq: 3 }, { read: counts({ in: 3, out: 3 }) });
        balance.committed('read', { ...START, seq: 5 });
        expect(balance.imbalance(SOUND)).toBeUndefined();
    });

    it('fails a run that lost a record, and names the step', async () => {
        const state = new MemoryState();
        // As a defective worker would have stored it: the sink received one record less than the source read.
        state.counters = {
            read: counts({ in: 2, out: 2 }),
            deliver: counts({ in: 1, out: 1, updated: 1 }),
        };
        state.positions['read'] = { ...START, skip: 2, batchNo: 1, seq: 2 };
        const { end } = await runPipeline(
            sketched({
                steps: {
                    start: ['TRIGGER', {}],
                    read: ['EXTRACT', pages(ids(4))],
                    deliver: ['SINK', { adapterCode: 'toySink' }],
                },
                edges: ['start > read > deliver'],
            }),
            { adapters: [new ToyTarget().sink], state },
        );
        expect(end).toMatchObject({ end: 'stopped', stepKey: 'deliver', error: { code: 'RECORDS_LOST' } });
    });
});

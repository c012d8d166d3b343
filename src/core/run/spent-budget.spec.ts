import { MemoryState } from '../../../test/kit/memory-ports';
import { ids, runPipeline, sketched } from '../../../test/kit/pipeline';
import { toyLoader, toyPages } from '../../../test/kit/toy-adapters';
import type { Extractor } from '../adapter/extractor';
import type { Loader } from '../adapter/loader';

const kept: Extractor = { ...toyPages(), saved: async () => ({ key: 'a', startOver: false }) };

const PAGES = [{ records: [{ id: 0, bad: true }, ...ids(11, 1)] }];
const definition = (errorHandling: { readonly maxErrors: number }, pages: readonly object[] = PAGES) =>
    sketched({
        steps: {
            start: ['TRIGGER', { type: 'MANUAL' }],
            read: ['EXTRACT', { adapterCode: 'toyPages', pages: pages as never }],
            write: ['LOAD', { adapterCode: 'toyLoad' }],
        },
        edges: ['start > read > write'],
        throughput: { batchSize: 3 },
        errorHandling,
    });

describe('a run that has spent its error budget', () => {
    const loader: Loader = toyLoader();
    const adapters = [kept, { ...loader, code: 'toyLoad' } as Loader];

    it('is resumed by the next one, which loads the rest and spends nothing for what was rejected before', async () => {
        const state = new MemoryState();
        const first = await runPipeline(definition({ maxErrors: 0 }), { adapters, state });
        expect(first.end).toMatchObject({ end: 'stopped', error: { code: 'ERROR_BUDGET_EXCEEDED' } });
        const next = state.next('second');
        const second = await runPipeline(definition({ maxErrors: 0 }), { adapters, state: next });
        expect(second.end).toMatchObject({ end: 'completed', counters: { write: { in: 12, rejected: 1 } } });
        expect([...next.shop.keys()]).toHaveLength(11);
    });

    it('counts records that are rejected for the first time', async () => {
        const state = new MemoryState();
        const pages = [{ records: [...ids(4), { id: 4, bad: true }, ...ids(4, 5), { id: 9, bad: true }] }];
        const twice = definition({ maxErrors: 0 }, pages);
        await runPipeline(twice, { adapters, state });
        const second = await runPipeline(twice, { adapters, state: state.next('second') });
        expect(second.end).toMatchObject({ end: 'stopped', error: { code: 'ERROR_BUDGET_EXCEEDED' } });
    });
});

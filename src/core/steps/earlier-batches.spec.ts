import { z } from 'zod';
import { MemoryState, type ShopRequest } from '../../../test/kit/memory-ports';
import { ids, LOAD, pages, runPipeline, sketched } from '../../../test/kit/pipeline';
import { toyLoader } from '../../../test/kit/toy-adapters';
import { type BatchMemory, type Change, defineLoader } from '../adapter/loader';
import { flowError } from '../errors/flow-error';
import { recordInvalid } from '../errors/record-invalid';

/** Loads one record of each size and rejects all further ones; of all sizes it knows the last two. */
const oneOfASize = () => {
    const toy = toyLoader();
    return defineLoader({
        ...toy,
        config: z.strictObject({ table: z.string().default('t') }),
        open: async (config, cx) => {
            const session = await toy.open(config, cx);
            const known = new Map<string, number>();
            const keep = (key: string, id: number): void => {
                known.set(key, id);
                if (known.size > 2) known.delete([...known.keys()][0]!);
            };
            let count = 0;
            const memory: BatchMemory = {
                get isWhole() {
                    return count <= 2;
                },
                keysOf: batch => batch.map(({ data }) => String(data['size'])),
                recalled: found => found.forEach((id, key) => keep(key, id as number)),
                loaded: batch =>
                    batch.map(record => {
                        const { id, size } = record.data as { readonly id: number; readonly size: string };
                        count++;
                        keep(size, id);
                        return { record, key: size, value: id };
                    }),
            };
            return {
                locks: batch => session.locks(batch),
                *plan(batch) {
                    const { changes, apply } = yield* session.plan(batch, undefined);
                    const judged = changes.map((change, i): Change => {
                        const { id, size } = batch[i]!.data;
                        const other = known.get(String(size));
                        if (other === undefined || other === id) return change;
                        return {
                            action: 'reject',
                            key: String(id),
                            error: recordInvalid('size', `is that of ${other}`),
                        };
                    });
                    return {
                        changes: judged,
                        *apply() {
                            if (judged.every(({ action }) => action !== 'reject')) return yield* apply();
                            yield { read: [] } satisfies ShopRequest;
                            return [];
                        },
                    };
                },
                memory,
            };
        },
    });
};

const SIZES = ['S', 'M', 'L', 'XL', 'S', 'M', 'XXL', 'XL', ' L', 'L'];
const definition = sketched({
    steps: {
        start: ['TRIGGER', {}],
        read: ['EXTRACT', pages(...ids(SIZES.length).map((record, i) => [{ ...record, size: SIZES[i]! }]))],
        write: ['LOAD', LOAD],
    },
    edges: ['start > read > write'],
    throughput: { batchSize: 1 },
});

const told = (state: MemoryState) => ({
    shop: [...state.shop.values()].map(({ id, size }) => [id, size]),
    rejects: [...state.rejects.values()].map(({ seq, message }) => [seq, message]),
    counters: state.counters['write'],
});

describe('the memory of earlier batches', () => {
    it('is known wherever a worker dies, and if a session has forgotten it', async () => {
        const points: string[] = [];
        const whole = await runPipeline(definition, {
            adapters: [oneOfASize()],
            at: async point => void points.push(point),
        });
        expect(told(whole.state).shop).toEqual([
            [0, 'S'],
            [1, 'M'],
            [2, 'L'],
            [3, 'XL'],
            [6, 'XXL'],
            [8, ' L'],
        ]);
        expect(points.length).toBeGreaterThan(2 * SIZES.length);
        for (let death = 0; death < points.length; death++) {
            const state = new MemoryState();
            let left = death;
            const at = async (): Promise<void> => {
                if (left-- === 0) throw flowError('LEASE_LOST', {});
            };
            await runPipeline(definition, { adapters: [oneOfASize()], state, at });
            const after = await runPipeline(definition, { adapters: [oneOfASize()], state });
            expect([points[death], told(after.state)]).toEqual([points[death], told(whole.state)]);
        }
    });

    it('is not requested if nothing is stored', async () => {
        const points: string[] = [];
        const one = sketched({
            ...definition,
            steps: { start: ['TRIGGER', {}], read: ['EXTRACT', pages(ids(3))], write: ['LOAD', LOAD] },
            edges: ['start > read > write'],
            throughput: { batchSize: 3 },
        });
        await runPipeline(one, { adapters: [oneOfASize()], at: async point => void points.push(point) });
        expect(points.filter(point => point.startsWith('memory'))).toEqual([]);
    });
});

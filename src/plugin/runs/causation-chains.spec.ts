import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import { FlowPipelineRun, type RunCause } from '../entities/run';
import { extendCauseChain, causeChainOf, CausationChains } from './causation-chains';

const cause = (pipelineCode: string, runId = 1): RunCause => ({ pipelineCode, runId });

/** A shop with two runs: run 10 of pipeline "b", which run 1 of "a" has caused, and run 11 of "c". */
function shopOf() {
    const reads = { count: 0, fails: false };
    const rows = [
        { id: 10, pipelineId: 5, causes: [cause('a')], code: '' },
        { id: 11, pipelineId: 6, causes: null, code: '' },
    ];
    const shop = {
        getRepository: (entity: unknown) => ({
            find: ({ where: { id } }: { where: { id: { value: number[] } } }) => {
                if (reads.fails) return Promise.reject(new Error('away'));
                reads.count++;
                const found =
                    entity === FlowPipelineRun ? rows : [5, 6].map(own => ({ id: own, code: own === 5 ? 'b' : 'c' }));
                return Promise.resolve(found.filter(row => id.value.includes(row.id)));
            },
        }),
    } as unknown as EntityManager;
    return { shop, reads };
}

describe('what runs cause', () => {
    it('has a chain with each pipeline once, by its latest run', () => {
        expect(extendCauseChain([], cause('a'))).toEqual([cause('a')]);
        expect(extendCauseChain([cause('a'), cause('b', 2)], cause('c', 3))).toEqual([
            cause('a'),
            cause('b', 2),
            cause('c', 3),
        ]);
        expect(extendCauseChain([cause('a'), cause('b', 2)], cause('a', 3))).toEqual([cause('b', 2), cause('a', 3)]);
    });

    it('is available to everything that they call, and read once on demand', async () => {
        const causes = new CausationChains();
        const { shop, reads } = shopOf();
        const requested = await causes.during(10, async () => {
            await sleep(1);
            expect(reads.count).toBe(0);
            return Promise.all([causes.current(shop), causes.current(shop)]);
        });
        expect(requested).toEqual([
            [cause('a'), cause('b', 10)],
            [cause('a'), cause('b', 10)],
        ]);
        expect(reads.count).toBe(2);
        expect(await causes.current(shop)).toEqual([]);
    });

    it('is read again if it could not be read', async () => {
        const causes = new CausationChains();
        const { shop, reads } = shopOf();
        await causes.during(10, async () => {
            reads.fails = true;
            await expect(causes.current(shop)).rejects.toThrow('away');
            reads.fails = false;
            expect(await causes.current(shop)).toHaveLength(2);
        });
    });

    it('has all that has led to it, where several runs have caused it together', async () => {
        const causes = new CausationChains();
        const { shop } = shopOf();
        const others = await causeChainOf(shop, [10, 11]);
        expect(others).toEqual([cause('a'), cause('b', 10), cause('c', 11)]);
        const seen = await causes.during(11, () =>
            causes.besides([cause('a'), cause('c', 3)], () => causes.current(shop)),
        );
        expect(seen).toEqual([cause('a'), cause('c', 11)]);
        expect(await causes.during(11, () => causes.besides([], () => causes.current(shop)))).toEqual([cause('c', 11)]);
    });

    it('is hidden from subscribers of repeated events', async () => {
        const causes = new CausationChains();
        const { shop } = shopOf();
        await causes.during(10, async () => {
            expect(await causes.unheard(() => causes.current(shop))).toBeUndefined();
            expect(await causes.current(shop)).toHaveLength(2);
        });
    });
});

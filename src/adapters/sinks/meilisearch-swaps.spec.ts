import type { MeilisearchServer } from '../../../test/kit/engines/meilisearch';
import { ENGINE_STANDS, runInto } from '../../../test/kit/engines/stands';
import type { JsonObject } from '../../core/value/json';

describe('an index of Meilisearch that is swapped while others are, 250 times', () => {
    const died = (others: number) => {
        const stand = ENGINE_STANDS['meilisearch']!();
        const engine = stand.engine as MeilisearchServer;
        engine.make('products').documents.set('old', { sku: 'old' });
        const serve = engine.answer.bind(engine);
        let swaps = 0;
        engine.answer = request => {
            const answer = serve(request);
            if (request.path !== '/swap-indexes' || ++swaps > 1) return answer;
            // The swap is done, and its response is lost.
            engine.swapOthers(others);
            return 'breaks off';
        };
        return { stand, engine, swaps: () => swaps };
    };

    it('is swapped once, even if another worker repeats it', async () => {
        const { stand, engine, swaps } = died(250);
        const { end } = await runInto(stand, {
            code: 'meilisearch',
            config: { rebuild: true },
            records: [{ sku: 'A' }, { sku: 'B' }],
        });
        expect(end).toMatchObject({ end: 'completed', outcome: 'SUCCESS' });
        expect([...stand.stored().keys()]).toEqual(['A', 'B']);
        expect(swaps()).toBe(1);
        expect(
            engine.seen.filter(({ path, query }) => path === '/tasks' && query.get('types') === 'indexSwap'),
        ).toHaveLength(4);
    });

    it('keeps its documents if the pages of the server lead back, which is reported', async () => {
        const { stand, engine } = died(250);
        const answer = engine.answer;
        engine.answer = request => {
            const given = answer(request);
            const isLooking =
                request.path === '/tasks' &&
                request.query.get('from') !== null &&
                request.query.get('types') === 'indexSwap';
            return isLooking && typeof given === 'object'
                ? { ...given, body: { ...(given.body as JsonObject), next: 100_000 } }
                : given;
        };
        const { end } = await runInto(stand, {
            code: 'meilisearch',
            config: { rebuild: true },
            records: [{ sku: 'A' }],
        });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'REMOTE_MALFORMED' } });
    });
});

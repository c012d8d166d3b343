import type { VendurePlatform } from '../../platform/context';
import type { OwnedLease } from '../leases/exclusive-job';
import type { StaleMark } from '../stores/effects';
import { CollectionUpdates } from './collection-updates';
import type { RunStores } from './run-stores';

/** A shop whose collections are not updated automatically, because its filters are disabled; `isFree`: whether the lease is available. */
function shopWith({ isFree = true }: { readonly isFree?: boolean } = {}) {
    const shop = { isFree, marks: [] as StaleMark[], rests: [] as number[], asked: 0 };
    const lease: OwnedLease = {
        end: () => Promise.resolve(false),
        rest: restMs => Promise.resolve(void shop.rests.push(restMs)),
    };
    const effects = {
        marks: () => Promise.resolve((shop.asked++, shop.marks)),
        remove: () => Promise.resolve(void (shop.marks = [])),
    };
    const exclusive = { hold: () => Promise.resolve(shop.isFree ? lease : undefined) };
    const platform = {
        injector: { get: () => ({ applyAllFiltersOnProductUpdates: false }) },
        dataSource: { manager: { getRepository: () => ({ find: () => Promise.resolve([]) }) } },
    } as unknown as VendurePlatform;
    const updates = new CollectionUpdates({ effects, exclusive } as unknown as RunStores);
    const marked = (...runIds: number[]): void => void shop.marks.push(...runIds.map(runId => ({ id: runId, runId })));
    const bring = (runId: number, later: () => void = () => undefined): Promise<boolean> =>
        updates.bring(runId, platform, later);
    return { shop, updates, marked, bring };
}

describe('bringing collections up to date', () => {
    beforeEach(() => jest.useFakeTimers());
    afterEach(() => jest.useRealTimers());

    it('is done for all marks, and rests for longer where several runs have waited for it', async () => {
        const { shop, marked, bring } = shopWith();
        marked(1);
        expect(await bring(1)).toBe(true);
        marked(2, 3, 4);
        expect(await bring(4)).toBe(true);
        expect(await bring(4)).toBe(false);
        const [alone, together] = shop.rests;
        expect(shop.rests).toHaveLength(2);
        expect(together).toBeGreaterThan(alone!);
    });

    it('is planned once where it rests, which costs the runs that come meanwhile nothing', async () => {
        const { shop, marked, bring } = shopWith({ isFree: false });
        const called: number[] = [];
        marked(1);
        expect(await bring(1, () => void called.push(1))).toBe(false);
        const { asked: requested } = shop;
        for (const runId of [2, 3, 4]) {
            marked(runId);
            expect(await bring(runId, () => void called.push(runId))).toBe(false);
        }
        expect(shop.asked).toBe(requested);
        shop.isFree = true;
        jest.runOnlyPendingTimers();
        expect(called).toEqual([1]);
        expect(await bring(1)).toBe(true);
        expect(shop.marks).toEqual([]);
    });

    it('is planned no more in a process that ends', async () => {
        const { updates, marked, bring } = shopWith({ isFree: false });
        marked(1);
        updates.onModuleDestroy();
        await bring(1);
        expect(jest.getTimerCount()).toBe(0);
    });
});

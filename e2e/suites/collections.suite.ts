import { Collection, CollectionEvent, EventBus } from '@vendure/core';
import type { Change } from '../../src/core/adapter/loader';
import type { JsonObject } from '../../src/core/value/json';
import type { VendurePlatform } from '../../src/platform/context';
import { collectionUpsert } from '../../src/platform/loaders/collection-upsert';
import type { FlowServer } from '../config/flow-server';
import { type LoadOptions, openLoad, platformOf } from '../config/load-harness';
import { publishEffects } from '../config/publish-effects';
import type { SharedSuite } from '../config/shared-shop';
import { productsWith } from '../config/small-catalogue';

const fieldsOf = (changes: readonly Change[]): readonly unknown[] =>
    changes.map(change => (change.action === 'reject' ? change.error.details?.['field'] : change.action));

/** Collections as they are loaded in bulk: their tree, their variants, and their events. */
function collections(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    let platform: VendurePlatform;
    beforeAll(async () => {
        shop = await open();
        platform = await platformOf(shop.app, shop.channelToken);
    });

    const load = async (records: readonly JsonObject[], config: JsonObject = {}, options: Partial<LoadOptions> = {}) =>
        (await openLoad(collectionUpsert, config, { platform, ...options }))(records);

    const stored = async (slug: string): Promise<Collection> =>
        shop.dataSource
            .getRepository(Collection)
            .findOneOrFail({ where: { translations: { slug } }, relations: { parent: true, productVariants: true } });

    /** The slugs of the ancestors of a collection, read from the closure table; the root is "". */
    const above = async (slug: string): Promise<readonly string[]> => {
        const tree = shop.dataSource.getTreeRepository(Collection);
        const found = await tree.findAncestors(await stored(slug), { relations: ['translations'] });
        const slugs = found.filter(({ isRoot }) => !isRoot).map(({ translations }) => translations[0]!.slug);
        return [...(found.some(({ isRoot }) => isRoot) ? [''] : []), ...slugs.filter(one => one !== slug).sort()];
    };

    it('cost the same few statements at batch 10 and 500', async () => {
        const branch = (mark: string, many: number, more: JsonObject = {}) =>
            Array.from({ length: many }, (_, i) => ({
                slug: `${mark}-${i}`,
                name: `${mark} ${i}`,
                ...(i > 0 && { parent: `${mark}-${Math.floor((i - 1) / 4)}` }),
                ...more,
            })).reverse();
        const count = async (mark: string, many: number) => {
            const made = await load(branch(mark, many));
            const same = await load(branch(mark, many));
            const moved = await load(branch(mark, many, { isPrivate: true, parent: null }));
            const gone = await load(branch(mark, many, { __operation: 'DELETE' }));
            const words = [made, same, moved, gone].map(({ verdicts: outcomes }) => [...new Set(outcomes)]);
            expect(words).toEqual([['C'], ['='], ['U'], ['D']]);
            return [made, same, moved, gone].map(({ statements }) => statements);
        };
        const few = await count('few', 10);
        expect(await count('many', 500)).toEqual(few);
        expect(Math.max(...few)).toBeLessThanOrEqual(30);
    });

    it('keep their tree when a branch is moved, and are never below themselves', async () => {
        await load([
            { slug: 'c-leaf', name: 'Leaf', parent: 'c-twig' },
            { slug: 'c-twig', name: 'Twig', parent: 'c-branch' },
            { slug: 'c-branch', name: 'Branch' },
            { slug: 'c-other', name: 'Other' },
        ]);
        expect(await above('c-leaf')).toEqual(['', 'c-branch', 'c-twig']);
        const { changes } = await load([
            { slug: 'c-twig', parent: 'c-other' },
            { slug: 'c-other', parent: 'c-leaf' },
            { slug: 'c-branch', parent: 'c-branch' },
        ]);
        expect(fieldsOf(changes)).toEqual(['parent', 'update', 'parent']);
        expect(await above('c-other')).toEqual(['', 'c-branch', 'c-leaf', 'c-twig']);
    });

    it('do not wait for a parent of a later batch, but create it if the step is configured so', async () => {
        const child = { slug: 'l-child', name: 'Child', parent: 'l-parent' };
        expect(fieldsOf((await load([child])).changes)).toEqual(['parent']);
        const { changes } = await load([child], { createMissingParents: true });
        expect(changes).toEqual([expect.objectContaining({ action: 'create', note: expect.anything() as unknown })]);
        expect((await load([{ slug: 'l-parent', name: 'Parent' }])).verdicts).toEqual(['U']);
        expect(await above('l-child')).toEqual(['', 'l-parent']);
    });

    it('are deleted together with everything below them, in any order, and not without it', async () => {
        await load([
            { slug: 'd-top', name: 'Top' },
            { slug: 'd-low', name: 'Low', parent: 'd-top' },
        ]);
        const gone = (slug: string): JsonObject => ({ slug, __operation: 'DELETE' });
        expect(fieldsOf((await load([gone('d-top')])).changes)).toEqual(['__operation']);
        expect((await load([gone('d-top'), gone('d-low')])).verdicts).toEqual(['D', 'D']);
    });

    it('are planned by a dry run from batch to batch, which writes nothing', async () => {
        const rows = () => shop.dataSource.getRepository(Collection).count();
        const before = await rows();
        const dry = { mode: 'dryRun', platform: await platformOf(shop.app, shop.channelToken) } as const;
        const first = await load([{ slug: 'dry-top', name: 'Top' }], {}, dry);
        const second = await load([{ slug: 'dry-low', name: 'Low', parent: 'dry-top' }], {}, dry);
        expect([...first.verdicts, ...second.verdicts]).toEqual(['C', 'C']);
        expect(await rows()).toBe(before);
    });

    it('contain, at the end, the variants that match their filters and those of their ancestors', async () => {
        const [one, two] = await productsWith(shop.app, ['COLL-ONE', 'COLL-TWO']);
        const inDefault = { platform: await platformOf(shop.app) };
        const skus = (...variantIds: readonly string[]) => [{ code: 'variant-id-filter', args: { variantIds } }];
        const run = async (records: readonly JsonObject[]) => {
            const { effects, verdicts: outcomes } = await load(records, {}, inDefault);
            await publishEffects(effects, inDefault.platform);
            return outcomes;
        };
        const held = async (slug: string) => (await stored(slug)).productVariants.map(({ id }) => id).sort();
        expect(
            await run([
                { slug: 'v-low', name: 'Low', parent: 'v-top' },
                { slug: 'v-top', name: 'Top', filters: skus('COLL-ONE') },
            ]),
        ).toEqual(['C', 'C']);
        expect([await held('v-top'), await held('v-low')]).toEqual([[one!.id], [one!.id]]);
        expect(await run([{ slug: 'v-top', filters: skus('COLL-ONE', 'COLL-TWO') }])).toEqual(['U']);
        expect(await held('v-low')).toEqual([one!.id, two!.id].sort());
        const unknown = await load([{ slug: 'v-top', filters: skus('COLL-NONE') }], {}, inDefault);
        expect(fieldsOf(unknown.changes)).toEqual(['filters.0.args.variantIds.0']);
        expect(await run([{ slug: 'v-low', parent: null }])).toEqual(['U']);
        expect(await held('v-low')).toEqual([]);
    });

    it("are published by Vendure's own events if the step is configured with EACH", async () => {
        const told: string[] = [];
        const heard = shop.app
            .get(EventBus)
            .ofType(CollectionEvent)
            .subscribe(({ type }) => told.push(type));
        const records: readonly JsonObject[] = [
            { slug: 'e-told', name: 'Told' },
            { slug: 'e-told', isPrivate: true },
            { slug: 'e-told', __operation: 'DELETE' },
        ];
        for (const record of records)
            await publishEffects((await load([record], { sideEffects: 'EACH' })).effects, platform);
        heard.unsubscribe();
        expect(told).toEqual(['created', 'updated', 'deleted']);
    });
}

export const collectionsSuite: SharedSuite = { title: 'collections', tests: collections };

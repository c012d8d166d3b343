import { Channel, Collection, FacetValue, LanguageCode, Product } from '@vendure/core';
import type { EntityTarget, ObjectLiteral } from 'typeorm';
import { z } from 'zod';
import { type BuiltinCatalogue, createPipelineBuilder, defineExtractor, noSecretIsSent } from '../../src';
import type { Change } from '../../src/core/adapter/loader';
import { unpadded } from '../../src/core/data/unpadded';
import type { JsonObject } from '../../src/core/value/json';
import { loaders } from '../../src/platform';
import type { VendurePlatform } from '../../src/platform/context';
import type { FlowServer } from '../config/flow-server';
import { openLoad, platformOf } from '../config/load-harness';
import type { SharedSuite } from '../config/shared-shop';

/** The kinds of entities that are found by their names, with what their records need in addition to the name. */
const NAMED: ReadonlyArray<readonly [code: string, more: JsonObject]> = [
    ['productUpsert', {}],
    ['collectionUpsert', {}],
    ['facetUpsert', {}],
    ['facetValueUpsert', { facet: 'spellings' }],
    ['stockLocationUpsert', {}],
    ['customerGroupUpsert', {}],
];

/** Spellings of one name: letters of both cases, blanks and invisible characters around it. */
const SAME: ReadonlyArray<readonly string[]> = [
    ['Σίσυφος', 'ΣΊΣΥΦΟΣ', 'σίσυφοσ'],
    ['Straße', 'STRAẞE'],
    ['İstanbul', 'i̇STANBUL'],
    ['Ärmel', '\u00a0ärmel\t', '\u200bÄRMEL\ufeff', '\u00ad Ärmel\u3000'],
];

/** Names that are different. */
const OTHERS: ReadonlyArray<readonly string[]> = [
    ['Straße', 'Strasse'],
    ['Isparta', 'Ispartä', 'ısparta', 'İsparta'],
    ['😀', '😎', '🧦', '😀😀'],
    ['Tea 😀', 'Tea 😎', 'Tea'],
    ['A\u00a0B', 'A B', 'AB'],
    ['Σ', 'Ϲ', 'С'],
];

/** Reads one record each time it is opened, and then waits until its slice is over: each record is loaded by another session. */
const onceASlice = defineExtractor({
    code: 'onceASlice',
    title: 'Once a slice',
    summary: 'One record in each slice of its run.',
    config: z.strictObject({
        records: z.array(z.record(z.string(), z.unknown())).meta({ title: 'Records', description: 'What it reads.' }),
    }),
    secretUses: noSecretIsSent,
    async *extract({ records }, cx) {
        const at = Number(cx.resumeFrom ?? 0);
        // The slice may have ended before the end of the source was known.
        if (at === records.length) return;
        yield { records: [records[at] as JsonObject], checkpoint: at + 1 };
        if (at + 1 === records.length) return;
        await new Promise(resolve => cx.signal.addEventListener('abort', resolve, { once: true }));
        cx.signal.throwIfAborted();
    },
});
interface SlicedCatalogue extends Omit<BuiltinCatalogue, 'extractors'> {
    readonly extractors: readonly [...BuiltinCatalogue['extractors'], typeof onceASlice];
}
const inSlices = (code: string, records: readonly JsonObject[]) =>
    createPipelineBuilder<SlicedCatalogue>()(code)
        .throughput({ batchSize: 1 })
        .trigger('start', { type: 'MANUAL' })
        .extract('in', { adapterCode: 'onceASlice', records: [...records] });

/** Products with these slugs. */
const sliced = (sku: string, slug: string): JsonObject => ({ sku: `sliced-${sku}`, name: sku, price: 100, slug });
const flour = (code: string): readonly JsonObject[] => [
    { slug: `${code.toLowerCase()}-1,5-kg`, name: `${code} Flour 1,5 kg` },
    { slug: `${code.toLowerCase()}-15-kg`, name: `${code} Flour 15 kg` },
];
const SWAPPED = [sliced('A', 'sliced-b'), sliced('B', 'sliced-c'), sliced('C', 'sliced-a')];
const ofSlices = [
    inSlices('spelt-productupsert', flour('productUpsert')).load('out', { adapterCode: 'productUpsert' }).build(),
    inSlices('spelt-collectionupsert', flour('collectionUpsert'))
        .load('out', { adapterCode: 'collectionUpsert' })
        .build(),
    inSlices('swapped-in-slices', SWAPPED).load('out', { adapterCode: 'productUpsert', matchBy: 'sku' }).build(),
];

const does = (changes: readonly Change[]): readonly unknown[] =>
    changes.map(change => (change.action === 'reject' ? change.error.details?.['field'] : change.action));
const message = (change: Change | undefined): string => (change?.action === 'reject' ? change.error.message : '');

/** Names and keys with other letters and blanks, and of the maximum length. */
function spellings(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    let channel: Channel;
    let platform: VendurePlatform;
    beforeAll(async () => {
        shop = await open();
        const token = shop.channelToken;
        await repository(Channel).update({ token }, { availableLanguageCodes: [LanguageCode.en, LanguageCode.de] });
        channel = await repository(Channel).findOneOrFail({ where: { token }, relations: { defaultTaxZone: true } });
        platform = await platformOf(shop.app, channel);
        await load('facetUpsert', [{ code: 'spellings', name: 'Spellings' }]);
    });

    /** One run: the batches, one after the other. */
    const run = async (
        code: string,
        batches: ReadonlyArray<readonly JsonObject[]>,
        config: JsonObject = {},
        mode: 'live' | 'dryRun' = 'live',
    ): Promise<readonly Change[]> => {
        const loader = loaders.find(one => one.code === code)!;
        const step = await openLoad(loader, config, {
            platform: mode === 'live' ? platform : await platformOf(shop.app, channel),
            mode,
        });
        const changes: Change[] = [];
        for (const batch of batches) changes.push(...(await step(batch)).changes);
        return changes;
    };
    const load = (code: string, records: readonly JsonObject[], config: JsonObject = {}) =>
        run(code, [records], config);
    const repository = <T extends ObjectLiteral>(type: EntityTarget<T>) => shop.dataSource.getRepository(type);
    let marks = 0;
    const mark = (): string => `s${(marks++).toString(36)}x`;

    describe.each(NAMED)('of %s', (code, more) => {
        const named = (list: readonly string[]): readonly JsonObject[] => list.map(name => ({ ...more, name }));

        it.each(SAME.map(list => [list.map(one => JSON.stringify(one)).join(' = '), list] as const))(
            'are equal: %s',
            async (_, list) => {
                for (const first of list) {
                    const own = mark();
                    // Both ends belong to the name.
                    const marked = (name: string): string => {
                        const inner = unpadded(name);
                        return name.replace(inner, `${inner} ${own} ${inner}`);
                    };
                    expect(does(await load(code, named([marked(first)])))).toEqual(['create']);
                    for (const other of list)
                        expect([other, does(await load(code, named([marked(other)])))]).not.toEqual([
                            other,
                            ['create'],
                        ]);
                }
            },
        );

        it.each(OTHERS.map(list => [list.map(one => JSON.stringify(one)).join(' | '), list] as const))(
            'are different: %s',
            async (_, list) => {
                for (const size of [1, list.length]) {
                    const prefix = mark();
                    const records = named(list.map(name => `${prefix} ${name} ${prefix}`));
                    const batches = Array.from({ length: Math.ceil(records.length / size) }, (_, i) =>
                        records.slice(i * size, (i + 1) * size),
                    );
                    const made = await run(code, batches);
                    expect([made.map(message), does(made)]).toEqual([list.map(() => ''), list.map(() => 'create')]);
                    expect(does(await load(code, records))).toEqual(list.map(() => 'unchanged'));
                }
            },
        );
    });

    it('of names as long as a column allows get keys that fit', async () => {
        const prefix = mark();
        const name = (end: string): string => `${prefix}${'x'.repeat(255 - prefix.length - end.length)}${end}`;
        for (const [code, more] of NAMED) {
            const records = [name('+'), name('!'), name('x'), name('#')].map(one => ({ ...more, name: one }));
            const made = await load(code, records);
            expect([code, made.map(message)]).toEqual([code, records.map(() => '')]);
            expect(does(await load(code, records))).toEqual(records.map(() => 'unchanged'));
        }
        const longest = `${mark()}${'y'.repeat(300)}`.slice(0, 255);
        const twice: readonly JsonObject[] = [{ name: `${prefix} one`, slug: longest }, { name: longest }];
        expect((await load('productUpsert', twice)).map(message)).toEqual(['', '']);
        expect(does(await load('productUpsert', twice))).toEqual(['unchanged', 'unchanged']);
    });

    it('of given keys do not count surrounding blanks and invisible characters', async () => {
        const slug = mark();
        for (const [code, field] of [
            ['productUpsert', 'slug'],
            ['collectionUpsert', 'slug'],
            ['facetUpsert', 'code'],
        ] as const) {
            expect(does(await load(code, [{ [field]: slug, name: slug }]))).toEqual(['create']);
            for (const given of [`\u00a0${slug}`, `${slug}\t`, `\u200b${slug}\ufeff`, ` \u00ad${slug} `])
                expect(does(await load(code, [{ [field]: given, name: slug }]))).toEqual(['unchanged']);
        }
        const variants = [' one', '\u200bone', 'one\u00a0'].map(option => ({ Size: option }));
        const product = { slug: `${slug}-options`, name: slug };
        const record = (options: JsonObject): JsonObject => ({
            ...product,
            variants: [{ sku: `${slug}-1`, price: 1, options }],
        });
        expect(does(await load('productUpsert', [record({ Size: 'One' })]))).toEqual(['create']);
        for (const options of variants)
            expect(does(await load('productUpsert', [record(options)]))).toEqual(['unchanged']);
        const config = { createMissingFacetValues: true };
        const tagged = (text: string): JsonObject => ({ ...product, facetValues: [text] });
        expect(does(await load('productUpsert', [tagged(`${slug}:Red`)], config))).toEqual(['update']);
        for (const text of [`${slug}:\u00a0red`, `\u200b${slug} : RED\t`])
            expect(does(await load('productUpsert', [tagged(text)], config))).toEqual(['unchanged']);
    });

    it('of a new facet value are one within a batch, and create the same value as one after the other', async () => {
        const config = { createMissingFacetValues: true };
        for (const sizes of [1, 9]) {
            const facet = mark();
            const records = ['Grün', 'gruen', 'GRÜN', 'Rock Pop', 'rock-pop'].map((value, i) => ({
                slug: `${facet}-${i}`,
                name: `${facet} ${i}`,
                facetValues: [`${facet}:${value}`],
            }));
            const batches = sizes === 1 ? records.map(record => [record]) : [records];
            const dry = await run('productUpsert', batches, config, 'dryRun');
            const live = await run('productUpsert', batches, config);
            expect(does(live)).toEqual(records.map(() => 'create'));
            expect(dry).toEqual(live);
            const values = await repository(FacetValue).find({ where: { facet: { code: facet } } });
            expect(values.map(({ code }) => code).sort()).toEqual(['gruen', 'rock-pop']);
            expect(does(await load('productUpsert', records, config))).toEqual(records.map(() => 'unchanged'));
        }
    });

    it('of facets and their values get the same codes in a dry run', async () => {
        const config = { createMissingFacetValues: true };
        const facet = mark();
        const tagged = (i: number, list: readonly string[]): JsonObject => ({
            slug: `${facet}-${i}`,
            name: `${facet} ${i}`,
            facetValues: list.map(value => `${facet}:${value}`),
        });
        const batches = [
            [tagged(0, ['3/4', '34']), tagged(1, ['A+', 'A'])],
            [tagged(2, ['A++', '3-4', '34']), tagged(3, ['a'])],
        ];
        const dry = await run('productUpsert', batches, config, 'dryRun');
        const live = await run('productUpsert', batches, config);
        expect(dry).toEqual(live);
        const records = ['3/4', '34', 'A', 'A+'].map(name => ({ facet: 'spellings', name: `${facet} ${name}` }));
        const halves = [records.slice(0, 2), records.slice(2)];
        expect(await run('facetValueUpsert', halves, {}, 'dryRun')).toEqual(await run('facetValueUpsert', halves));
    });

    it('of one slug in two batches of a run reject the second record, with both names', async () => {
        const slug = mark();
        for (const code of ['productUpsert', 'collectionUpsert']) {
            const records = [
                { slug: `${slug}-${code.toLowerCase()}-1,5-kg`, name: `${slug} Flour 1,5 kg` },
                { slug: `${slug}-${code.toLowerCase()}-15-kg`, name: `${slug} Flour 15 kg` },
            ];
            for (const mode of ['dryRun', 'live'] as const) {
                const changes = await run(code, [records.slice(0, 1), records.slice(1)], {}, mode);
                expect([code, mode, does(changes)]).toEqual([code, mode, ['create', 'slug']]);
                expect(message(changes[1])).toContain(`${slug} Flour 1,5 kg`);
                expect(message(changes[1])).toContain(`${slug}-${code.toLowerCase()}-1,5-kg`);
            }
            // Another run knows only the stored slug: it finds that entity, whatever its name.
            expect(does(await run(code, [records.slice(1)]))).toEqual(['update']);
        }
    });

    it.each(['productUpsert', 'collectionUpsert'])(
        'of one slug in two slices of a run reject the second record: %s',
        async code => {
            const run = await shop.perform(`spelt-${code.toLowerCase()}`);
            expect(run).toMatchObject({ status: 'COMPLETED', recordsRead: 2, recordsLoaded: 1, recordsRejected: 1 });
            // The first record's entity is as that record says.
            expect(does(await load(code, flour(code).slice(0, 1)))).toEqual(['unchanged']);
        },
    );

    it('of slugs that are swapped between the slices of a run are resolved in that run', async () => {
        const config = { matchBy: 'sku' };
        await load(
            'productUpsert',
            [sliced('A', 'sliced-a'), sliced('B', 'sliced-b'), sliced('C', 'sliced-c')],
            config,
        );
        expect(await shop.perform('swapped-in-slices')).toMatchObject({ status: 'COMPLETED', recordsLoaded: 3 });
        expect(does(await load('productUpsert', SWAPPED, config))).toEqual(Array(3).fill('unchanged'));
    });

    it('of slugs that are swapped between batches are resolved in one run', async () => {
        const prefix = mark();
        const product = (sku: string, slug: string): JsonObject => ({
            sku: prefix + sku,
            name: sku,
            price: 100,
            slug: prefix + slug,
            translations: { de: { name: sku, slug: prefix + slug } },
        });
        const config = { matchBy: 'sku' };
        await load('productUpsert', [product('A', 'a'), product('B', 'b'), product('C', 'c')], config);
        const swapped = [[product('A', 'b')], [product('B', 'c')], [product('C', 'a')]];
        for (const mode of ['dryRun', 'live'] as const) await run('productUpsert', swapped, config, mode);
        expect(does(await run('productUpsert', swapped, config))).toEqual(Array(3).fill('unchanged'));
        const products = await repository(Product).find({ relations: { variants: true } });
        const slugs = products
            .filter(({ variants }) => variants.some(({ sku }) => sku.startsWith(prefix)))
            .map(({ variants, translations }) => [variants[0]!.sku, ...translations.map(({ slug }) => slug)]);
        expect(slugs.sort()).toEqual([
            [`${prefix}A`, `${prefix}b`, `${prefix}b`],
            [`${prefix}B`, `${prefix}c`, `${prefix}c`],
            [`${prefix}C`, `${prefix}a`, `${prefix}a`],
        ]);
        const collection = (slug: string, other: string): JsonObject => ({
            slug: prefix + slug,
            name: slug,
            translations: { de: { name: slug, slug: prefix + other } },
        });
        await load('collectionUpsert', [collection('a', 'x'), collection('b', 'y')]);
        const others = [[collection('a', 'y')], [collection('b', 'x')]];
        await run('collectionUpsert', others);
        expect(does(await run('collectionUpsert', others))).toEqual(['unchanged', 'unchanged']);
    });

    it('of a product and of its variant are distinguished in the differences of a flat record', async () => {
        const slug = mark();
        const record = { slug, name: 'Shirt', sku: slug, price: 100, options: { Size: 'S' } };
        for (const mode of ['dryRun', 'live'] as const) {
            const [change] = await run('productUpsert', [[record]], {}, mode);
            expect(change).toMatchObject({
                action: 'create',
                after: { name: 'Shirt', [`variants.${slug}.name`]: 'Shirt S' },
            });
        }
    });

    it('of parents are distinguished by more than their slugs', async () => {
        const prefix = mark();
        const records: readonly JsonObject[] = [
            { name: `${prefix} A+`, parent: `${prefix} A` },
            { name: `${prefix} A`, parent: `${prefix} A++` },
            { name: `${prefix} A++` },
        ];
        expect((await load('collectionUpsert', records)).map(message)).toEqual(['', '', '']);
        expect(does(await load('collectionUpsert', records))).toEqual(['unchanged', 'unchanged', 'unchanged']);
        const stored = await repository(Collection).find({ relations: { parent: true } });
        const nameOf = ({ translations }: Collection): string => translations[0]?.name ?? '';
        const above = stored
            .filter(one => nameOf(one).startsWith(prefix))
            .map(one => `${nameOf(one)} < ${one.parent!.isRoot ? '' : nameOf(one.parent as Collection)}`);
        expect(above.sort()).toEqual(
            [`${prefix} A+ < ${prefix} A`, `${prefix} A < ${prefix} A++`, `${prefix} A++ < `].sort(),
        );
    });

    it('of a collection without a parent mean the only one with its name; if there are several, none', async () => {
        const prefix = mark();
        const [men, women, shoes] = [`${prefix} Men`, `${prefix} Women`, `${prefix} Shoes`];
        await load('collectionUpsert', [{ name: men }, { name: women }, { name: shoes, parent: men }]);
        expect(does(await load('collectionUpsert', [{ name: shoes }]))).toEqual(['unchanged']);
        expect(does(await load('collectionUpsert', [{ name: shoes, description: 'Fine' }]))).toEqual(['update']);
        expect(does(await load('collectionUpsert', [{ name: shoes, parent: women }]))).toEqual(['create']);
        const [change] = await load('collectionUpsert', [{ name: shoes }]);
        expect(does([change!])).toEqual(['name']);
        const slug = shoes.toLowerCase().replace(' ', '-');
        expect(message(change)).toContain(`"${slug}", "${slug}-2"`);
        expect(does(await load('collectionUpsert', [{ name: shoes, __operation: 'DELETE' }]))).toEqual(['name']);
        // A record without a parent means the collection at the top, even if others exist elsewhere.
        expect(does(await load('collectionUpsert', [{ name: shoes, parent: null }]))).toEqual(['create']);
        expect(does(await load('collectionUpsert', [{ name: shoes }]))).toEqual(['unchanged']);
    });
}

export const identitySpellingsSuite: SharedSuite = {
    title: 'the spellings of names and keys',
    pipelines: ofSlices,
    adapters: [onceASlice],
    tests: spellings,
};

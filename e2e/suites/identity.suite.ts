import { Channel, Collection, FacetValue, LanguageCode, Product, ProductOption, ProductVariant } from '@vendure/core';
import fc from 'fast-check';
import type { EntityTarget, ObjectLiteral } from 'typeorm';
import type { Change } from '../../src/core/adapter/loader';
import type { JsonObject } from '../../src/core/value/json';
import { loaders } from '../../src/platform';
import { descriptionOf } from '../../src/platform/entities/entity-loader';
import type { VendurePlatform } from '../../src/platform/context';
import { openLoad, platformOf } from '../config/load-harness';
import type { FlowServer } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';

/** The kinds of entities that are found by their names, with what their records need in addition to the name. */
const NAMED: ReadonlyArray<{ readonly code: string; readonly more?: JsonObject }> = [
    { code: 'productUpsert' },
    { code: 'collectionUpsert' },
    { code: 'facetUpsert' },
    { code: 'facetValueUpsert', more: { facet: 'identity' } },
    { code: 'stockLocationUpsert' },
    { code: 'customerGroupUpsert' },
];

/** Texts with the same slug. */
const ALIKE = [
    ['1,5 l', '15 l'],
    ['A', 'A+', 'A++'],
    ['C', 'C#', 'C++'],
    ['<5 kg', '>5 kg', '5 kg'],
    ['3/4', '34'],
    ['Café', 'Cafe', 'Cafè'],
    ['Äpfel', 'Aepfel'],
    ['T-Shirt', 'T Shirt', 'TShirt'],
];

const fold = (name: string): string => name.trim().toLowerCase();
const letter = fc.constantFrom(...'aAbBéäÄ15 -_.,/+<>%#*():!?&');
const names = fc.uniqueArray(fc.string({ unit: letter, minLength: 1, maxLength: 4 }), {
    minLength: 2,
    maxLength: 8,
    selector: fold,
});

/** The names of entities in their default language. */
const called = (
    entities: ReadonlyArray<{ readonly translations: ReadonlyArray<{ readonly name: string }> }>,
): readonly string[] => entities.map(({ translations }) => translations[0]!.name).sort();

const does = (changes: readonly Change[]): readonly unknown[] =>
    changes.map(change => (change.action === 'reject' ? change.error.details?.['field'] : change.action));
const message = (change: Change | undefined): string => (change?.action === 'reject' ? change.error.message : '');

/** An entity is found by its key exactly as it is given, else by its name; nothing else makes two of them equal. */
function identity(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    let channel: Channel;
    let platform: VendurePlatform;
    beforeAll(async () => {
        shop = await open();
        const token = shop.channelToken;
        await repository(Channel).update({ token }, { availableLanguageCodes: [LanguageCode.en, LanguageCode.de] });
        channel = await repository(Channel).findOneOrFail({ where: { token }, relations: { defaultTaxZone: true } });
        platform = await platformOf(shop.app, channel);
        await load('facetUpsert', [{ code: 'identity', name: 'Identity' }]);
    });

    const load = async (code: string, records: readonly JsonObject[], config: JsonObject = {}) => {
        const loader = loaders.find(one => one.code === code)!;
        return (await openLoad(loader, config, { platform }))(records);
    };
    const repository = <T extends ObjectLiteral>(type: EntityTarget<T>) => shop.dataSource.getRepository(type);
    let marks = 0;
    const mark = (): string => `i${(marks++).toString(36)}x`;

    it('are all kinds that have names', () => {
        const described = loaders.flatMap(loader => {
            const entity = descriptionOf(loader);
            return entity && (entity.key.made || entity.key.field === 'name') ? [loader.code as string] : [];
        });
        expect(
            NAMED.map(({ code }) => code)
                .filter(code => code !== 'productUpsert')
                .sort(),
        ).toEqual(described.sort());
    });

    describe.each(NAMED)('$code', ({ code, more = {} }) => {
        const loadNames = async (list: readonly string[], size: number) => {
            const changes: Change[] = [];
            for (let at = 0; at < list.length; at += size)
                changes.push(
                    ...(
                        await load(
                            code,
                            list.slice(at, at + size).map(name => ({ ...more, name })),
                        )
                    ).changes,
                );
            return does(changes);
        };

        it('creates an entity for each name that differs by more than case and surrounding blanks, and nothing the second time', async () => {
            await fc.assert(
                fc.asyncProperty(names, fc.constantFrom(1, 3, 100), async (list, size) => {
                    const prefix = mark();
                    const own = [...new Map(list.map(name => [fold(prefix + name), prefix + name])).values()];
                    expect(await loadNames(own, size)).toEqual(own.map(() => 'create'));
                    expect(await loadNames(own, 100)).toEqual(own.map(() => 'unchanged'));
                    expect(await loadNames([...own].reverse(), size)).toEqual(own.map(() => 'unchanged'));
                }),
                // Keys with a number, which may be spellings of each other.
                { numRuns: 6, examples: [[['(-', '#', 'a', '&', '-'], 3]] },
            );
        });

        it.each(ALIKE.map(list => [list.join(' | '), list] as const))('distinguishes %s', async (_, list) => {
            const prefix = mark();
            const own = list.map(name => `${prefix} ${name}`);
            expect(await loadNames([...own].reverse(), 100)).toEqual(own.map(() => 'create'));
            expect(await loadNames(own, 1)).toEqual(own.map(() => 'unchanged'));
        });

        it('finds a name whatever its case and the surrounding blanks', async () => {
            const name = `${mark()} Ärmel & Öse`;
            expect(await loadNames([name], 1)).toEqual(['create']);
            expect(await loadNames([`  ${name.toUpperCase()} `], 1)).not.toContain('create');
        });
    });

    it('is that of a given slug, whatever the name; in another spelling only with the same name', async () => {
        const slug = mark();
        const product = (own: JsonObject): JsonObject => ({ description: 'Fine', ...own });
        expect(
            does(
                (
                    await load('productUpsert', [
                        product({ slug: `${slug}-1,5-kg`, name: 'Flour 1,5 kg' }),
                        product({ slug: `${slug}-15-kg`, name: 'Flour 15 kg' }),
                    ])
                ).changes,
            ),
        ).toEqual(['slug', 'create']);
        const { changes } = await load('productUpsert', [{ slug: `${slug}-1,5-kg`, name: 'Flour 1,5 kg' }]);
        expect(does(changes)).toEqual(['slug']);
        expect(message(changes[0])).toContain('Flour 15 kg');
        expect(message(changes[0])).toContain(`${slug}-1,5-kg`);
        expect(
            does(
                (
                    await load('productUpsert', [
                        { slug: `${slug}-1,5-KG!`, name: ' flour 15 KG' },
                        { slug: `${slug}-15-kg`, name: 'Renamed' },
                    ])
                ).changes,
            ),
        ).toEqual(['update', 'update']);
        const code = mark();
        await load('facetUpsert', [{ code: `${code}-34`, name: 'Thirty-four' }]);
        expect(does((await load('facetUpsert', [{ code: `${code}-3/4`, name: 'Three quarters' }])).changes)).toEqual([
            'code',
        ]);
        expect(does((await load('facetUpsert', [{ code: `${code}-3/4`, name: 'thirty-four ' }])).changes)).toEqual([
            'update',
        ]);
        await load('collectionUpsert', [{ slug: `${slug}-34`, name: 'Thirty-four' }]);
        expect(does((await load('collectionUpsert', [{ slug: `${slug}-3/4`, name: 'Parts' }])).changes)).toEqual([
            'slug',
        ]);
    });

    it('distinguishes products with the same name by their slugs, and requires the slug if a name is ambiguous', async () => {
        const name = `${mark()} Nova`;
        const [one, two] = [`${mark()}-one`, `${mark()}-two`];
        const records = [
            { slug: one, name },
            { slug: two, name },
        ];
        expect(does((await load('productUpsert', records)).changes)).toEqual(['create', 'create']);
        expect(does((await load('productUpsert', records)).changes)).toEqual(['unchanged', 'unchanged']);
        expect(does((await load('productUpsert', [{ name, description: 'Which?' }])).changes)).toEqual(['name']);
    });

    it('of facet values that products name is that of their names; unknown ones are rejected or created', async () => {
        const facet = mark();
        const tagged = (slug: string, value: string): JsonObject => ({
            slug: `${facet}-${slug}`,
            name: slug,
            facetValues: [`${facet}:${value}`],
        });
        const all = ALIKE.flat().filter(value => value !== '34');
        const records = [...all, '34'].map((value, i) => tagged(`p${i}`, value));
        const isNone = await load('productUpsert', records.slice(0, 1));
        expect(does(isNone.changes)).toEqual(['facetValues.0']);
        const config = { createMissingFacetValues: true };
        for (const record of records)
            expect(does((await load('productUpsert', [record], config)).changes)).toEqual(['create']);
        expect(new Set(does((await load('productUpsert', records, config)).changes))).toEqual(new Set(['unchanged']));
        expect(new Set(does((await load('productUpsert', records)).changes))).toEqual(new Set(['unchanged']));
        const values = await repository(FacetValue).find({ where: { facet: { code: facet } } });
        expect(called(values)).toEqual([...all, '34'].sort());
        expect(new Set(values.map(({ code }) => code)).size).toBe(values.length);
        expect(does((await load('productUpsert', [tagged('p0', 'A-')])).changes)).toEqual(['facetValues.0']);
        // The same within one batch.
        const other = mark();
        const again = records.map(record => ({
            ...record,
            facetValues: [String(record['facetValues']).replace(facet, other)],
        }));
        expect(new Set(does((await load('productUpsert', again, config)).changes))).toEqual(new Set(['update']));
        expect(await repository(FacetValue).count({ where: { facet: { code: other } } })).toBe(all.length + 1);
        expect(new Set(does((await load('productUpsert', again, config)).changes))).toEqual(new Set(['unchanged']));
    });

    it('of options and option groups is that of their names', async () => {
        const slug = mark();
        const sizes = ['55', '5,5', '3/4', '34', 'A', 'A+', 'A++'];
        const record = (list: readonly string[]): JsonObject => ({
            slug,
            name: slug,
            variants: list.map(size => ({
                sku: `${slug}-${sizes.indexOf(size)}`,
                price: 1,
                options: { Ø: size, 'Size (EU)': 'one', 'Size EU': 'two' },
            })),
        });
        expect(does((await load('productUpsert', [record(sizes.slice(0, 3))])).changes)).toEqual(['create']);
        expect(does((await load('productUpsert', [record(sizes)])).changes)).toEqual(['update']);
        expect(does((await load('productUpsert', [record(sizes), record([...sizes].reverse())])).changes)).toEqual([
            'unchanged',
            'unchanged',
        ]);
        const options = await repository(ProductOption).find({
            where: { group: { products: { translations: { slug } } } as never },
        });
        expect(called(options)).toEqual([...sizes, 'one', 'two'].sort());
        const variant = await repository(ProductVariant).findOneOrFail({
            where: { sku: `${slug}-1` },
            relations: { options: { translations: true } },
        });
        expect(called(variant.options)).toEqual(['5,5', 'one', 'two']);
    });

    it('names variants by their options in the order of the option groups', async () => {
        const slug = mark();
        await load('productUpsert', [
            {
                slug,
                name: 'Shirt',
                optionGroups: ['Size', 'Colour'],
                variants: [
                    { sku: `${slug}-1`, price: 1, options: { Colour: 'Red', Size: 'S' } },
                    { sku: `${slug}-2`, price: 1, options: { Size: 'M', Colour: 'Red' } },
                ],
            },
        ]);
        await load('variantUpsert', [
            { sku: `${slug}-3`, productSlug: slug, price: 1, options: { Colour: 'Blue', Size: 'S' } },
        ]);
        const variants = await repository(ProductVariant).find({ where: { product: { translations: { slug } } } });
        expect(called(variants)).toEqual(['Shirt M Red', 'Shirt S Blue', 'Shirt S Red']);
    });

    it('of the product of a variant is that of its slug, else of its name', async () => {
        const prefix = mark();
        await load('productUpsert', [
            { name: `${prefix} A`, optionGroups: ['Size'] },
            { name: `${prefix} A+`, optionGroups: ['Size'] },
        ]);
        const variant = (sku: string, productSlug: string): JsonObject => ({
            sku: prefix + sku,
            productSlug,
            price: 1,
            options: { Size: sku },
        });
        const { changes } = await load('variantUpsert', [
            variant('1', `${prefix} A+`),
            variant('2', `${prefix}-a`),
            variant('3', `${prefix} A`),
            variant('4', `${prefix} A!`),
        ]);
        expect(does(changes)).toEqual(['create', 'create', 'create', 'productSlug']);
        const products = await repository(Product).find({ relations: { variants: true } });
        const skus = (name: string) =>
            products
                .find(product => called([product])[0] === `${prefix} ${name}`)!
                .variants.map(({ sku }) => sku)
                .sort();
        expect([skus('A+'), skus('A')]).toEqual([[`${prefix}1`], [`${prefix}2`, `${prefix}3`]]);
    });

    it('of collections is that of their names within their parents', async () => {
        const prefix = mark();
        const [men, women, shoes] = [`${prefix} Men`, `${prefix} Women`, `${prefix} Shoes`];
        const records: readonly JsonObject[] = [
            { name: shoes, parent: women },
            { name: shoes, parent: men, description: 'For men' },
            { name: `${shoes}+`, parent: men },
            { name: men },
            { name: women },
            { name: shoes, description: 'At the top' },
        ];
        for (const round of ['create', 'unchanged'])
            expect(does((await load('collectionUpsert', records)).changes)).toEqual(records.map(() => round));
        expect(does((await load('collectionUpsert', [...records].reverse())).changes)).toEqual(
            records.map(() => 'unchanged'),
        );
        const stored = await repository(Collection).find({ relations: { parent: true } });
        const nameOf = (collection: Collection): string => (collection.isRoot ? '' : called([collection])[0]!);
        const own = stored.filter(collection => nameOf(collection).startsWith(shoes));
        expect(own.map(collection => `${nameOf(collection.parent!)} > ${nameOf(collection)}`).sort()).toEqual(
            [` > ${shoes}`, `${men} > ${shoes}`, `${men} > ${shoes}+`, `${women} > ${shoes}`].sort(),
        );
        expect(new Set(own.map(({ translations }) => translations[0]!.slug)).size).toBe(4);
        const children: readonly JsonObject[] = [
            { name: `${prefix} Boots`, parent: `${shoes}+` },
            { name: `${prefix} Clogs`, parent: `${prefix} Nobody+` },
        ];
        expect(does((await load('collectionUpsert', children)).changes)).toEqual(['create', 'parent']);
        expect(does((await load('collectionUpsert', children, { createMissingParents: true })).changes)).toEqual([
            'unchanged',
            'create',
        ]);
        expect(does((await load('collectionUpsert', children, { createMissingParents: true })).changes)).toEqual([
            'unchanged',
            'unchanged',
        ]);
    });

    it('of collections below a path is that of all names from the top level down', async () => {
        const top = mark();
        const paths = [
            [top, 'A & B', 'Pans'],
            [top, 'A B', 'Pans'],
            [top, 'A', 'B', 'Pans'],
            [top, 'A-B', 'pans'],
            [top, 'Pans', 'Pans', 'Pans'],
            [`${top} A`, 'B', 'Pans'],
        ];
        const all = new Set(paths.flatMap(path => path.map((_, i) => JSON.stringify(path.slice(0, i + 1)))));
        const records = [...all].map(text => {
            const path = JSON.parse(text) as string[];
            return { name: path.at(-1)!, parent: path.slice(0, -1) };
        });
        for (const round of ['create', 'unchanged'])
            expect(does((await load('collectionUpsert', records)).changes)).toEqual(records.map(() => round));
        // Names in upper case mean the same collections, in any order and in separate batches.
        const upper = records.map(({ name, parent }) => ({
            name,
            parent: parent.map(text => ` ${text.toUpperCase()} `),
        }));
        expect(does((await load('collectionUpsert', [...upper].reverse())).changes)).toEqual(
            records.map(() => 'unchanged'),
        );
        for (const record of upper)
            expect(does((await load('collectionUpsert', [record])).changes)).toEqual(['unchanged']);
        const stored = await repository(Collection).find({ relations: { parent: true } });
        const byId = new Map(stored.map(collection => [collection.id, collection]));
        const pathOf = (collection: Collection): readonly string[] => {
            const { parent } = byId.get(collection.id)!;
            return parent && !parent.isRoot ? [...pathOf(parent), ...called([collection])] : [...called([collection])];
        };
        const own = stored.map(pathOf).filter(([first]) => first === top || first === `${top} A`);
        expect(own.map(path => JSON.stringify(path)).sort()).toEqual([...all].sort());
        const slugs = stored.flatMap(collection =>
            pathOf(collection).join(' ') === `${top} Pans Pans Pans` ? collection.translations[0]!.slug : [],
        );
        expect(slugs).toEqual([`${top.toLowerCase()}-pans-pans-pans`]);
    });

    it('of a missing parent below a path is that of all names too', async () => {
        const top = mark();
        const leaf = { name: 'Leaf', parent: [top, 'Twig+', 'Twig'] };
        const other = { name: 'Leaf', parent: [top, 'Twig', 'Twig'] };
        const { changes } = await load('collectionUpsert', [leaf]);
        expect(does(changes)).toEqual(['parent']);
        expect(message(changes[0])).toContain('createMissingParents');
        const creating = { createMissingParents: true };
        for (const round of ['create', 'unchanged'])
            expect(does((await load('collectionUpsert', [leaf, other], creating)).changes)).toEqual([round, round]);
        const stored = await repository(Collection).find({ relations: { parent: true } });
        const leaves = stored.filter(collection => called([collection])[0] === 'Leaf');
        expect(leaves.filter(({ parent }) => called([parent!])[0] === 'Twig')).toHaveLength(2);
        expect(stored.filter(collection => called([collection])[0] === top)).toHaveLength(1);
        const tooMany = { name: 'Leaf', parent: Array.from({ length: 21 }, (_, i) => `Level ${i}`) };
        const refused = await load('collectionUpsert', [tooMany, { name: 'Leaf', parent: [top, ''] }], creating);
        expect(does(refused.changes)).toEqual(['parent', 'parent.1']);
    });

    it('resolves slugs that are swapped in one run', async () => {
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
        const swapped = [product('A', 'b'), product('B', 'c'), product('C', 'a')];
        const { changes } = await load('productUpsert', swapped, config);
        expect(changes.map(message)).toEqual(['', '', '']);
        expect(changes).toMatchObject(
            ['b', 'c', 'a'].map(slug => ({
                action: 'update',
                after: { slug: prefix + slug, 'translations.de.slug': prefix + slug },
            })),
        );
        expect(does((await load('productUpsert', swapped, config)).changes)).toEqual(Array(3).fill('unchanged'));
        const collection = (slug: string, other: string): JsonObject => ({
            slug: prefix + slug,
            name: slug,
            translations: { de: { name: slug, slug: prefix + other } },
        });
        await load('collectionUpsert', [collection('a', 'x'), collection('b', 'y')]);
        const others = [collection('a', 'y'), collection('b', 'x')];
        expect(does((await load('collectionUpsert', others)).changes)).toEqual(['update', 'update']);
        expect(does((await load('collectionUpsert', others)).changes)).toEqual(['unchanged', 'unchanged']);
    });

    it('is the same for two parallel batches', async () => {
        const prefix = mark();
        const records = ['A', 'A+', 'A++', 'A#'].map(name => ({ name: `${prefix} ${name}` }));
        for (const code of ['productUpsert', 'facetUpsert', 'collectionUpsert']) {
            const loads = await Promise.all([load(code, records), load(code, [...records].reverse())]);
            const all = loads.flatMap(({ changes }) => does(changes));
            expect(all.filter(action => action === 'create')).toHaveLength(records.length);
            expect(all.filter(action => action === 'unchanged')).toHaveLength(records.length);
        }
    });

    it('is planned by a dry run in the same way as it is loaded', async () => {
        const prefix = mark();
        const config = { createMissingFacetValues: true };
        const records: readonly JsonObject[] = ['A', 'A+', 'A', 'a '].map(name => ({
            name: `${prefix} ${name}`,
            facetValues: [`${prefix}:${name}`],
        }));
        const dryLoad = await openLoad(
            loaders.find(({ code }) => code === 'productUpsert')!,
            config,
            {
                mode: 'dryRun',
                platform: await platformOf(shop.app, channel),
            },
        );
        const dry = [...(await dryLoad(records.slice(0, 1))).changes, ...(await dryLoad(records.slice(1))).changes];
        expect(does(dry)).toEqual(['create', 'create', 'unchanged', 'update']);
        expect(does((await load('productUpsert', records, config)).changes)).toEqual(does(dry));
    });

    it('costs the same few statements however many names there are', async () => {
        const count = async (many: number): Promise<readonly number[]> => {
            const prefix = mark();
            const records = Array.from({ length: many }, (_, i) => ({
                name: `${prefix} ${'+'.repeat(i % 5)}${i >> 2}`,
            }));
            const made = await load('productUpsert', records);
            const again = await load('productUpsert', records);
            return [made.statements, again.statements];
        };
        const [few, many] = [await count(20), await count(400)];
        expect(many).toEqual(few);
    });
}

export const identitySuite: SharedSuite = { title: 'the identity of entities', tests: identity };

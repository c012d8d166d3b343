import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
    Address,
    Channel,
    Collection,
    FacetValue,
    LanguageCode,
    ProductOption,
    ProductOptionGroup,
    ProductVariant,
} from '@vendure/core';
import fc from 'fast-check';
import type { EntityTarget, FindOptionsWhere, ObjectLiteral } from 'typeorm';
import type { Change } from '../../src/core/adapter/loader';
import type { JsonObject, JsonValue } from '../../src/core/value/json';
import { loaders } from '../../src/platform';
import type { VendurePlatform } from '../../src/platform/context';
import type { EntityDescription } from '../../src/platform/entities/description';
import { descriptionOf } from '../../src/platform/entities/entity-loader';
import { slugOf } from '../../src/platform/entities/slug';
import { openLoad, platformOf } from '../config/load-harness';
import type { FlowServer } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';

const SEED = 20_261_128;

/** Letters of both cases, whose lower case differs between databases or does not exist there. */
const LETTERS = [...'aAbBkKéÉäÄßẞςσΣıIiİſKÅåΩωǅǆﬀÆæØøŁłÑñЖжᲐაᎠꭰ𐐀𐐨אあ日Ａａ15'];
/** Characters that slugs leave out or make alike, and that have a meaning in SQL and patterns. */
const SIGNS = [...' -_.,/+<>%#*():!?&"\'`\\|=~^$€’–„'];
const EMOJI = ['😀', '😎', '🧦', '👩‍👧', '❤️'];
const COMBINING = ['\u0301', '\u0308', '\u0327', '\u0307'];
/** White space and invisible characters. They count within a name, and not around it. */
const BLANKS = ['\t', '\u00a0', '\u3000', '\u200b', '\u200d', '\u2060', '\u00ad', '\ufeff'];

const part = fc.string({
    unit: fc.constantFrom(...LETTERS, ...SIGNS, ...EMOJI, ...COMBINING, ...BLANKS),
    maxLength: 3,
});
const padding = fc.string({ unit: fc.constantFrom(' ', ...BLANKS), maxLength: 2 });
/** How names differ, before and after a common text. */
const parts = fc.array(fc.tuple(part, part), { minLength: 2, maxLength: 10 });
const sizes = fc.constantFrom(1, 3, 100);

/** Names are equal if they differ only by case and by surrounding blanks. */
const folded = (name: string): string =>
    name
        .replace(/^[\s\p{Cf}]+|[\s\p{Cf}]+$/gu, '')
        .toLowerCase()
        .replaceAll('ς', 'σ');
const distinct = (names: readonly string[]): readonly string[] => [
    ...new Map([...names].reverse().map(name => [folded(name), name])).values(),
];
/** Leaves out a given name that equals the key made from another name: it would mean that entity. */
const withoutKeys = (names: readonly string[]): readonly string[] => {
    const made = new Set(names.flatMap(name => (slugOf(name) === name ? [] : [slugOf(name)])));
    return names.filter(name => !made.has(slugOf(name)) || !made.has(name));
};

const does = (changes: readonly Change[]): readonly string[] =>
    changes.map(change => (change.action === 'reject' ? change.error.message : change.action));
const always = (names: readonly unknown[], action: string): readonly string[] => names.map(() => action);

/** Every description of a kind of entity; a new file in the folder is found. */
const described: readonly EntityDescription[] = descriptions();

function descriptions(): readonly EntityDescription[] {
    const folder = join(__dirname, '../../src/platform/entity-descriptions');
    const modules = readdirSync(folder)
        .filter(file => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
        // eslint-disable-next-line @typescript-eslint/no-require-imports
        .map(file => require(join(folder, file)) as Readonly<Record<string, unknown>>);
    return modules
        .flatMap(exported => Object.values(exported))
        .filter((one): one is EntityDescription => {
            const { key, permissions, state } = Object(one) as Partial<EntityDescription>;
            return key !== undefined && permissions !== undefined && state !== undefined;
        });
}

/** How records of a kind are loaded. */
interface Load {
    readonly code: string;
    readonly config?: JsonObject;
    record(text: string): JsonObject;
}

/** Kinds whose loaders are not generated from their descriptions. */
const OWN_LOADERS: Readonly<Record<string, Load>> = {
    Product: { code: 'productUpsert', record: name => ({ name }) },
    ProductVariant: {
        code: 'productUpsert',
        config: { matchBy: 'sku' },
        record: sku => ({ sku, name: `Product of ${sku.length}`, price: 100 }),
    },
};

/** Kinds whose loads do not search by fields of a record. */
const NOT_LOADED: Readonly<Record<string, string>> = {
    Asset: 'It is found by the place of its file, which Flow gives it.',
    Country: 'No loader writes countries.',
};

/** The load of a described kind; its records have the searched field and the required ones. */
function loadOf(entity: EntityDescription): Load {
    const own = OWN_LOADERS[entity.name];
    if (own) return own;
    const loader = loaders.find(one => descriptionOf(one) === entity);
    if (!loader)
        throw new Error(`No loader loads ${entity.called[1]}. Say in OWN_LOADERS or NOT_LOADED how they are found.`);
    const field = entity.key.made?.of ?? entity.key.field;
    const needed = Object.entries(entity.fields).flatMap(
        ([name, what]): ReadonlyArray<readonly [string, JsonValue]> => {
            if (what.kind === 'ref') return [[name, OWNER]];
            return what.kind === 'text' && what.isRequired ? [[name, 'x']] : [];
        },
    );
    return { code: loader.code, record: text => ({ ...Object.fromEntries(needed), [field]: text }) };
}

/** The facet of all facet values. */
const OWNER = 'names-of-all';

/** Names are distinguished by everything in them except the case of their letters. */
function identityOfNames(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    let platform: VendurePlatform;
    beforeAll(async () => {
        shop = await open();
        const token = shop.channelToken;
        await repository(Channel).update({ token }, { availableLanguageCodes: [LanguageCode.en] });
        const channel = await repository(Channel).findOneOrFail({
            where: { token },
            relations: { defaultTaxZone: true },
        });
        platform = await platformOf(shop.app, channel);
        await run('facetUpsert', [{ code: OWNER, name: 'Names' }]);
    });

    const repository = <T extends ObjectLiteral>(type: EntityTarget<T>) => shop.dataSource.getRepository(type);
    /** One run over records, in batches. */
    const run = async (
        code: string,
        records: readonly JsonObject[],
        { config = {}, size = 100 }: { readonly config?: JsonObject; readonly size?: number } = {},
    ): Promise<readonly string[]> => {
        const step = await openLoad(
            loaders.find(one => one.code === code)!,
            config,
            { platform },
        );
        const changes: Change[] = [];
        for (let at = 0; at < records.length; at += size)
            changes.push(...(await step(records.slice(at, at + size))).changes);
        return does(changes);
    };
    let marks = 0;
    /** Gives the names of one attempt a separate prefix. */
    const mark = (): string => `q${(marks++).toString(36)}x`;
    const spelt = (list: ReadonlyArray<readonly [string, string]>, prefix: string): readonly string[] =>
        distinct(list.map(([before, after]) => before + prefix + after));
    const check = (
        test: (list: ReadonlyArray<readonly [string, string]>, size: number, pad: string) => Promise<void>,
    ) => fc.assert(fc.asyncProperty(parts, sizes, padding, test), { seed: SEED, numRuns: 12 });
    const count = <T extends ObjectLiteral>(type: EntityTarget<T>, where: FindOptionsWhere<T>): Promise<number> =>
        repository(type).count({ where });

    it('covers every kind of entity that is described', () => {
        const known = described.map(({ name }) => name);
        expect(known.length).toBeGreaterThan(8);
        expect(new Set(known).size).toBe(known.length);
        for (const loader of loaders) {
            const entity = descriptionOf(loader);
            if (entity) expect(described).toContain(entity);
        }
        for (const name of Object.keys(NOT_LOADED)) expect(known).toContain(name);
    });

    describe.each(
        described
            .filter(({ name }) => !Object.hasOwn(NOT_LOADED, name))
            .map(entity => [entity.called[1], entity] as const),
    )('of %s', (_, entity) => {
        const { code, record, config = {} } = loadOf(entity);
        const isNamed = entity.key.made !== undefined || entity.key.field === 'name';
        const isMail = entity.key.field === 'emailAddress';
        const records = (texts: readonly string[]): readonly JsonObject[] => texts.map(record);
        const textsOf = (names: readonly string[]): readonly string[] =>
            isMail ? distinct(names.map(name => `${name.replace(/[\s\p{Cf}@,;:<>()"\\]/gu, '')}@example.com`)) : names;

        it(`create one entity each if they differ by more than case and surrounding blanks, and a second run writes nothing (seed ${SEED})`, async () => {
            await check(async (list, size, pad) => {
                const own = textsOf(spelt(list, mark()));
                expect([own, await run(code, records(own), { config, size })]).toEqual([own, always(own, 'create')]);
                expect([own, await run(code, records(own), { config })]).toEqual([own, always(own, 'unchanged')]);
                const reversed = records([...own].reverse());
                expect([own, await run(code, reversed, { config, size })]).toEqual([own, always(own, 'unchanged')]);
                const cases = isNamed ? [own.map(name => name.toUpperCase()), own.map(name => name.toLowerCase())] : [];
                for (const others of [own.map(name => pad + name + pad), ...cases]) {
                    const same = others.filter((other, i) => folded(other) === folded(own[i]!));
                    const made = (await run(code, records(same), { config, size })).filter(
                        action => action !== 'update' && action !== 'unchanged',
                    );
                    expect([same, made]).toEqual([same, []]);
                }
            });
        });
    });

    describe('that records refer to', () => {
        it(`belong to different facet values (seed ${SEED})`, async () => {
            await check(async (list, size) => {
                const facet = mark();
                const own = withoutKeys(spelt(list, mark()));
                const config = { createMissingFacetValues: true };
                const tagged = own.map((name, i) => ({
                    slug: `${facet}-${i}`,
                    name: facet,
                    facetValues: [`${facet}:${name}`],
                }));
                expect([own, await run('productUpsert', tagged, { config, size })]).toEqual([
                    own,
                    always(own, 'create'),
                ]);
                expect([own, await count(FacetValue, { facet: { code: facet } })]).toEqual([own, own.length]);
                expect([own, await run('productUpsert', tagged)]).toEqual([own, always(own, 'unchanged')]);
            });
        });

        it(`belong to different facets (seed ${SEED})`, async () => {
            await check(async (list, size) => {
                const prefix = mark();
                const own = withoutKeys(spelt(list, prefix).filter(name => !name.includes(':')));
                const config = { createMissingFacetValues: true };
                const tagged = own.map((name, i) => ({
                    slug: `${prefix}-${i}`,
                    name: prefix,
                    facetValues: [`${name}:${prefix}`],
                }));
                expect([own, await run('productUpsert', tagged, { config, size })]).toEqual([
                    own,
                    always(own, 'create'),
                ]);
                const values = await repository(FacetValue).find({
                    where: { code: prefix },
                    relations: { facet: true },
                });
                expect([own, new Set(values.map(({ facet }) => facet.id)).size]).toEqual([own, own.length]);
                expect([own, await run('productUpsert', tagged)]).toEqual([own, always(own, 'unchanged')]);
            });
        });

        it(`belong to different options and option groups (seed ${SEED})`, async () => {
            await check(async list => {
                const slug = mark();
                const own = withoutKeys(spelt(list, slug));
                const options = {
                    slug: `${slug}-options`,
                    name: slug,
                    variants: own.map((name, i) => ({ sku: `${slug}-${i}`, price: 1, options: { Size: name } })),
                };
                const groups = { slug: `${slug}-groups`, name: slug, optionGroups: [...own] };
                expect([own, await run('productUpsert', [options, groups])]).toEqual([own, ['create', 'create']]);
                expect([
                    own,
                    await count(ProductOption, {
                        group: { products: { translations: { slug: `${slug}-options` } } },
                    } as never),
                    await count(ProductOptionGroup, {
                        products: { translations: { slug: `${slug}-groups` } },
                    } as never),
                ]).toEqual([own, own.length, own.length]);
                const again = [{ ...options, variants: [...options.variants].reverse() }, groups];
                expect([own, await run('productUpsert', again)]).toEqual([own, ['unchanged', 'unchanged']]);
            });
        });

        it(`belong to different parents of collections (seed ${SEED})`, async () => {
            await check(async (list, size) => {
                const prefix = mark();
                const own = withoutKeys(spelt(list, prefix));
                const config = { createMissingParents: true };
                const children = own.map((parent, i) => ({
                    slug: `${prefix}-child-${i}`,
                    name: `${prefix} child`,
                    parent,
                }));
                expect([own, await run('collectionUpsert', children, { config, size })]).toEqual([
                    own,
                    always(own, 'create'),
                ]);
                const stored = await repository(Collection).find({ relations: { parent: true } });
                const parents = stored.filter(({ translations }) => translations[0]?.name === `${prefix} child`);
                expect([own, new Set(parents.map(({ parent }) => parent!.id)).size]).toEqual([own, own.length]);
                expect([own, await run('collectionUpsert', children)]).toEqual([own, always(own, 'unchanged')]);
            });
        });

        it(`belong to different products of variants (seed ${SEED})`, async () => {
            await check(async (list, size) => {
                const prefix = mark();
                const own = withoutKeys(spelt(list, prefix));
                await run(
                    'productUpsert',
                    own.map(name => ({ name })),
                );
                const variants = own.map((productSlug, i) => ({ sku: `${prefix}-${i}`, productSlug, price: 1 }));
                expect([own, await run('variantUpsert', variants, { size })]).toEqual([own, always(own, 'create')]);
                const stored = await repository(ProductVariant).find({
                    relations: { product: true },
                    order: { id: 'ASC' },
                });
                const names = stored
                    .filter(({ sku }) => sku.startsWith(`${prefix}-`))
                    .map(({ product }) => folded(product.translations[0]!.name));
                expect(names).toEqual(own.map(folded));
                expect([own, await run('variantUpsert', variants)]).toEqual([own, always(own, 'unchanged')]);
            });
        });

        it(`belong to different groups of customers, and different addresses (seed ${SEED})`, async () => {
            await check(async (list, size) => {
                const prefix = mark();
                const own = spelt(list, prefix);
                await run(
                    'customerGroupUpsert',
                    own.map(name => ({ name })),
                );
                const mail = (i: number): string => `${prefix}.${i}@example.com`;
                const person = { firstName: 'A', lastName: 'B' };
                const members = own.map((group, i) => ({ emailAddress: mail(i), ...person, groups: [group] }));
                const resident = {
                    emailAddress: `${prefix}@example.com`,
                    ...person,
                    addresses: own.map(streetLine1 => ({ streetLine1, city: 'Graz', country: 'AT' })),
                };
                const customers = [...members, resident];
                expect([own, await run('customerUpsert', customers, { size })]).toEqual([
                    own,
                    always(customers, 'create'),
                ]);
                expect(await count(Address, { customer: { emailAddress: resident.emailAddress } })).toBe(own.length);
                expect([own, await run('customerUpsert', customers)]).toEqual([own, always(customers, 'unchanged')]);
            });
        });
    });
}

export const identityOfNamesSuite: SharedSuite = { title: 'the identity of names', tests: identityOfNames };

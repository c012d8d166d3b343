import { clause } from '../../core/errors/rendered';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type Advice, withoutEffect } from '../../core/adapter/base';
import type { AdapterContext } from '../../core/adapter/context';
import { defineExtractor, type ExtractContext, type LookUp, type Page } from '../../core/adapter/extractor';
import { OPERATION_FIELD, parseOperation } from '../../core/adapter/record-operation';
import { isFlowError } from '../../core/errors/flow-error';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { wholeNumber, withRules } from '../../core/schema/fields';
import { seedMode } from '../../core/schema/seed-mode';
import { EventLoopYield } from '../../core/concurrency/event-loop-yield';
import type { VendurePlatform } from '../context';
import { vendureOf } from '../lookup/vendure';
import { MAX_DEPTH, pathFrom, permissionsToRead, QUERIED_ENTITIES, type QueriedEntity } from '../query/entities';
import { FILTER_NOTES, filtersArgument, permissionsToFilter } from '../query/filter-argument';
import { dateOf, isIsoDate } from '../query/filters';
import { type KeysetPosition, readKeysetPosition, storedKeysetPosition } from '../query/keyset';
import { openQuery } from '../query/open-query';
import { idsOfSeed, MAX_IDS } from '../query/seed-ids';
import { currentCursor, ShopQuery } from '../query/shop-query';

/** Reads what has changed since the last run that completed. */
const LAST_RUN = 'LAST_RUN';
/** What is deleted softly. */
const DELETED_SOFTLY: ReadonlySet<QueriedEntity> = new Set(['PRODUCT', 'PRODUCT_VARIANT', 'CUSTOMER', 'PROMOTION']);
const MAX_PATHS = 20;
const MAX_FIELDS = 200;

const rootFields = (title: string, description: string) =>
    z.array(z.string().min(1).max(200)).min(1).max(MAX_FIELDS).optional().meta({ title, description });

const config = withRules(
    z.strictObject({
        entity: z.enum(QUERIED_ENTITIES).meta({ title: 'Entity', description: 'What is read.', aliases: {} }),
        seedMode: seedMode(),
        relations: z
            .array(z.string().min(1).max(200))
            .max(MAX_PATHS)
            .optional()
            .meta({
                title: 'Relations',
                description: `Paths of the relations to read, such as variants or variants.facetValues, at most ${MAX_DEPTH} levels deep.`,
            }),
        filters: filtersArgument
            .optional()
            .meta({ title: 'Filters', description: 'Conditions that must all be true. The database evaluates them.' }),
        includeFields: rootFields('Included fields', 'Reads only these fields.'),
        excludeFields: rootFields('Excluded fields', 'Fields to omit.'),
        languageCode: z
            .string()
            .regex(/^[A-Za-z]{2,3}([_-][A-Za-z0-9]{2,8})*$/, 'allowed: a language code such as en or pt_BR')
            .optional()
            .meta({
                title: 'Language',
                description:
                    "The language of the texts. Default: the channel's language. Entities without this translation have their first translation.",
            }),
        flattenTranslations: z.boolean().default(true).meta({
            title: 'Flatten translations',
            description: 'If true, texts are fields of the record; otherwise the record has a list of translations.',
        }),
        updatedSince: z
            .string()
            .refine(text => text === LAST_RUN || isIsoDate(text), `allowed: an ISO date, or ${LAST_RUN}`)
            .optional()
            .meta({
                title: 'Updated since',
                description: `Only reads what has changed at this time or later; with ${LAST_RUN}, since the last completed run.`,
            }),
        overlapSec: wholeNumber(
            { min: 0, max: 86_400 },
            {
                title: 'Overlap',
                description: `With ${LAST_RUN}: reads again this number of seconds before the start of the last run, for changes that were committed late.`,
            },
        ).default(60),
        includeDeleted: z.boolean().default(false).meta({
            title: 'Include deleted',
            description: 'Also reads soft-deleted entities, with __operation DELETE.',
        }),
        batchSize: wholeNumber(
            { min: 1, max: 10_000 },
            { title: 'Batch size', description: 'The number of records per statement.' },
        ).default(100),
        sortBy: z.string().min(1).max(200).default('id').meta({
            title: 'Sort by',
            description: 'A field of the entity. Records with the same value are sorted by their ids.',
        }),
        sortOrder: z.enum(['ASC', 'DESC']).default('ASC').meta({
            title: 'Sort order',
            description: 'Ascending or descending.',
            aliases: {},
        }),
    }),
    ({ entity, relations, includeFields }, issue) => {
        if (!Array.isArray(relations) || !(QUERIED_ENTITIES as readonly string[]).includes(entity)) return;
        for (const [index, path] of relations.entries()) {
            if (typeof path !== 'string') continue;
            const known = pathFrom(entity, path);
            if ('problem' in known) issue(`relations.${index}`, clause`"${path}" ${known.problem}`);
            const root = path.split('.')[0]!;
            if (Array.isArray(includeFields) && !includeFields.includes(root))
                issue(
                    `relations.${index}`,
                    clause`"${path}" is read for a field that includeFields leaves out; allowed: ${root} in both`,
                );
        }
    },
);

type Config = z.output<typeof config>;

/** Reads entities of the shop. */
export const platformQuery = defineExtractor({
    code: 'platformQuery',
    aliases: ['vendureQuery'],
    category: 'Shop',
    title: 'Shop query',
    summary: 'Reads products, orders, customers and other entities of the shop.',
    config,
    readsShop: true,
    requiresFor: ({ entity, relations, filters }) =>
        (QUERIED_ENTITIES as readonly unknown[]).includes(entity)
            ? [
                  ...permissionsToRead(entity as QueriedEntity, textsOf(relations)),
                  ...permissionsToFilter(entity as QueriedEntity, filters).slice(1),
              ]
            : [],
    notes: [
        "Only entities of the run's channel are read, with the prices and stock of this channel. A variant's price is the channel's price in its default currency, with or without tax as set in the channel.",
        'Ids are text, as in the database. Money is a whole number in the smallest unit, dates are ISO text, and custom fields are in customFields.',
        'An order has total, totalWithTax and totalQuantity; filters compare them and sortBy sorts by them. With the relation lines, each line has the prices of the admin API: unitPrice, discountedUnitPrice, proratedUnitPrice, linePrice, discountedLinePrice and proratedLinePrice, each WithTax as well, and taxRate. Lines of shipping and surcharges have price, priceWithTax and taxRate.',
        'The user that the run acts for must be allowed to read the entity and all its relations. Custom fields that are internal, or that this user may not read, are omitted. Relations to channels, roles, sessions, passwords and entities of other plugins are not available.',
        'A page takes one statement, plus one for each relation path. Lists contain entities of the channel that are not deleted; a single reference contains its entity in any case.',
        ...FILTER_NOTES,
        'Records without a value in sortBy come first, or last with DESC.',
        `With updatedSince ${LAST_RUN}, the first run and each dry run read everything; a run that does not complete does not move the position. Changes within the overlap are read again. An entity has changed if its updatedAt has changed; changes of prices, stock and many relations do not update it.`,
        'With seedMode LOOKUP, the step reads the entities that an incoming record names by id: productVariantId or productVariantIds for PRODUCT_VARIANT, and so on, otherwise id or ids, unless the record is an event about another entity. Filters apply, updatedSince does not. ' +
            `A record that names no entity is rejected. A record whose entities do not exist is filtered, unless its __operation is DELETE: then it continues unchanged, with the id. At most ${MAX_IDS} ids per record.`,
    ],
    examples: [
        {
            config: {
                entity: 'PRODUCT',
                filters: [{ field: 'name', operator: 'like', value: 'query shoe %' }],
                includeFields: ['name', 'slug', 'enabled'],
                sortBy: 'slug',
                sortOrder: 'DESC',
                batchSize: 1,
            },
            shop: {
                productUpsert: [
                    { slug: 'query-shoe-1', name: 'Query shoe 1', enabled: true },
                    { slug: 'query-shoe-2', name: 'Query shoe 2', enabled: false },
                    { slug: 'query-hat', name: 'Query hat', enabled: true },
                ],
            },
            out: [
                { name: 'Query shoe 2', slug: 'query-shoe-2', enabled: false },
                { name: 'Query shoe 1', slug: 'query-shoe-1', enabled: true },
            ],
        },
        {
            config: {
                entity: 'PRODUCT_VARIANT',
                filters: [
                    { field: 'sku', operator: 'in', value: ['QUERY-1', 'QUERY-2', 'QUERY-3'] },
                    { field: 'price', operator: 'gte', value: 1500 },
                ],
                includeFields: ['sku', 'price'],
            },
            shop: {
                productUpsert: [
                    { slug: 'query-1', name: 'One', sku: 'QUERY-1', price: 1999 },
                    { slug: 'query-2', name: 'Two', sku: 'QUERY-2', price: 1000 },
                ],
            },
            out: [{ sku: 'QUERY-1', price: 1999 }],
            note: 'Prices are in the currency of the channel.',
        },
    ],
    advise({ entity, updatedSince, overlapSec, includeDeleted }): readonly Advice[] {
        const advice: Advice[] = [];
        if (includeDeleted && !DELETED_SOFTLY.has(entity))
            advice.push(withoutEffect('includeDeleted', clause`for ${entity}, which is deleted for good`));
        if (overlapSec !== 60 && updatedSince !== LAST_RUN)
            advice.push(withoutEffect('overlapSec', clause`without updatedSince ${LAST_RUN}`));
        return advice;
    },
    judge: (given, platform) => new ShopQuery(given, platform as VendurePlatform).faults,
    readsPart: ({ updatedSince }) => updatedSince !== undefined,
    async saved({ entity, filters = [], includeDeleted, updatedSince }) {
        if (updatedSince !== LAST_RUN) return undefined;
        const of = { entity, filters: canonicalJson(filters as JsonValue), includeDeleted: String(includeDeleted) };
        const key = createHash('sha256').update(JSON.stringify(of)).digest('hex');
        return { key, startOver: false, by: 'completed', of };
    },
    extract: pages,
    lookup,
});

/** The progress of a run: the last record, the start of its time range, and where the next run starts. */
interface Progress {
    readonly behind: KeysetPosition | undefined;
    readonly since: Date | undefined;
    /** Of a run that has begun. */
    readonly next: string | undefined;
}

async function* pages(given: Config, cx: ExtractContext): AsyncGenerator<Page, void, void> {
    const platform = vendureOf(cx);
    const query = openQuery(given, cx);
    const turns = new EventLoopYield({ signal: cx.signal });
    const isIncremental = given.updatedSince === LAST_RUN;
    const { since, ...progress } = progressOf(given, cx.resumeFrom);
    let { behind: after, next } = progress;
    // Before anything is read: later changes belong to the next run.
    if (isIncremental && next === undefined) {
        const now = await platform.database.run(() => currentCursor(platform));
        next = new Date(now.getTime() - given.overlapSec * 1_000).toISOString();
    }
    const kept = { ...(since && { since: since.toISOString() }), ...(next !== undefined && { next }) };
    const nextRun = isIncremental ? ({ nextRun: { from: { since: next! } } } as const) : {};
    let read = 0;
    for (;;) {
        await turns.turn();
        const size = Math.min(given.batchSize, Math.max(1, (cx.limit ?? Infinity) - read));
        const { records, end } = await platform.database.run(() => query.page({ size, behind: after, since }));
        after = end ?? after;
        const checkpoint: JsonObject = { ...kept, ...(after && { behind: storedKeysetPosition(after) }) };
        if (records.length > 0 || isIncremental) yield { records, checkpoint, ...nextRun };
        read += records.length;
        if (records.length < size || read >= (cx.limit ?? Infinity)) return;
    }
}

function progressOf({ updatedSince }: Config, checkpoint: JsonValue | undefined): Progress {
    const stored = isJsonObject(checkpoint) ? checkpoint : {};
    const given = updatedSince === undefined || updatedSince === LAST_RUN ? undefined : dateOf(updatedSince);
    const { since, next } = stored;
    return {
        behind: readKeysetPosition(stored['behind']),
        since: typeof since === 'string' ? new Date(since) : given,
        next: typeof next === 'string' ? next : undefined,
    };
}

/** Reads what the records name, in portions of `batchSize`. */
async function lookup(given: Config, cx: AdapterContext): Promise<LookUp> {
    const { database } = vendureOf(cx);
    const query = openQuery(given, cx);
    const turns = new EventLoopYield({ signal: cx.signal });
    return async records => {
        const named = records.map(record => idsOfSeed(record, given.entity));
        const desired = [...new Set(named.flatMap(ids => (isFlowError(ids) ? [] : ids)))];
        const found = new Map<string, JsonObject>();
        for (let at = 0; at < desired.length; at += given.batchSize) {
            await turns.turn();
            const ids = desired.slice(at, at + given.batchSize);
            for (const [id, record] of await database.run(() => query.byIds(ids))) found.set(id, record);
        }
        return named.map((ids, i) => {
            if (isFlowError(ids)) return ids;
            const seed = records[i]!;
            const isDeleted = parseOperation(seed[OPERATION_FIELD]) === 'DELETE';
            return ids.flatMap((id): readonly JsonObject[] => {
                const record = found.get(id);
                return record ? [record] : isDeleted ? [{ ...seed, id }] : [];
            });
        });
    };
}

function textsOf(value: JsonValue | undefined): readonly string[] {
    return Array.isArray(value) ? (value as readonly JsonValue[]).filter(one => typeof one === 'string') : [];
}

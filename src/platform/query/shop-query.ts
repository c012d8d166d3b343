import type { StatementProgram } from '../../core/adapter/loader';
import { ConfigService } from '@vendure/core';
import type { JsonObject, JsonValue } from '../../core/value/json';
import { column, join, name, raw, select, type Sql, sql } from '../../database/statement';
import type { Id, Row } from '../../database/write';
import type { VendurePlatform } from '../context';
import { PublicIds } from '../public-ids';
import { ENTITY_TYPES, type QueriedEntity, readable } from './entities';
import { conditionOf, filterCondition, type QueryFilter } from './filters';
import { Keyset, type KeysetPosition } from './keyset';
import { linkedFieldsOf } from './linked-fields';
import type { SchemaIssue } from '../../core/schema/issues';
import { QueriedNames, where } from './names';
import { Relations } from './relations';
import { Shape, type Shaped } from './shape';
import { QuerySource } from './source';

/** The settings of a query, with all defaults. */
export interface QuerySettings {
    readonly entity: QueriedEntity;
    readonly relations?: readonly string[] | undefined;
    readonly filters?: readonly QueryFilter[] | undefined;
    readonly includeFields?: readonly string[] | undefined;
    readonly excludeFields?: readonly string[] | undefined;
    readonly languageCode?: string | undefined;
    readonly flattenTranslations: boolean;
    readonly includeDeleted: boolean;
    readonly sortBy: string;
    readonly sortOrder: 'ASC' | 'DESC';
}

/** Which page of a query is wanted. */
interface PageRequestOfQuery {
    readonly size: number;
    readonly behind?: KeysetPosition | undefined;
    /** What has changed at this moment or later. */
    readonly since?: Date | undefined;
}

/** A page of records; its end is undefined if it is empty. */
interface QueryPage {
    readonly records: readonly JsonObject[];
    readonly end: KeysetPosition | undefined;
}

/** Reads entities of the run's channel: a page by one statement, and one for each relation path, however large it is. */
export class ShopQuery {
    private readonly source: QuerySource;
    private readonly names: QueriedNames;
    private readonly relations: Relations;
    private readonly shape: Shape;
    private readonly keyset: Keyset;

    /** Read nothing with it before `faults` is seen to be empty. */
    constructor(
        private readonly settings: QuerySettings,
        private readonly platform: VendurePlatform,
    ) {
        const { entity, relations: paths = [], flattenTranslations: isFlat } = settings;
        const { dataSource, database, ctx } = platform;
        const source = new QuerySource(dataSource.getMetadata(ENTITY_TYPES[entity]), readable(entity), platform);
        const language = settings.languageCode ?? ctx.languageCode;
        this.source = source;
        this.names = new QueriedNames(source, { ...settings, language, beside: linkedFieldsOf(entity, platform) });
        this.relations = new Relations({ entity, root: source, paths, language, isFlat }, platform);
        const keeps = keeping(settings);
        this.shape = new Shape(source, { language, isFlat, keeps, links: this.relations.links, marksDeleted: true });
        const field = this.names.field(settings.sortBy) ?? this.names.field('id');
        const isDescending = settings.sortOrder === 'DESC';
        this.keyset = new Keyset({ field, isDescending, id: source.id('e'), dialect: database.dialect });
    }

    /** What it names and the shop does not have. */
    get faults(): readonly SchemaIssue[] {
        return this.names.faults;
    }

    /** The next page of records. */
    *page({ size, behind: after, since }: PageRequestOfQuery): StatementProgram<QueryPage> {
        const conditions = [...this.conditions()];
        if (since)
            conditions.push(
                conditionOf(
                    { field: 'updatedAt', operator: 'gte', value: since.toISOString() },
                    this.names.field('updatedAt'),
                    this.filterEnv,
                ),
            );
        if (after) conditions.push(this.keyset.behind(after));
        const order = sql`${raw(' ORDER BY ')}${join(this.keyset.orderBy())}${raw(` LIMIT ${size}`)}`;
        const rows = yield* select<Row>(
            this.withTexts(sql`${this.selected(conditions)}${order}`, this.keyset.orderBy('p')),
        );
        const last = rows[rows.length - 1];
        return { records: yield* this.shaped(rows), end: last && this.keyset.placeOf(last) };
    }

    /** Those of these ids that there are, as the query would show them, by their ids as texts. */
    *byIds(ids: readonly string[]): StatementProgram<ReadonlyMap<string, JsonObject>> {
        const possible = [...new Set(ids)].filter(id => this.isId(id)).map(id => this.idOf(id));
        if (possible.length === 0) return new Map();
        const conditions = [this.platform.database.dialect.oneOf(this.source.id('e'), possible), ...this.conditions()];
        const rows = yield* select<Row>(this.withTexts(this.selected(conditions), [column('p', 'id')]));
        const found = new Map<Id, Shaped>();
        for (const row of rows) this.shape.take(row, found);
        yield* this.relations.fill(found.values());
        return new Map([...found].map(([id, { data }]) => [String(id), data]));
    }

    private *shaped(rows: readonly Row[]): StatementProgram<readonly JsonObject[]> {
        const found = new Map<Id, Shaped>();
        for (const row of rows) this.shape.take(row, found);
        yield* this.relations.fill(found.values());
        return [...found.values()].map(({ data }) => data);
    }

    /** The entities themselves, under `e`. */
    private selected(conditions: readonly Sql[]): Sql {
        const { source, shape, keyset } = this;
        const columns = join([...shape.columns('e'), ...keyset.columns]);
        return sql`SELECT ${columns} FROM ${source.table} AS ${name('e')}${source.joinChannel('e')}${where(conditions)}`;
    }

    /** With their translations, which must not count where a page ends. */
    private withTexts(entities: Sql, order: readonly Sql[]): Sql {
        const { shape } = this;
        if (!shape.hasTexts) return entities;
        const columns = [raw('p.*'), ...shape.textColumns('t')];
        const joined = shape.joinTexts('t', column('p', 'id'));
        return sql`SELECT ${join(columns)} FROM (${entities}) ${raw('p')}${joined} ORDER BY ${join([...order, ...shape.textOrder('t')])}`;
    }

    private *conditions(): Iterable<Sql> {
        const { source, settings, filterEnv } = this;
        yield* source.listed('e', settings.includeDeleted);
        for (const filter of settings.filters ?? [])
            yield filterCondition(this.withStoredIds(filter), this.names.compared(filter.field), filterEnv);
    }

    /** A filter on ids, as the database has them: it names those that GraphQL shows, or the database's own. */
    private withStoredIds(filter: QueryFilter): QueryFilter {
        if (this.names.compared(filter.field).kind !== 'id') return filter;
        const { value } = filter;
        return { ...filter, value: Array.isArray(value) ? value.map(one => this.storedId(one)) : this.storedId(value) };
    }

    private storedId(value: JsonValue): JsonValue {
        const ids = new PublicIds(this.platform.injector.get(ConfigService));
        return typeof value === 'string' ? (ids.decode(value) ?? value) : value;
    }

    private get filterEnv(): Parameters<typeof conditionOf>[2] {
        return { dialect: this.platform.database.dialect, isId: value => this.isId(String(value)) };
    }

    private get isNumbered(): boolean {
        return this.source.metadata.primaryColumns[0]!.generationStrategy === 'increment';
    }

    /** Whether a text can be an id in this shop: a database may raise an error for an invalid one. */
    private isId(text: string): boolean {
        return this.isNumbered
            ? /^[1-9]\d{0,9}$/.test(text) && Number(text) <= MAX_ID
            : /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
    }

    private idOf(text: string): Id {
        return this.isNumbered ? Number(text) : text.toLowerCase();
    }
}

const MAX_ID = 2_147_483_647;

function keeping({ includeFields, excludeFields = [] }: QuerySettings): (root: string) => boolean {
    const [included, excluded] = [includeFields && new Set(includeFields), new Set(excludeFields)];
    return root => (included?.has(root) ?? true) && !excluded.has(root);
}

/**
 * The time for a watermark: the earlier of the database's clock and this process's, since either of them may write
 * the time of a change.
 */
export function* currentCursor({ database, dataSource }: VendurePlatform): StatementProgram<Date> {
    const { kind } = database.dialect;
    const now =
        kind === 'postgres'
            ? raw('LOCALTIMESTAMP')
            : kind === 'mysql'
              ? raw('CURRENT_TIMESTAMP(6)')
              : raw("datetime('now')");
    const [row] = yield* select<{ now: unknown }>(sql`SELECT ${now} AS ${name('now')}`);
    const updatedAt = dataSource.getMetadata(ENTITY_TYPES.PRODUCT).findColumnWithPropertyName('updatedAt')!;
    const there = dataSource.driver.prepareHydratedValue(row!.now, updatedAt) as Date;
    return new Date(Math.min(there.getTime(), Date.now()));
}

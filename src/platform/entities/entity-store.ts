import { ConfigService } from '@vendure/core';
import type { StatementProgram } from '../../core/adapter/loader';
import { CustomFields } from './custom-fields';
import { Columns } from './columns';
import type { VendurePlatform } from '../context';
import type { Dialect } from '../../database/dialect';
import {
    selectAhead,
    type PendingRows,
    EMPTY,
    nothing,
    type Sql,
    column,
    name,
    select,
    sql,
} from '../../database/statement';
import { type JoinTable, joinTableOf, type Table, tableOf } from '../../database/table';
import { type Id, oldestFirst, type Row } from '../../database/write';
import { type EntityDescription, isValue } from './description';
import { EntityReading, idOf, type ReadingOptions } from './entity-reading';
import type { EntityState } from './entity-state';
import { type TextFields, textFieldsOf } from './read-texts';
import { listedKey, nameWithin, plainName } from './names';
import type { UnitOfWork } from './unit-of-work';

/** The key of the entity to find. */
interface KeyQuery {
    readonly key: string;
    /** Where keys are those of something: the facet of a value. */
    readonly within: EntityState | undefined;
}

/** One kind of entity in the shop's database, as one run sees it: its tables, and finding entities in bulk. */
export class EntityStore<S extends EntityState = EntityState> {
    readonly table: Table;
    readonly texts: Table | undefined;
    readonly channels: JoinTable | undefined;
    readonly custom: CustomFields;
    readonly dialect: Dialect;
    /** Of what it refers to, by field. */
    readonly refs: ReadonlyMap<string, EntityStore>;
    /** The members of each field, and where the relation is stored. */
    readonly members: ReadonlyMap<string, MemberStore>;
    /** The tables of custom fields that are lists of relations, by property. */
    readonly relations: ReadonlyMap<string, JoinTable>;
    /** Columns of its base row and of its translations. */
    readonly own: readonly string[];
    readonly translated: readonly string[];
    readonly textFields: TextFields;
    private readonly reading: EntityReading;

    constructor(
        readonly entity: EntityDescription<S>,
        readonly platform: VendurePlatform,
        { isBare = false }: ReadingOptions = {},
    ) {
        const { dataSource, database, injector, ctx } = platform;
        const { type, texts, isOfChannels, key, fields, customFields, further = [] } = entity;
        this.dialect = database.dialect;
        this.table = tableOf(dataSource, type);
        this.texts = texts === undefined ? undefined : tableOf(dataSource, texts);
        this.channels = isOfChannels ? joinTableOf(dataSource, type, 'channels') : undefined;
        this.custom = new CustomFields(injector.get(ConfigService).customFields[customFields] ?? [], {
            ctx,
            injector,
            isMySql: dataSource.options.type === 'mysql',
            base: this.table,
            translation: this.texts ?? this.table,
        });
        this.refs = new Map(
            Object.entries(fields).flatMap(([field, what]) =>
                what.kind === 'ref' ? [[field, new EntityStore(what.to, platform)] as const] : [],
            ),
        );
        this.members = new Map(
            Object.entries(fields).flatMap(([field, what]) =>
                what.kind === 'members'
                    ? [[field, new MemberStore(joinTableOf(dataSource, type, field), what.of, platform)] as const]
                    : [],
            ),
        );
        this.relations = new Map(
            this.custom.relations.map(({ property }) => [property, joinTableOf(dataSource, type, property)]),
        );
        const keys = [key.field];
        this.own = [
            ...(key.isTranslated === true ? [] : keys),
            ...Object.keys(fields).filter(field => isValue(fields[field]!)),
            ...further,
        ];
        this.textFields = textFieldsOf(entity, this.custom, property => this.texts?.limitOf(property));
        this.translated = [...this.textFields.properties.keys()];
        this.reading = new EntityReading(this, { isBare });
    }

    /** A key as sets of entities have it. */
    keyOf({ key, within }: KeyQuery): string {
        return listedKey(key, within);
    }

    /** The key of an entity, as sets have it. */
    keyOfState({ key, refs }: EntityState): string {
        const { within } = this.entity.key;
        return this.keyOf({ key, within: within === undefined ? undefined : refs.get(within) });
    }

    /** Reads the entities with these keys, in at most two statements if their owners are loaded. Loaded entities stay unchanged. */
    *read(work: UnitOfWork, queries: readonly KeyQuery[]): StatementProgram<void> {
        yield* (yield* this.ask(work, queries))();
    }

    /** Requests the same without waiting. The entities are available after the returned script has run, and must not be accessed earlier. */
    *ask(work: UnitOfWork, queries: readonly KeyQuery[]): StatementProgram<() => StatementProgram<void>> {
        const set = work.of(this.entity);
        // Entities inside a planned one are not in the database either.
        const unknown = queries.filter(
            query => !(query.within && query.within.id === undefined) && set.mustAsk(this.keyOf(query)),
        );
        if (unknown.length === 0) return nothing;
        const keys = new Set(unknown.map(({ key }) => key));
        const { field, within, isTranslated, normal } = this.entity.key;
        if (isTranslated === true) {
            const idsOf = yield* this.askIdsByTranslatedKey([...keys]);
            return () => this.readNamed(work, idsOf);
        }
        const owners = new Set(unknown.flatMap(({ within: owner }) => owner?.id ?? []));
        const isWithin =
            within === undefined ? EMPTY : sql` AND ${this.dialect.oneOf(this.at(idOf(within)), [...owners])}`;
        const requested = [...keys].map(key => (normal ? key.toLowerCase() : key));
        const compared = normal ? sql`LOWER(${this.at(field)})` : this.at(field);
        const rowsOf = yield* this.askRows(sql`${this.dialect.oneOf(compared, requested)}${isWithin}`);
        return () => this.take(work, rowsOf, keys);
    }

    /** Reads the entities with these keys, where keys are not within anything. */
    *readKeys(work: UnitOfWork, keys: readonly string[]): StatementProgram<void> {
        yield* (yield* this.askKeys(work, keys))();
    }

    /** Requests the same without waiting. */
    askKeys(work: UnitOfWork, keys: readonly string[]): StatementProgram<() => StatementProgram<void>> {
        return this.ask(
            work,
            keys.map(key => ({ key, within: undefined })),
        );
    }

    /**
     * The owners of these keys in the run's language. It is a separate query: joined to the rest, planners choose
     * slow plans.
     */
    private *askIdsByTranslatedKey(keys: readonly string[]): PendingRows<{ readonly id: Id }> {
        const texts = this.texts!;
        const t = (property: string): Sql => column('t', texts.column(property).name);
        return yield* selectAhead<{ readonly id: Id }>(
            sql`SELECT ${t('base')} AS ${name('id')} FROM ${texts.name} AS ${name('t')}
            WHERE ${this.dialect.oneOf(t(this.entity.key.field), keys)} AND ${t('languageCode')} = ${this.platform.ctx.languageCode}`,
        );
    }

    private *readNamed(
        work: UnitOfWork,
        idsOf: () => StatementProgram<ReadonlyArray<{ readonly id: Id }>>,
    ): StatementProgram<void> {
        yield* this.readById(
            work,
            (yield* idsOf()).map(({ id }) => id),
        );
    }

    /** Reads entities by their ids, and what they are within. */
    *readById(work: UnitOfWork, ids: Iterable<Id>): StatementProgram<void> {
        const set = work.of(this.entity);
        const unknown = [...new Set(ids)].filter(id => !set.withId(id));
        if (unknown.length === 0) return;
        yield* this.take(work, yield* this.askRows(this.dialect.oneOf(this.at('id'), unknown)));
    }

    /** Reads entities whose column has one of some values, in any channel. */
    *readWhere(work: UnitOfWork, property: string, values: readonly Id[]): StatementProgram<void> {
        if (values.length === 0) return;
        const condition = this.dialect.oneOf(this.at(property), values);
        yield* this.take(work, yield* this.askRows(condition, { isOfAnyChannel: true }));
    }

    /**
     * Adds the read entities that are not loaded yet. An entity with another key than the requested ones is added only if a unique index treats the
     * keys as equal.
     */
    private *take(
        work: UnitOfWork,
        rowsOf: () => StatementProgram<readonly Row[]>,
        keys?: ReadonlySet<string>,
    ): StatementProgram<void> {
        const set = work.of(this.entity);
        const rows = yield* rowsOf();
        const owners = yield* this.ownersOf(work, rows);
        const fresh = new Map<Id, S>();
        for (const row of rows) {
            const id = row['id'] as Id;
            if (set.withId(id)) continue;
            const state = fresh.get(id) ?? this.stateOf(row, owners);
            fresh.set(id, state);
            this.addText(state, row);
        }
        for (const state of fresh.values())
            if (!keys || keys.has(state.key) || this.entity.key.among === 'index')
                set.addRead(state, this.keyOfState(state));
    }

    private *ownersOf(work: UnitOfWork, rows: readonly Row[]): StatementProgram<ReadonlyMap<Id, EntityState>> {
        const { within } = this.entity.key;
        if (within === undefined) return new Map();
        const store = this.refs.get(within)!;
        const ids = new Set(rows.map(row => row['within'] as Id));
        yield* store.readById(work, ids);
        return new Map([...ids].map(id => [id, work.of(store.entity).withId(id)!] as const));
    }

    /** Those of the run's channel by names, in bulk and by the case of their letters; a name within something is "facet:value". */
    *named(work: UnitOfWork, names: readonly string[]): StatementProgram<ReadonlyMap<string, readonly EntityState[]>> {
        const queries = this.entity.key.within === undefined ? names.map(plainName) : names.flatMap(nameWithin);
        const found = yield* this.find(work, queries);
        const seen = found.map(states => states.filter(({ isInChannel }) => isInChannel));
        return new Map(
            queries.map(({ label }, i) => [label, seen[i]!] as const).filter(([, { length }]) => length > 0),
        );
    }

    /** Which of these ids exist; for entities with channels, in the run's channel. */
    *existingIds(work: UnitOfWork, ids: readonly Id[]): StatementProgram<readonly string[]> {
        yield* this.readById(work, ids);
        const set = work.of(this.entity);
        return ids.filter(id => set.withId(id)?.isDeleted === false && set.withId(id)!.isInChannel).map(String);
    }

    /** Entities by their keys and the keys of what they belong to. */
    private *find(
        work: UnitOfWork,
        queries: ReadonlyArray<{ readonly key: string; readonly owner: string | undefined }>,
    ): StatementProgram<ReadonlyArray<readonly EntityState[]>> {
        const { within } = this.entity.key;
        const owners = within === undefined ? undefined : this.refs.get(within)!;
        const requested = [...new Set(queries.flatMap(({ owner }) => owner ?? []))];
        const found = owners ? yield* owners.find(work, requested.map(plainName)) : [];
        const byOwner = new Map(requested.map((owner, i) => [owner, found[i]!.find(({ isInChannel }) => isInChannel)]));
        const keyed = queries.map(({ key, owner }) => ({
            key,
            within: owner === undefined ? undefined : byOwner.get(owner),
            isLost: owner !== undefined && !byOwner.get(owner),
        }));
        yield* this.read(
            work,
            keyed.filter(({ isLost }) => !isLost),
        );
        return keyed.map(query => (query.isLost ? [] : work.of(this.entity).find(this.keyOf(query))));
    }

    /** How many there are in the shop, of all channels. */
    *count(): StatementProgram<number> {
        const [row] = yield* select<{ count: number | string }>(
            sql`SELECT COUNT(*) AS ${name('count')} FROM ${this.table.name}`,
        );
        return Number(row!.count);
    }

    /** A column of its base table. */
    private at(property: string): Sql {
        return column('e', this.table.column(property).name);
    }

    /**
     * Requests the entities that meet a condition, the oldest first. Includes other channels if their entities block a key, or if all are
     * requested.
     */
    private *askRows(condition: Sql, { isOfAnyChannel = false } = {}): PendingRows<Row> {
        const isOfOwn = !isOfAnyChannel && this.entity.key.among === 'channel';
        const answer = yield* selectAhead<Row & { readonly id: Id }>(this.reading.statement(condition));
        return function* () {
            const rows = oldestFirst(yield* answer());
            return isOfOwn ? rows.filter(row => row['channel'] !== null) : rows;
        };
    }

    private stateOf(row: Row, owners: ReadonlyMap<Id, EntityState>): S {
        const { within, field, isTranslated, normal } = this.entity.key;
        const values = this.reading.valuesIn(row);
        const isInChannel = !this.channels || row['channel'] !== null;
        const given = isTranslated === true ? '' : (values[field] as string);
        const key = normal?.(given) ?? given;
        const state = new this.entity.state(row['id'] as Id, new Columns(values), key, isInChannel);
        if (within !== undefined) state.setRef(within, owners.get(row['within'] as Id)!);
        return state;
    }

    private addText(state: S, row: Row): void {
        const text = this.reading.textIn(row);
        if (!text) return;
        const { language, id, values } = text;
        state.setText(language, { id, columns: new Columns(values) });
        const { isTranslated, field } = this.entity.key;
        if (isTranslated === true && language === this.platform.ctx.languageCode) state.key = values[field] as string;
    }
}

/**
 * Where a relation is stored, and its kind of members. Created on first use, since two kinds may be members of each
 * other.
 */
class MemberStore {
    private made: EntityStore | undefined;

    constructor(
        readonly table: JoinTable,
        private readonly of: () => EntityDescription,
        private readonly platform: VendurePlatform,
    ) {}

    get store(): EntityStore {
        return (this.made ??= new EntityStore(this.of(), this.platform));
    }
}

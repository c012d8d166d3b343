import { ConfigService } from '@vendure/core';
import type { Script } from '../../core/adapter/loader';
import type { JsonValue } from '../../core/value/json';
import { CustomFields, customValues } from './custom-fields';
import { Columns } from './columns';
import type { VendurePlatform } from '../context';
import type { Dialect } from '../../database/dialect';
import { EMPTY, type Sql, column, join, name, select, sql } from '../../database/statement';
import { type JoinTable, joinTableOf, type Table, tableOf } from '../../database/table';
import type { Id, Row } from '../../database/write';
import { type EntityDescription, fieldsOf } from './description';
import { EntityState } from './entity-state';
import type { UnitOfWork } from './unit-of-work';

/** The key that somebody looks for. */
export interface KeyWish {
    readonly key: string;
    /** Where keys are those of something: the facet of a value. */
    readonly within: EntityState | undefined;
}

/** One kind of entity in the shop's database, as one run sees it: its tables, and finding entities in bulk. */
export class EntityStore {
    readonly table: Table;
    readonly texts: Table | undefined;
    readonly channels: JoinTable | undefined;
    readonly custom: CustomFields;
    readonly dialect: Dialect;
    /** Of what it refers to, by field. */
    readonly refs: ReadonlyMap<string, EntityStore>;
    /** Properties of its own row, and of its translations. */
    readonly own: readonly string[];
    readonly said: readonly string[];

    constructor(
        readonly entity: EntityDescription,
        readonly platform: VendurePlatform,
    ) {
        const { dataSource, database, injector, ctx } = platform;
        const { type, texts, isOfChannels, key, fields, customFields } = entity;
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
        this.own = [key.field, ...fieldsOf(entity, 'text'), ...fieldsOf(entity, 'flag')];
        this.said = fieldsOf(entity, 'translated');
    }

    /** A key as sets of entities have it. */
    keyOf({ key, within }: KeyWish): string {
        return within ? `${within.token} ${key}` : key;
    }

    /** The key of an entity, as sets have it. */
    readonly keyOfState = ({ key, refs }: EntityState): string =>
        this.keyOf({
            key,
            within: this.entity.key.within === undefined ? undefined : refs.get(this.entity.key.within),
        });

    /** Reads the entities with these keys; at most one statement where what they are within is at hand. Those at hand stay as they are. */
    *read(work: UnitOfWork, wishes: readonly KeyWish[]): Script<void> {
        const set = work.of(this.entity);
        // What is within something that is only planned is not in the database either.
        const unknown = wishes.filter(
            wish => !(wish.within && wish.within.id === undefined) && set.mustAsk(this.keyOf(wish)),
        );
        if (unknown.length === 0) return;
        const owners = new Set(unknown.flatMap(({ within }) => within?.id ?? []));
        const keys = new Set(unknown.map(({ key }) => key));
        const { field, within } = this.entity.key;
        const isWithin =
            within === undefined ? EMPTY : sql` AND ${this.dialect.oneOf(this.at(idOf(within)), [...owners])}`;
        const rows = yield* select<Row>(this.query(sql`${this.dialect.oneOf(this.at(field), [...keys])}${isWithin}`));
        yield* this.take(work, rows, keys);
    }

    /** Reads entities by their ids, and what they are within. */
    *readById(work: UnitOfWork, ids: Iterable<Id>): Script<void> {
        const set = work.of(this.entity);
        const unknown = [...ids].filter(id => !set.withId(id));
        if (unknown.length === 0) return;
        yield* this.take(work, yield* select<Row>(this.query(this.dialect.oneOf(this.at('id'), unknown))));
    }

    /** Entities of what was read that are not at hand yet; of other keys than those asked for, only those that a unique index takes for the same. */
    private *take(work: UnitOfWork, rows: readonly Row[], keys?: ReadonlySet<string>): Script<void> {
        const set = work.of(this.entity);
        const owners = yield* this.ownersOf(work, rows);
        const fresh = new Map<Id, EntityState>();
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

    private *ownersOf(work: UnitOfWork, rows: readonly Row[]): Script<ReadonlyMap<Id, EntityState>> {
        const { within } = this.entity.key;
        if (within === undefined) return new Map();
        const store = this.refs.get(within)!;
        const ids = new Set(rows.map(row => row['within'] as Id));
        yield* store.readById(work, ids);
        return new Map([...ids].map(id => [id, work.of(store.entity).withId(id)!] as const));
    }

    /** Which of these names exist, in bulk and by the case of their letters; a name within something is "facet:value". */
    *existing(work: UnitOfWork, names: readonly string[]): Script<readonly string[]> {
        const wishes = this.entity.key.within === undefined ? names.map(plain) : names.flatMap(within);
        const found = yield* this.find(work, wishes);
        return wishes.filter((_, i) => found[i]!.some(({ isInChannel }) => isInChannel)).map(({ label }) => label);
    }

    /** Entities by their keys and those of what they are within. */
    private *find(
        work: UnitOfWork,
        wishes: ReadonlyArray<{ readonly key: string; readonly owner: string | undefined }>,
    ): Script<ReadonlyArray<readonly EntityState[]>> {
        const { within } = this.entity.key;
        const owners = within === undefined ? undefined : this.refs.get(within)!;
        const asked = [...new Set(wishes.flatMap(({ owner }) => owner ?? []))];
        const found = owners ? yield* owners.find(work, asked.map(plain)) : [];
        const byOwner = new Map(asked.map((owner, i) => [owner, found[i]!.find(({ isInChannel }) => isInChannel)]));
        const keyed = wishes.map(({ key, owner }) => ({
            key,
            within: owner === undefined ? undefined : byOwner.get(owner),
            isLost: owner !== undefined && !byOwner.get(owner),
        }));
        yield* this.read(
            work,
            keyed.filter(({ isLost }) => !isLost),
        );
        return keyed.map(wish => (wish.isLost ? [] : work.of(this.entity).find(this.keyOf(wish))));
    }

    /** How many there are in the shop, of all channels. */
    *count(): Script<number> {
        const [row] = yield* select<{ count: number | string }>(
            sql`SELECT COUNT(*) AS ${name('count')} FROM ${this.table.name}`,
        );
        return Number(row!.count);
    }

    /** A column of its own table. */
    private at(property: string): Sql {
        return column('e', this.table.column(property).name);
    }

    private query(condition: Sql): Sql {
        const { within } = this.entity.key;
        const parts: Sql[] = [
            sql`${this.at('id')} AS ${name('id')}`,
            ...this.own.map((property, i) => sql`${this.at(property)} AS ${name(`e${i}`)}`),
            ...this.custom.base.map(({ property }, i) => sql`${this.at(property)} AS ${name(`b${i}`)}`),
            ...(within === undefined ? [] : [sql`${this.at(idOf(within))} AS ${name('within')}`]),
        ];
        return sql`SELECT ${join([...parts, ...this.channelParts(), ...this.textParts()])} FROM ${this.table.name} AS ${name('e')}
            ${this.joinChannels()} ${this.joinTexts()} WHERE ${condition} ORDER BY ${this.at('id')}`;
    }

    private channelParts(): readonly Sql[] {
        return this.channels
            ? [sql`${column('c', this.channels.column(this.channels.member).name)} AS ${name('channel')}`]
            : [];
    }

    private joinChannels(): Sql {
        if (!this.channels) return EMPTY;
        const { channels, entity, platform } = this;
        const c = (property: string): Sql => column('c', channels.column(property).name);
        // Where others keep a key from being given, they are read as well.
        return sql`${entity.key.among === 'channel' ? EMPTY : sql`LEFT `}JOIN ${channels.name} AS ${name('c')}
            ON ${c(channels.owner)} = ${this.at('id')} AND ${c(channels.member)} = ${platform.ctx.channelId}`;
    }

    private textParts(): readonly Sql[] {
        const { texts } = this;
        if (!texts) return [];
        const t = (property: string): Sql => column('t', texts.column(property).name);
        return [
            sql`${t('id')} AS ${name('textId')}`,
            sql`${t('languageCode')} AS ${name('language')}`,
            ...this.said.map((property, i) => sql`${t(property)} AS ${name(`t${i}`)}`),
            ...this.custom.localised.map(({ property }, i) => sql`${t(property)} AS ${name(`l${i}`)}`),
        ];
    }

    private joinTexts(): Sql {
        if (!this.texts) return EMPTY;
        return sql`LEFT JOIN ${this.texts.name} AS ${name('t')}
            ON ${column('t', this.texts.column('base').name)} = ${this.at('id')}`;
    }

    private stateOf(row: Row, owners: ReadonlyMap<Id, EntityState>): EntityState {
        const { within, field } = this.entity.key;
        const values: Record<string, JsonValue> = { ...customValues('b', row, this.custom.base) };
        this.own.forEach((property, i) => {
            values[property] = this.table.fromColumn(property, row[`e${i}`]) as JsonValue;
        });
        const isInChannel = !this.channels || row['channel'] !== null;
        const state = new EntityState(row['id'] as Id, new Columns(values), values[field] as string, isInChannel);
        if (within !== undefined) state.refs.set(within, owners.get(row['within'] as Id)!);
        return state;
    }

    private addText(state: EntityState, row: Row): void {
        if (row['language'] === null || row['language'] === undefined) return;
        const values: Record<string, JsonValue> = { ...customValues('l', row, this.custom.localised) };
        this.said.forEach((property, i) => (values[property] = row[`t${i}`] as string));
        state.texts.set(row['language'] as string, { id: row['textId'] as Id, columns: new Columns(values) });
    }
}

/** The property of a reference's column. */
export function idOf(field: string): string {
    return `${field}Id`;
}

const plain = (key: string) => ({ key, owner: undefined as string | undefined, label: key });

/** Codes of facets have no colon that could be told from the one between; the first one is meant. */
function within(label: string) {
    const at = label.indexOf(':');
    return at < 0 ? [] : [{ key: label.slice(at + 1), owner: label.slice(0, at), label }];
}

import { ConfigService } from '@vendure/core';
import type { StatementProgram } from '../../core/adapter/loader';
import type { JsonValue } from '../../core/value/json';
import type { Dialect } from '../../database/dialect';
import { select, sql, column, join, name } from '../../database/statement';
import { joinTableOf, type JoinTable, type Table, tableOf } from '../../database/table';
import { deleteRows, type Id, numberedByColumn, type Row } from '../../database/write';
import type { VendurePlatform } from '../context';
import { asJson, Columns, Members } from './columns';
import { CustomFields, customValues, type CustomValues } from './custom-fields';
import { isValue, listFieldsOf } from './description';
import { initially } from './value-fields';
import type { ChildDescription, EntityDescription, Field } from './description';
import { EntityState } from './entity-state';
import { EntityStore } from './entity-store';
import type { FieldReader } from './read-field';
import { withoutMembers } from './read-members';
import { readRefs, readValues } from './read-values';
import type { UnitOfWork } from './unit-of-work';
import { newRows, updateChanged, writeRelations } from './write-rows';

type ChildrenField = Extract<Field, { kind: 'children' }>;

/** The values that a record sets for one child. Fields that it does not have stay unchanged. */
export interface DesiredChild {
    /** The path in the record: "addresses.0". */
    readonly path: string;
    readonly values: Readonly<Record<string, JsonValue>>;
    readonly refs: ReadonlyMap<string, string>;
    readonly custom: CustomValues | undefined;
}

/** Reads one child from its object. */
export function readChild(reader: FieldReader, store: ChildStore): DesiredChild {
    const place = { fields: store.child.fields, table: store.table, name: (field: string) => field };
    return {
        path: reader.path('').slice(0, -1),
        values: readValues(reader, place),
        refs: readRefs(reader, place),
        custom: store.custom.read(reader, 'customFields', { localisedOnly: false }),
    };
}

/** The children of one field in the shop's database: reads and writes those of many owners at once. */
export class ChildStore {
    readonly child: ChildDescription;
    readonly table: Table;
    readonly custom: CustomFields;
    readonly dialect: Dialect;
    readonly refs: ReadonlyMap<string, EntityStore>;
    /** The tables of custom fields that are lists of relations, by property. */
    readonly relations: ReadonlyMap<string, JoinTable>;
    private readonly own: readonly string[];

    readonly field: ChildrenField;
    /** The fields that distinguish the children of one owner. */
    readonly key: readonly string[];

    constructor(
        readonly name: string,
        { field, key, storeOf }: ChildPlace,
        { dataSource, database, injector, ctx }: VendurePlatform,
    ) {
        const { type, fields, customFields } = field.of;
        this.field = field;
        this.key = key;
        this.child = field.of;
        this.dialect = database.dialect;
        this.table = tableOf(dataSource, type);
        const configs = customFields === undefined ? [] : injector.get(ConfigService).customFields[customFields];
        this.custom = new CustomFields(configs ?? [], {
            ctx,
            injector,
            isMySql: dataSource.options.type === 'mysql',
            base: this.table,
            translation: this.table,
        });
        this.relations = new Map(
            this.custom.relations.map(({ property }) => [property, joinTableOf(dataSource, type, property)]),
        );
        this.refs = new Map(
            Object.entries(fields).flatMap(([property, what]) =>
                what.kind === 'ref' ? [[property, storeOf(what.to)] as const] : [],
            ),
        );
        this.own = Object.keys(fields).filter(property => isValue(fields[property]!));
    }

    /** Reads the children of some owners, where that has not been done yet, and what they refer to: one statement, and one for each reference. */
    *read(work: UnitOfWork, states: Iterable<EntityState>): StatementProgram<void> {
        const owners = withoutMembers(states, state => !state.members.has(this.name));
        if (owners.length === 0) return;
        const at = (property: string) => column('h', this.table.column(property).name);
        const columns = ['id', this.field.owner, ...this.own, ...this.refs.keys()];
        const rows = yield* select<Row>(
            sql`SELECT ${join([
                ...columns.map((property, i) => sql`${at(property)} AS ${name(`c${i}`)}`),
                ...this.custom.base.map(({ property }, i) => sql`${at(property)} AS ${name(`b${i}`)}`),
            ])} FROM ${this.table.name} AS ${name('h')}
            WHERE ${this.dialect.oneOf(
                at(this.field.owner),
                owners.map(({ id }) => id),
            )} ORDER BY ${at('id')}`,
        );
        const found = rows.map(row => new Map(columns.map((property, i) => [property, row[`c${i}`]] as const)));
        for (const [property, store] of this.refs)
            yield* store.readById(work, new Set(found.flatMap(row => (row.get(property) as Id | null) ?? [])));
        const byOwner = new Map<unknown, EntityState[]>(owners.map(({ id }) => [id, []]));
        rows.forEach((row, i) =>
            byOwner.get(found[i]!.get(this.field.owner))!.push(this.stateOf(work, row, found[i]!)),
        );
        for (const owner of owners) owner.setMembers(this.name, new Members(byOwner.get(owner.id)!));
    }

    private stateOf(work: UnitOfWork, row: Row, found: ReadonlyMap<string, unknown>): EntityState {
        const values = customValues('b', row, this.custom.base);
        for (const property of this.own)
            values[property] = asJson(this.table.fromColumn(property, found.get(property)));
        const state = new EntityState(found.get('id') as Id, new Columns(values), '');
        for (const [property, store] of this.refs) {
            const set = work.of(store.entity);
            const to = set.withId(found.get(property) as Id);
            if (!to) continue;
            state.setRef(property, to);
            set.keep(to);
        }
        return state;
    }

    /** A new child with the defaults of its fields. */
    newChild(): EntityState {
        const values: Record<string, JsonValue> = {};
        for (const property of this.own) {
            const field = this.child.fields[property]!;
            if (field.kind !== 'ref') values[property] = initially(field);
        }
        return new EntityState(undefined, new Columns(values), '');
    }

    /** The key that distinguishes a child from the others of its owner. */
    keyOfState({ columns, refs }: EntityState): string {
        return keyText(this.key.map(field => refs.get(field)?.key ?? columns.get(field)));
    }

    /** The same of a child of a record; `refKey` answers the key of what a reference names. */
    keyOf({ values, refs }: DesiredChild, refKey: (field: string, text: string) => string): string {
        const fresh = this.newChild().columns;
        return keyText(
            this.key.map(field => {
                const text = refs.get(field);
                return text === undefined ? (values[field] ?? fresh.get(field)) : refKey(field, text);
            }),
        );
    }

    /**
     * Writes the changes to the children of some owners, with three statements whatever their number, and returns
     * them.
     */
    *write(owners: readonly EntityState[]): StatementProgram<WrittenChildren> {
        const all = owners.flatMap(owner => {
            const list = owner.members.get(this.name);
            return list ? [{ owner, list }] : [];
        });
        const deleted = all.flatMap(({ list }) => list.removed.flatMap(({ id }) => id ?? []));
        const fresh = all.flatMap(({ owner, list }) => list.added.map(state => ({ owner, state })));
        const changed = all.flatMap(({ list }) =>
            list.now.filter(({ id, columns }) => id !== undefined && columns.changed.size > 0),
        );
        const { table, dialect } = this;
        yield* deleteRows({ table, dialect }, 'id', deleted);
        const created = yield* numberedByColumn(
            { table, dialect },
            newRows(fresh, {
                columnsOf: ({ state }) => state.columns,
                properties: this.own,
                custom: this.custom.base,
                rest: {
                    [this.field.owner]: ({ owner }) => owner.id,
                    ...Object.fromEntries(
                        [...this.refs.keys()].map(ref => [
                            ref,
                            ({ state }: (typeof fresh)[number]) => state.refs.get(ref)?.id ?? null,
                        ]),
                    ),
                },
            }),
        );
        fresh.forEach(({ state }, i) => (state.id = created[i]!));
        yield* updateChanged(
            { dialect },
            table,
            changed.map(({ id, columns }) => ({ id: id!, columns })),
        );
        yield* writeRelations(this, [...fresh.map(({ state }) => state), ...changed]);
        return { created, updated: changed.map(({ id }) => id!), deleted };
    }
}

/** The ids of the children that a batch wrote. */
interface WrittenChildren {
    readonly created: readonly Id[];
    readonly updated: readonly Id[];
    readonly deleted: readonly Id[];
}

interface ChildPlace {
    readonly field: ChildrenField;
    readonly key: readonly string[];
    storeOf(entity: EntityDescription): EntityStore;
}

/** A text that is absent is an empty one. */
const keyText = (parts: readonly JsonValue[]): string => JSON.stringify(parts.map(part => part ?? ''));

/** The children of a kind of entity, by field. A step may name the fields that distinguish them: `addressMatchFields`. */
export function childStoresOf(
    store: EntityStore,
    config: Readonly<Record<string, unknown>> = {},
): ReadonlyMap<string, ChildStore> {
    const keyOf = ({ of, key }: ChildrenField): readonly string[] =>
        (config[`${of.called[0]}MatchFields`] as readonly string[] | undefined) ?? key;
    const storeOf = (entity: EntityDescription): EntityStore => new EntityStore(entity, store.platform);
    return new Map(
        listFieldsOf(store.entity).flatMap(([field, what]) =>
            what.kind === 'children'
                ? [[field, new ChildStore(field, { field: what, key: keyOf(what), storeOf }, store.platform)] as const]
                : [],
        ),
    );
}

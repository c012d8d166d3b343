import type { StatementProgram } from '../../core/adapter/loader';
import { column, name, select, sql } from '../../database/statement';
import type { JoinTable } from '../../database/table';
import type { Id } from '../../database/write';
import { Members } from './columns';
import { type CustomValues, idList } from './custom-fields';
import type { EntityState } from './entity-state';
import type { EntityStore } from './entity-store';
import type { UnitOfWork } from './unit-of-work';

/**
 * Reads the members in a field of some entities, unless they have been read: one statement, and those for the members
 * themselves.
 */
export function* readMembers(
    store: EntityStore,
    work: UnitOfWork,
    { states, field }: { readonly states: Iterable<EntityState>; readonly field: string },
): StatementProgram<void> {
    const { table, store: to } = store.members.get(field)!;
    const owners = withoutMembers(states, state => !state.members.has(field));
    const joined = yield* joinedTo(store, table, owners);
    yield* to.readById(work, new Set([...joined.values()].flat()));
    const set = work.of(to.entity);
    for (const owner of owners) {
        // Those that are deleted softly are not read, and stay.
        const members = joined.get(owner.id)!.flatMap(id => set.withId(id) ?? []);
        owner.setMembers(field, new Members(members));
        for (const member of members) set.keep(member);
    }
}

/** Reads the channels of some entities, where they have not been read yet: one statement. */
export function* readChannelsOf(store: EntityStore, states: Iterable<EntityState>): StatementProgram<void> {
    const owners = withoutMembers(states, state => !state.channels);
    const joined = yield* joinedTo(store, store.channels!, owners);
    for (const owner of owners) owner.channels = new Members(joined.get(owner.id)!);
}

/** Reads the custom fields of some entities that are lists of relations, if a record names them and they were not read yet. */
export function* readRelations(
    store: Pick<EntityStore, 'custom' | 'relations' | 'dialect'>,
    states: Iterable<EntityState>,
    requested: ReadonlyArray<CustomValues | undefined>,
): StatementProgram<void> {
    for (const { name: field, property } of store.custom.relations) {
        if (!requested.some(values => values && field in values)) continue;
        const owners = withoutMembers(states, ({ columns }) => !(property in columns.values));
        const joined = yield* joinedTo(store, store.relations.get(property)!, owners);
        for (const { id, columns } of owners) columns.values[property] = idList(joined.get(id)!);
    }
}

/** The stored entities whose part has not been read; only those are read. */
export function withoutMembers<T extends { readonly id: Id | undefined }>(
    states: Iterable<T>,
    gaps: (state: T) => boolean,
): ReadonlyArray<T & { readonly id: Id }> {
    return [...new Set(states)].filter(
        (state): state is T & { readonly id: Id } => state.id !== undefined && gaps(state),
    );
}

function* joinedTo(
    { dialect }: Pick<EntityStore, 'dialect'>,
    table: JoinTable,
    owners: ReadonlyArray<{ readonly id: Id }>,
): StatementProgram<ReadonlyMap<Id, Id[]>> {
    const joined = new Map<Id, Id[]>(owners.map(({ id }) => [id, []]));
    if (owners.length === 0) return joined;
    const at = (property: string) => column('j', table.column(property).name);
    const rows = yield* select<{ owner: Id; member: Id }>(
        sql`SELECT ${at(table.owner)} AS ${name('owner')}, ${at(table.member)} AS ${name('member')}
        FROM ${table.name} AS ${name('j')} WHERE ${dialect.oneOf(at(table.owner), [...joined.keys()])}`,
    );
    for (const { owner, member } of rows) joined.get(owner)!.push(member);
    return joined;
}

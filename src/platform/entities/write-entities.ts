import type { Effect, StatementProgram } from '../../core/adapter/loader';
import { newRows, updateChanged, writeMembers, writeRelations, writeTexts } from './write-rows';
import { entitiesChanged, type Operation, type EffectPublishers } from '../effects/effect';
import type { RunChannel } from '../lookup/run-channel';
import { send, sql } from '../../database/statement';
import { deleteRows, type Id, numberedByColumn } from '../../database/write';
import type { ChildStore } from './child-store';
import { Members } from './columns';
import type { EntityState } from './entity-state';
import { idOf } from './entity-reading';
import type { EntityStore } from './entity-store';
import type { ExtendedBatch } from './entity-extension';
import type { EntitySet, UnitOfWork } from './unit-of-work';

/** The targets of the write, and its published effects. */
export interface Writing {
    readonly store: EntityStore;
    readonly channel: Pick<RunChannel, 'id' | 'defaultId'>;
    readonly sideEffects: EffectPublishers;
    readonly children?: ReadonlyMap<string, ChildStore>;
}

/** Writes the changes of a batch, with a few statements per table for any batch size, and returns the effects to publish. */
export function* writeEntities(
    writing: Writing,
    set: EntitySet,
    refined: ExtendedBatch = {},
): StatementProgram<readonly Effect[]> {
    const { store, sideEffects } = writing;
    const { created: fresh, changed, deleted } = set;
    const written = { created: fresh, changed, deleted };
    yield* refined.writing?.(written) ?? [];
    // Deletions come first, because a new entity may have the key of a deleted one.
    yield* deleteEntities(store, idsOf(deleted));
    const created = yield* saveEntities(writing, written);
    const ofChildren = yield* writeChildren(writing, [...fresh, ...changed]);
    const changes: ReadonlyArray<readonly [Operation, readonly Id[]]> = [
        ['CREATE', created],
        ['UPDATE', idsOf(changed)],
        ['DELETE', idsOf(deleted)],
    ];
    const own = changes.flatMap(([operation, ids]) =>
        entitiesChanged({ entity: store.entity.name, operation, ids, sideEffects }),
    );
    return [...own, ...ofChildren, ...(refined.written ? yield* refined.written(written) : [])];
}

function* writeChildren(
    { children = new Map(), sideEffects }: Writing,
    owners: readonly EntityState[],
): StatementProgram<readonly Effect[]> {
    const effects: Effect[] = [];
    for (const store of children.values()) {
        const { created, updated, deleted } = yield* store.write(owners);
        const { name: entity } = store.child;
        if (entity)
            effects.push(
                ...entitiesChanged({ entity, operation: 'CREATE', ids: created, sideEffects }),
                ...entitiesChanged({ entity, operation: 'UPDATE', ids: updated, sideEffects }),
                ...entitiesChanged({ entity, operation: 'DELETE', ids: deleted, sideEffects }),
            );
    }
    return effects;
}

/** The ids of stored entities. */
export const idsOf = (states: readonly EntityState[]): readonly Id[] => states.map(({ id }) => id!);

type Saved = Pick<EntitySet, 'created' | 'changed'>;

/** Inserts the new entities of a batch, sets their ids, and writes the changes of the others. Returns the new ids. */
export function* saveEntities(
    { store, channel }: Omit<Writing, 'sideEffects'>,
    { created, changed }: Saved,
): StatementProgram<readonly Id[]> {
    const { table, dialect, custom, own, channels, refs, texts, translated } = store;
    const rows = newRows(created, {
        columnsOf: ({ columns }) => columns,
        properties: own,
        custom: custom.base,
        rest: Object.fromEntries(
            [...refs.keys()].map(field => [idOf(field), (state: EntityState) => state.refs.get(field)!.id]),
        ),
    });
    const ids = yield* numberedByColumn({ table, dialect }, rows);
    created.forEach((state, i) => (state.id = ids[i]!));
    yield* updateChanged(
        store,
        table,
        changed.map(({ id, columns }) => ({ id: id!, columns })),
    );
    const all = [...created, ...changed];
    if (texts) yield* writeTexts(store, all, { table: texts, properties: translated, custom: custom.localised });
    if (channels) {
        for (const state of created) state.channels ??= newEntitiesIn([channel.id, channel.defaultId]);
        yield* writeMembers(store, channels, { owners: all, membersOf: state => state.channels, idOf: id => id });
    }
    for (const [field, { table: joint }] of store.members)
        yield* writeMembers(store, joint, {
            owners: all,
            membersOf: state => state.members.get(field),
            idOf: ({ id }) => id!,
        });
    yield* writeRelations(store, all);
    return ids;
}

/** The channels of what is new. */
export function newEntitiesIn(channelIds: Iterable<Id>): Members<Id> {
    const channels = new Members<Id>([]);
    channels.replace(channelIds);
    return channels;
}

/** Writes the new entities of referenced kinds, in their order; returns the effects to publish. */
export function* writeReferredTo(
    stores: readonly EntityStore[],
    work: UnitOfWork,
    writing: Omit<Writing, 'store'>,
): StatementProgram<readonly Effect[]> {
    const effects: Effect[] = [];
    for (const store of stores) {
        const { created } = work.of(store.entity);
        const ids = yield* saveEntities({ ...writing, store }, { created, changed: [] });
        const change = {
            entity: store.entity.name,
            operation: 'CREATE',
            ids,
            sideEffects: writing.sideEffects,
        } as const;
        effects.push(...entitiesChanged(change));
    }
    return effects;
}

/** Deletes entities, softly where their table has a column for that. */
export function* deleteEntities(store: EntityStore, ids: readonly Id[]): StatementProgram<void> {
    const { entity, table, dialect, platform } = store;
    if (ids.length === 0) return;
    if (table.has('deletedAt')) {
        yield* send(sql`UPDATE ${table.name} SET ${table.column('deletedAt')} = ${dialect.now}, ${table.column('updatedAt')} = ${dialect.now}
            WHERE ${dialect.oneOf(table.column('id'), ids)}`);
        return;
    }
    for (const { clear } of entity.uses)
        if (clear) yield* send(clear({ dataSource: platform.dataSource, dialect }, ids));
    yield* deleteRows({ table, dialect }, 'id', ids);
}

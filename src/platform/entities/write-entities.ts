import type { Effect, Script } from '../../core/adapter/loader';
import { addPairs, newRows, updateChanged, writeTexts } from './write-rows';
import { entitiesChanged, type Operation, type SideEffects } from '../effects/effect';
import type { RunChannel } from '../lookup/run-channel';
import { send } from '../../database/statement';
import { deleteRows, type Id, insertNumbered } from '../../database/write';
import type { EntityState } from './entity-state';
import { type EntityStore, idOf } from './entity-store';
import type { EntitySet } from './unit-of-work';

/** Where entities are written, and what is made known of it. */
export interface Writing {
    readonly store: EntityStore;
    readonly channel: Pick<RunChannel, 'id' | 'defaultId'>;
    readonly sideEffects: SideEffects;
}

/** Writes what a batch changed, a few statements a table whatever its size, and answers what is to be made known. */
export function* writeEntities(writing: Writing, set: EntitySet): Script<readonly Effect[]> {
    const { store, sideEffects } = writing;
    const { changed, deleted } = set;
    // First, since what comes again may have the key of what is deleted.
    yield* remove(store, idsOf(deleted));
    const created = yield* insertEntities(writing, set);
    yield* update(store, changed);
    yield* writeSaid(store, changed);
    const changes: ReadonlyArray<readonly [Operation, readonly Id[]]> = [
        ['CREATE', created],
        ['UPDATE', idsOf(changed)],
        ['DELETE', idsOf(deleted)],
    ];
    return changes.flatMap(([operation, ids]) =>
        entitiesChanged({ entity: store.entity.name, operation, ids, sideEffects }),
    );
}

const idsOf = (states: readonly EntityState[]): readonly Id[] => states.map(({ id }) => id!);

/** Inserts the new entities of a batch into the run's channel and the default one, and gives them their ids. */
export function* insertEntities(
    { store, channel }: Omit<Writing, 'sideEffects'>,
    { created }: EntitySet,
): Script<readonly Id[]> {
    if (created.length === 0) return [];
    const { table, dialect, custom, own, channels, refs } = store;
    const rows = newRows(created, {
        columnsOf: ({ columns }) => columns,
        properties: own,
        custom: custom.base,
        rest: state => Object.fromEntries([...refs.keys()].map(field => [idOf(field), state.refs.get(field)!.id])),
    });
    const ids = yield* insertNumbered({ table, dialect }, rows);
    created.forEach((state, i) => (state.id = ids[i]!));
    const places = channels ? [...new Set([channel.id, channel.defaultId])] : [];
    if (channels)
        yield* addPairs(
            store,
            channels,
            ids.flatMap(id => places.map(place => [id, place] as const)),
        );
    yield* writeSaid(store, created);
    return ids;
}

function* update(store: EntityStore, changed: readonly EntityState[]): Script<void> {
    yield* updateChanged(
        store,
        store.table,
        changed.map(({ id, columns }) => ({ id: id!, columns })),
    );
}

function* writeSaid(store: EntityStore, states: readonly EntityState[]): Script<void> {
    const { texts: table, said: properties, custom } = store;
    if (table) yield* writeTexts(store, states, { table, properties, custom: custom.localised });
}

function* remove({ entity, table, dialect, platform: { dataSource } }: EntityStore, ids: readonly Id[]): Script<void> {
    if (ids.length === 0) return;
    for (const { clear } of entity.uses) if (clear) yield* send(clear({ dataSource, dialect }, ids));
    yield* deleteRows({ table, dialect }, 'id', ids);
}

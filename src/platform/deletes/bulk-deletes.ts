import type { AdapterContext } from '../../core/adapter/context';
import type { TableSession } from '../../core/adapter/loader';
import type { EffectPublishers } from '../effects/effect';
import type { EntityDescription } from '../entities/description';
import { describedSession } from '../entities/entity-session';
import type { DesiredEntity } from '../entities/entity-record';
import { EntityStore } from '../entities/entity-store';
import type { ExtendedStep, StepRules } from '../entities/entity-extension';
import { deletingBy } from '../lookup/deleting';
import { readRunChannel } from '../lookup/run-channel';
import { vendureOf } from '../lookup/vendure';
import { type DeleteNames, deleteReader, readId } from './read-delete';

/** A kind of entity that Flow deletes by itself, in bulk. */
export interface BulkDeletedKind {
    readonly entity: EntityDescription;
    readonly refinement?: {
        open(rules: StepRules, config: object): ExtendedStep | Promise<ExtendedStep>;
    };
}

interface Step {
    readonly names: DeleteNames;
    readonly sideEffects: EffectPublishers;
}

const NOTHING = {
    values: {},
    texts: new Map<string, never>(),
    custom: undefined,
    members: new Map<string, never>(),
    children: new Map<string, never>(),
};

/**
 * A step that deletes entities of a described kind: the same as its upsert with DELETE, with only the key of a
 * record.
 */
export async function bulkDeletes(
    { entity, refinement }: BulkDeletedKind,
    { names, sideEffects }: Step,
    cx: AdapterContext,
): Promise<TableSession> {
    const platform = vendureOf(cx);
    const store = new EntityStore(entity, platform);
    const { key } = entity;
    const rules: StepRules = {
        store,
        channel: await readRunChannel(platform),
        names: { [key.field]: names.key, ...(key.within !== undefined && { [key.within]: names.facet }) },
        strategy: 'UPSERT',
        deleting: deletingBy(platform.ctx, entity.permissions.delete),
        sideEffects,
        children: new Map(),
        modes: new Map(),
        mode: cx.mode,
        cx,
        deletesAll: true,
    };
    const refined = await refinement?.open(rules, {});
    const limit = (key.isTranslated === true ? store.texts! : store.table).limitOf(key.field);
    return describedSession(cx, { rules, refined }, (data, issues) => {
        const reader = deleteReader(data, issues);
        const id = names.byId ? readId(reader, names.key, store.table) : undefined;
        const given = names.byId ? undefined : reader.key(names.key, limit);
        const owner = names.byId || key.within === undefined ? undefined : reader.key(names.facet);
        const desired: DesiredEntity = {
            ...NOTHING,
            isDelete: true,
            ...(id !== undefined && { id }),
            key: given === undefined ? undefined : (key.normal?.(given) ?? given),
            refs: new Map(owner === undefined ? [] : [[key.within!, owner]]),
        };
        return refined?.read?.({}, desired, issues) ?? desired;
    });
}

import type { Effect, StatementProgram } from '../../core/adapter/loader';
import { raw, type Sql, sql } from '../../database/statement';
import type { Id, WriteTarget } from '../../database/write';
import { CHANGED_ENTITIES, entityChangesOf, type ChangedEntity, type Operation } from '../../platform/effects/effect';
import { nowTimestamp } from './database-clock';
import { insertFlowRows } from './insert';
import { type RunIdentity, type StoreEnv, targetOf } from './store-env';

/** Entities with separate rows that users see as part of a variant or a product. */
const PARTS: readonly ChangedEntity[] = ['ProductVariantPrice', 'ProductOptionGroup', 'ProductOption', 'StockMovement'];

/** The entities whose history can be kept: what a load writes of a variant's prices and stock is that variant's, and a product's options are its own. */
export const WRITTEN_ENTITIES: readonly ChangedEntity[] = CHANGED_ENTITIES.filter(one => !PARTS.includes(one));

interface Written {
    readonly entity: ChangedEntity;
    readonly entityId: Id;
    readonly action: Operation;
}

/** What a batch has written, each entity once, in an order that is the same for all batches. */
export function writtenBy(effects: readonly Effect[]): readonly Written[] {
    const written = new Map<string, Written>();
    const add = (entity: ChangedEntity, action: Operation, ids: readonly Id[]): void => {
        for (const entityId of ids) {
            const key = `${entity} ${entityId}`;
            // What is made is changed in the same breath; deleted is what it is then.
            if (action !== 'UPDATE' || !written.has(key)) written.set(key, { entity, entityId, action });
        }
    };
    for (const { entity, operation, ids, variantIds = [] } of entityChangesOf(effects)) {
        if (!PARTS.includes(entity)) add(entity, operation, ids);
        add('ProductVariant', 'UPDATE', variantIds);
    }
    return [...written].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
}

/** Stores which entities a batch has written, in as many statements whatever its size; part of the transaction that has written them. */
export function* insertHistory(
    env: StoreEnv,
    { runId, pipelineId, channelId }: RunIdentity,
    { stepKey, effects }: { readonly stepKey: string; readonly effects: readonly Effect[] },
): StatementProgram<void> {
    const written = writtenBy(effects);
    if (written.length === 0) return;
    const target = targetOf(env, 'histories');
    const rows = written.map(row => ({ runId, pipelineId, channelId, stepKey, ...row }));
    yield* insertFlowRows(target, rows, writtenAgain(target));
}

/** Of what a run writes again the moment is the last, and what it has made stays made. */
function writtenAgain({ table, dialect }: WriteTarget): Sql {
    const [action, updatedAt] = [table.column('action'), table.column('updatedAt')];
    const now = nowTimestamp(dialect);
    if (dialect.kind === 'mysql')
        return sql` ON DUPLICATE KEY UPDATE ${action} = IF(VALUES(${action}) = ${raw("'UPDATE'")}, ${action}, VALUES(${action})), ${updatedAt} = ${now}`;
    const key = sql`${table.column('runId')}, ${table.column('stepKey')}, ${table.column('entity')}, ${table.column('entityId')}`;
    return sql` ON CONFLICT (${key}) DO UPDATE SET
        ${action} = CASE WHEN excluded.${action} = ${raw("'UPDATE'")} THEN ${table.name}.${action} ELSE excluded.${action} END, ${updatedAt} = ${now}`;
}

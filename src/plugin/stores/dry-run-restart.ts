import type { StatementProgram } from '../../core/adapter/loader';
import { join, send, sql } from '../../database/statement';
import { type RunIdentity, type StoreEnv, runScope } from './store-env';

const NOTHING_YET = {
    report: null,
    counters: null,
    recordsRead: 0,
    recordsProcessed: 0,
    recordsLoaded: 0,
    recordsUnchanged: 0,
    recordsFiltered: 0,
    recordsRejected: 0,
} as const;

/**
 * Deletes everything that an earlier worker has stored of a dry run, except its log. Only that worker knew its plans, so no other worker can
 * continue after its last batch. Must be called under the new fence, which blocks later writes of the earlier worker.
 */
export function* forgetDryRun({ tables }: StoreEnv, { runId, pipelineId, token }: RunIdentity): StatementProgram<void> {
    const { runs, differences, errors, checkpoints } = tables;
    const values = Object.entries(NOTHING_YET).map(
        ([property, value]) => sql`${runs.column(property)} = ${runs.toColumn(property, value)}`,
    );
    yield* send(sql`
        UPDATE ${runs.name} SET ${join(values)}
        WHERE ${runs.column('id')} = ${runId} AND ${runs.column('leaseToken')} = ${token}`);
    for (const table of [differences, errors])
        yield* send(sql`DELETE FROM ${table.name} WHERE ${table.column('runId')} = ${runId}`);
    yield* send(sql`
        DELETE FROM ${checkpoints.name}
        WHERE ${checkpoints.column('pipelineId')} = ${pipelineId} AND ${checkpoints.column('scope')} = ${runScope(runId)}`);
}

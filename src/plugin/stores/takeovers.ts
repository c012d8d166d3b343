import { createHash } from 'node:crypto';
import type { StatementProgram } from '../../core/adapter/loader';
import { canonicalJson, type JsonValue } from '../../core/value/json';
import { name, select, sql } from '../../database/statement';
import { insertRows } from '../../database/write';
import { overwriting } from './state-entries';
import { offsetsOfRun } from './offsets';
import { type RunIdentity, type StoreEnv, runScope, targetOf } from './store-env';

/** The row of the run's checkpoints that keeps what was stored at the last takeover. */
const ROW = { stepKey: '', key: 'takeover' };

/**
 * How many workers in a row have died at a run without progress, the one included that has just died. Progress is whatever a takeover finds stored and the
 * takeover before it did not: a committed position, a load marker, an acknowledged delivery. Costs three statements a takeover, and nothing while workers live.
 *
 * @param before the count at the last takeover.
 */
export function* crashesWithoutProgress(
    env: StoreEnv,
    run: Pick<RunIdentity, 'runId' | 'pipelineId'>,
    before: number,
): StatementProgram<number> {
    const { runId, pipelineId } = run;
    const { checkpoints } = env.tables;
    const [row] = yield* select<{ value: string }>(sql`
        SELECT ${checkpoints.column('value')} AS ${name('value')} FROM ${checkpoints.name}
        WHERE ${checkpoints.column('pipelineId')} = ${pipelineId} AND ${checkpoints.column('scope')} = ${runScope(runId)}
        AND ${checkpoints.column('stepKey')} = ${ROW.stepKey} AND ${checkpoints.column('key')} = ${ROW.key}`);
    const now = yield* progressDigest(env, run);
    const last = row ? (JSON.parse(row.value) as string) : digestOf([], 0);
    if (now === last) return before + 1;
    const value: JsonValue = now;
    yield* insertRows(
        targetOf(env, 'checkpoints'),
        [{ pipelineId, scope: runScope(runId), ...ROW, value }],
        overwriting(env),
    );
    return 0;
}

/** Changes whenever a position is committed, a batch is loaded, or a delivery of a batch is acknowledged. */
function* progressDigest(env: StoreEnv, run: Pick<RunIdentity, 'runId' | 'pipelineId'>): StatementProgram<string> {
    const positions = yield* offsetsOfRun(env, run);
    const { markers } = env.tables;
    // A record without a verdict yet has a question mark.
    const [loaded] = yield* select<{ verdicts: unknown }>(sql`
        SELECT SUM(LENGTH(REPLACE(${markers.column('verdicts')}, ${'?'}, ${''}))) AS ${name('verdicts')}
        FROM ${markers.name} WHERE ${markers.column('runId')} = ${run.runId}`);
    const settled = positions
        .filter(({ position: { batchNo, done } }) => batchNo > 0 || done)
        .map(({ sourceKey, position: { batchNo, seq, done }, counters }) => [sourceKey, batchNo, seq, done, counters]);
    return digestOf(settled as unknown as readonly JsonValue[], Number(loaded?.verdicts ?? 0));
}

function digestOf(positions: readonly JsonValue[], outcomes: number): string {
    const inOrder = positions.map(canonicalJson).sort();
    return createHash('sha256')
        .update(JSON.stringify([inOrder, outcomes]))
        .digest('hex');
}

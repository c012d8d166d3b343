import type { StatementProgram } from '../../core/adapter/loader';
import type { SourceOffset } from '../../core/ports/ports';
import type { ActionsOf, ActionStore, StoredActions } from '../../core/ports/source-actions';
import type { JsonObject } from '../../core/value/json';
import { EMPTY, join, name, select, send, sql } from '../../database/statement';
import { type Id, insertRows } from '../../database/write';
import { isRemoteAction } from '../../adapters/remote-files/remote-action';
import { checkFence } from './fence';
import { insertFlowRows } from './insert';
import { overwriting, PIPELINE } from './state-entries';
import { type RunIdentity, type StoreEnv, runScope, targetOf } from './store-env';

/** How the keys of their rows begin; letters and digits alone, which every collation sorts alike. */
const PREFIX = 'after';
const CHUNK = 100;

type OfRun = Pick<RunIdentity, 'runId' | 'pipelineId'>;

/**
 * What sources want done once runs have succeeded (ADR 15): checkpoint rows of the run, written with its positions, and of the pipeline once the run has
 * completed without having done them.
 */
export class SourceActions implements ActionStore {
    constructor(
        private readonly env: StoreEnv,
        private readonly identity: RunIdentity,
    ) {}

    async actions(sourceKey: string, of: ActionsOf, after = PREFIX): Promise<readonly StoredActions[]> {
        const rows = await this.env.database.run(() =>
            rowsOf(this.env, this.scopeOf(of), { sourceKey, behind: after }),
        );
        return rows.map(({ key, value }) => ({ key, actions: JSON.parse(value) as readonly JsonObject[] }));
    }

    async pending(sourceKey: string): Promise<readonly JsonObject[]> {
        const { env, identity } = this;
        const { remoteActions } = env.tables;
        const rows = await env.database.run(() =>
            select<{ action: string }>(sql`
                SELECT ${remoteActions.column('action')} AS ${name('action')} FROM ${remoteActions.name}
                WHERE ${remoteActions.column('pipelineId')} = ${identity.pipelineId}
                AND ${remoteActions.column('stepKey')} = ${sourceKey}`),
        );
        return rows.map(({ action }) => JSON.parse(action) as JsonObject);
    }

    async done(sourceKey: string, of: ActionsOf, key: string): Promise<void> {
        const { env, identity } = this;
        const { checkpoints } = env.tables;
        const scope = this.scopeOf(of);
        await env.database.transaction(
            function* () {
                yield* checkFence(env, identity);
                yield* send(sql`
                    DELETE FROM ${checkpoints.name} WHERE ${isIn(env, scope)}
                    AND ${checkpoints.column('stepKey')} = ${sourceKey} AND ${checkpoints.column('key')} = ${key}`);
            },
            { brief: true },
        );
    }

    private scopeOf(of: ActionsOf): Scope {
        const { pipelineId, runId } = this.identity;
        return { pipelineId, scope: of === 'run' ? runScope(runId) : PIPELINE };
    }
}

/** Stores the actions for everything that was read up to a position. Must be called under the fence. Repeating it with the same actions changes nothing. */
export function* storeActions(
    env: StoreEnv,
    { runId, pipelineId }: OfRun,
    { sourceKey, position, actions }: RequestedAction,
): StatementProgram<void> {
    if (actions.length === 0) return;
    // The end of a source has the number of the batch that there is not.
    const key = `${PREFIX}${String(position.batchNo).padStart(12, '0')}${position.done ? 'e' : 'b'}`;
    const row = { pipelineId, scope: runScope(runId), stepKey: sourceKey, key, value: actions };
    yield* insertRows(targetOf(env, 'checkpoints'), [row], overwriting(env));
}

/** The actions of a source, and the position up to which they apply. */
interface RequestedAction {
    readonly sourceKey: string;
    readonly position: Pick<SourceOffset, 'batchNo' | 'done'>;
    readonly actions: readonly JsonObject[];
}

/** All that the run has not done of a source. */
export function* pendingActionsOf(
    env: StoreEnv,
    run: OfRun,
    sourceKey: string,
): StatementProgram<readonly JsonObject[]> {
    const rows = yield* rowsOf(env, ofRun(run), { sourceKey });
    return rows.flatMap(({ value }) => JSON.parse(value) as readonly JsonObject[]);
}

/**
 * What a run that has completed could not do is the next one's business; what is to be done to files elsewhere becomes due now that the run is
 * stored as COMPLETED, and not before.
 */
export function* passOnActions(env: StoreEnv, run: OfRun): StatementProgram<void> {
    const { pipelineId, runId } = run;
    const rows = yield* rowsOf(env, ofRun(run), {});
    if (rows.length === 0) return;
    const all = rows.map(row => ({ ...row, actions: JSON.parse(row.value) as readonly JsonObject[] }));
    const left = all
        .map(row => ({ ...row, actions: row.actions.filter(action => !isRemoteAction(action)) }))
        .filter(({ actions }) => actions.length > 0)
        .map(({ stepKey, key, actions }) => ({
            pipelineId,
            scope: PIPELINE,
            stepKey,
            key: `${key}r${runId}`,
            value: actions,
        }));
    yield* insertRows(targetOf(env, 'checkpoints'), left, overwriting(env));
    const remote = all.flatMap(({ stepKey, actions }) =>
        actions.filter(isRemoteAction).map(action => ({ stepKey, action: action as JsonObject })),
    );
    if (remote.length === 0) return;
    const { runs } = env.tables;
    const [found] = yield* select<{ channelId: Id; revisionId: Id | null }>(sql`
        SELECT ${runs.column('channelId')} AS ${name('channelId')}, ${runs.column('revisionId')} AS ${name('revisionId')}
        FROM ${runs.name} WHERE ${runs.column('id')} = ${runId}`);
    // A working copy has only dry runs, which request no actions.
    if (!found || found.revisionId === null) return;
    const due = { pipelineId, runId, ...found, attempts: 0, lastError: null, dueAt: 0, dispatchedUntil: null };
    yield* insertFlowRows(
        targetOf(env, 'remoteActions'),
        remote.map(one => ({ ...due, ...one })),
    );
}

interface Scope {
    readonly pipelineId: Id;
    readonly scope: string;
}

const ofRun = ({ pipelineId, runId }: OfRun): Scope => ({ pipelineId, scope: runScope(runId) });

interface ActionRow {
    readonly stepKey: string;
    readonly key: string;
    readonly value: string;
}

/** The rows of one source or of all; after a key, only a page. */
function* rowsOf(
    env: StoreEnv,
    scope: Scope,
    { sourceKey, behind: after }: { readonly sourceKey?: string; readonly behind?: string },
): StatementProgram<readonly ActionRow[]> {
    const { checkpoints } = env.tables;
    const key = checkpoints.column('key');
    const columns = join(
        ['stepKey', 'key', 'value'].map(property => sql`${checkpoints.column(property)} AS ${name(property)}`),
    );
    const ofSource = sourceKey === undefined ? EMPTY : sql` AND ${checkpoints.column('stepKey')} = ${sourceKey}`;
    const next = after === undefined ? EMPTY : sql` AND ${key} > ${after}`;
    const some = after === undefined ? EMPTY : sql` LIMIT ${CHUNK}`;
    return yield* select<ActionRow>(sql`
        SELECT ${columns} FROM ${checkpoints.name} WHERE ${isIn(env, scope)} AND ${key} LIKE ${`${PREFIX}0%`}${ofSource}${next}
        ORDER BY ${key}${some}`);
}

function isIn({ tables: { checkpoints } }: StoreEnv, { pipelineId, scope }: Scope) {
    return sql`${checkpoints.column('pipelineId')} = ${pipelineId} AND ${checkpoints.column('scope')} = ${scope}`;
}

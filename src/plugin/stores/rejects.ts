import { createHash } from 'node:crypto';
import { logOf } from '../../core/run/execution-context';
import { logEvent } from '../../core/adapter/log-event';
import type { StatementProgram } from '../../core/adapter/loader';
import { pathOfEach } from '../../core/data/path';
import type { Journal, Reject, RejectStore } from '../../core/ports/ports';
import { join, name, select, sql } from '../../database/statement';
import type { Id } from '../../database/write';
import { checkFence } from './fence';
import { insertFlowRows, storable, storableFacts, ifNotExists } from './insert';
import { type RunIdentity, type StoreEnv, targetOf } from './store-env';

/** Stores rejected records, and warnings about others, as rows of flow_record_error. */
export class Rejects implements RejectStore {
    constructor(
        private readonly env: StoreEnv,
        private readonly identity: RunIdentity,
        private readonly journal: Journal,
    ) {}

    async addAll(rejects: readonly Reject[]): Promise<void> {
        if (rejects.length === 0) return;
        await this.env.database.transaction(() => this.store(rejects));
        reportRejects(rejects, this.journal);
    }

    private *store(rejects: readonly Reject[]): StatementProgram<void> {
        yield* checkFence(this.env, this.identity);
        yield* insertRejects(this.env, this.identity, rejects);
    }
}

/** Stores them as part of a transaction that checks the fence itself. Existing rows are not changed. */
export function* insertRejects(
    env: StoreEnv,
    { runId, pipelineId, channelId, dryRun = false }: RunIdentity,
    rejects: readonly Reject[],
): StatementProgram<void> {
    const target = targetOf(env, 'errors');
    const rows = rejects.map(
        ({ stepKey, sourceKey, seq, ordinal, code, severity = 'ERROR', message, path, place, payload, ...more }) => ({
            runId,
            pipelineId,
            channelId,
            stepKey,
            sourceKey,
            seq,
            ordinal,
            code,
            severity,
            payload,
            message: storable(message),
            facts: storableFacts(more.facts ?? null),
            path: path === undefined ? null : storable(path),
            place: place === undefined ? null : storable(place),
            source: more.source ?? null,
            faults: more.faults ?? null,
            cause: causeOf({ pipelineId, stepKey, code, path }),
            state: severity === 'ERROR' && !dryRun ? 'OPEN' : null,
        }),
    );
    yield* insertFlowRows(target, rows, ifNotExists(target, KEY));
}

/** The same for all records of a pipeline with the same problem: a digest of pipeline, step, code and field. */
export function causeOf({
    pipelineId,
    stepKey,
    code,
    path,
}: Pick<Reject, 'stepKey' | 'code'> & { readonly pipelineId: Id; readonly path?: string | null | undefined }): string {
    const named = [String(pipelineId), stepKey, code, path == null ? null : pathOfEach(path)];
    return createHash('sha256').update(JSON.stringify(named)).digest('base64url').slice(0, CAUSE_LENGTH);
}

/** Rejects of another run: those of a step, starting at a record of the source. */
interface EarlierRejects {
    readonly runId: Id;
    readonly sourceKey: string;
    readonly stepKey: string;
    readonly seq: number;
}

const KEY = ['runId', 'stepKey', 'sourceKey', 'seq', 'ordinal'] as const;
const TOLD = ['code', 'severity', 'message', 'facts', 'path', 'place', 'payload', 'source', 'faults', 'cause'] as const;
const CAUSE_LENGTH = 22;
const COPIED_AT_ONCE = 500;

/** The number of stored rejects of a run, for a source from a record on. */
export function* countRejects(
    { tables: { errors } }: StoreEnv,
    { runId, sourceKey, seq }: Omit<EarlierRejects, 'stepKey'>,
): StatementProgram<number> {
    const [row] = yield* select<{ count: number | string }>(sql`
        SELECT COUNT(*) AS ${name('count')} FROM ${errors.name}
        WHERE ${errors.column('runId')} = ${runId} AND ${errors.column('sourceKey')} = ${sourceKey}
        AND ${errors.column('seq')} >= ${seq} AND ${errors.column('severity')} = ${'ERROR'}`);
    return Number(row?.count ?? 0);
}

/** Copies the rejects of an earlier run to this run, if they are not deleted yet. Must be called under the fence. */
export function* carryOverRejects(
    env: StoreEnv,
    { runId, pipelineId, channelId }: RunIdentity,
    { sourceKey, stepKey, ...from }: EarlierRejects,
): StatementProgram<void> {
    const { errors } = env.tables;
    const target = targetOf(env, 'errors');
    const [seq, ordinal] = [errors.column('seq'), errors.column('ordinal')];
    const columns = join(
        ['seq', 'ordinal', ...TOLD].map(property => sql`${errors.column(property)} AS ${name(property)}`),
    );
    for (let after = { seq: from.seq, ordinal: -1 }; ;) {
        const rows = yield* select<Record<string, unknown> & typeof after>(sql`
            SELECT ${columns} FROM ${errors.name}
            WHERE ${errors.column('runId')} = ${from.runId} AND ${errors.column('stepKey')} = ${stepKey} AND ${errors.column('sourceKey')} = ${sourceKey}
            AND (${seq} > ${after.seq} OR (${seq} = ${after.seq} AND ${ordinal} > ${after.ordinal}))
            ORDER BY ${seq}, ${ordinal} LIMIT ${COPIED_AT_ONCE}`);
        const last = rows.at(-1);
        if (!last) return;
        const copies = rows.map(row => ({
            // Only the first row of a record can be edited, replayed or ignored.
            ...{ runId, pipelineId, channelId, stepKey, sourceKey, seq: row.seq, ordinal: row.ordinal, state: null },
            ...Object.fromEntries(TOLD.map(property => [property, errors.fromColumn(property, row[property])])),
        }));
        yield* insertFlowRows(target, copies, ifNotExists(target, KEY));
        after = last;
    }
}

/** Logs a warning for each. The journal keeps a sample of similar ones. */
export function reportRejects(rejects: readonly Reject[], journal: Journal): void {
    for (const { stepKey, sourceKey, seq, code, severity, path, place, message, facts } of rejects) {
        const event = severity === 'WARNING' ? 'RECORD_ACCEPTED' : 'RECORD_REJECTED';
        const error = { code, message, ...(facts && { facts }) };
        logEvent(logOf(journal, stepKey), event, { record: seq + 1, source: sourceKey, error, seq, path, place });
    }
}

import type { Script } from '../../core/adapter/loader';
import type { Journal, Reject, RejectStore } from '../../core/run/ports';
import { checkFence } from './fence';
import { insertFlowRows, storable, unlessThere } from './insert';
import { type RunIdentity, type StoreEnv, targetOf } from './store-env';

/** Records that left the stream, and what others went on without: rows of flow_record_error. */
export class Rejects implements RejectStore {
    constructor(
        private readonly env: StoreEnv,
        private readonly identity: RunIdentity,
        private readonly journal: Journal,
    ) {}

    async addAll(rejects: readonly Reject[]): Promise<void> {
        if (rejects.length === 0) return;
        await this.env.database.transaction(() => this.store(rejects));
        tellOf(rejects, this.journal);
    }

    private *store(rejects: readonly Reject[]): Script<void> {
        yield* checkFence(this.env, this.identity);
        yield* insertRejects(this.env, this.identity, rejects);
    }
}

/** Stores them as part of a transaction that checks the fence itself; those that are there already are left alone. */
export function* insertRejects(
    env: StoreEnv,
    { runId, pipelineId, channelId }: RunIdentity,
    rejects: readonly Reject[],
): Script<void> {
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
            path: path === undefined ? null : storable(path),
            place: place === undefined ? null : storable(place),
            source: more.source ?? null,
            faults: more.faults ?? null,
        }),
    );
    yield* insertFlowRows(target, rows, unlessThere(target, ['runId', 'stepKey', 'sourceKey', 'seq', 'ordinal']));
}

/** A warning for each; the journal keeps a sample of those that are alike. */
export function tellOf(rejects: readonly Reject[], journal: Journal): void {
    for (const { stepKey, sourceKey, seq, code, severity, path, place, message } of rejects) {
        const fate = severity === 'WARNING' ? 'goes on with a warning' : 'is rejected';
        journal.emit({
            type: 'log',
            level: 'WARN',
            stepKey,
            message: `Record ${seq} of ${sourceKey} ${fate}. ${message}`,
            facts: { code, seq, ...(path !== undefined && { path }), ...(place !== undefined && { place }) },
        });
    }
}

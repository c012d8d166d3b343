import type { Script } from '../../core/adapter/loader';
import type { JsonObject, JsonValue } from '../../core/data/json';
import { byName } from '../../core/data/own';
import { addCounters, type Counters } from '../../core/run/counters';
import type { Commit, Position, PositionStore } from '../../core/run/ports';
import { name, select, send, sql } from '../../platform/sql/statement';
import { insertFenced } from './fence';
import { overwriting, writeMemos } from './memories';
import { type RunIdentity, type StoreEnv, runScope, targetOf } from './store-env';

/** What the row of a source holds: how far it is settled, and what was counted on the way there. */
interface Settled {
    readonly position: Position;
    readonly counters: Counters;
}

/**
 * The positions of a run, a checkpoint row for each source. A source's row holds the counters of its batches too, so a commit is
 * one statement which tells of both or of neither, and carries its own fence. What steps remember of the batches goes with it in one transaction. A worker loads them before it commits.
 */
export class Positions implements PositionStore {
    private readonly sources = new Map<string, Settled>();
    private hasProgress: boolean;

    constructor(
        private readonly env: StoreEnv,
        private readonly identity: RunIdentity & { readonly dryRun: boolean },
    ) {
        // A dry run begins anew with each takeover, so that no batch of it is a step forward.
        this.hasProgress = identity.dryRun || identity.takeovers === 0;
    }

    async load(): Promise<{ readonly positions: Readonly<Record<string, Position>>; readonly counters: Counters }> {
        const rows = await this.env.database.run(() => this.rows());
        this.sources.clear();
        for (const { source, value } of rows) this.sources.set(source, settledOf(value));
        const positions = byName<Position>();
        for (const [source, { position }] of this.sources) positions[source] = position;
        const counters = [...this.sources.values()].reduce<Counters>(
            (sum, settled) => addCounters(sum, settled.counters),
            {},
        );
        return { positions, counters };
    }

    async commit({ sourceKey, position, counters, batches, memos }: Commit): Promise<void> {
        const settled: Settled = {
            position,
            counters: addCounters(this.sources.get(sourceKey)?.counters ?? {}, counters),
        };
        const isProgress = !this.hasProgress && batches > 0;
        const { database } = this.env;
        if (isProgress || memos.length > 0)
            await database.transaction(() => this.writeAll(sourceKey, settled, { isProgress, memos }));
        else await database.run(() => this.write(sourceKey, settled));
        // Only now: a commit that failed is counted by the one that comes after it.
        this.sources.set(sourceKey, settled);
        this.hasProgress ||= isProgress;
    }

    private *rows(): Script<ReadonlyArray<{ readonly source: string; readonly value: string }>> {
        const { checkpoints } = this.env.tables;
        const { pipelineId, runId } = this.identity;
        return yield* select(sql`
            SELECT ${checkpoints.column('stepKey')} AS ${name('source')}, ${checkpoints.column('value')} AS ${name('value')} FROM ${checkpoints.name}
            WHERE ${checkpoints.column('pipelineId')} = ${pipelineId} AND ${checkpoints.column('scope')} = ${runScope(runId)} AND ${checkpoints.column('key')} = ${''}`);
    }

    private *writeAll(
        sourceKey: string,
        settled: Settled,
        { isProgress, memos }: Pick<Commit, 'memos'> & { readonly isProgress: boolean },
    ): Script<void> {
        if (isProgress) yield* this.forgetTakeovers();
        // Checks the fence, and keeps it until the transaction has ended.
        yield* this.write(sourceKey, settled);
        if (memos.length > 0) yield* writeMemos(this.env, this.identity, memos);
    }

    /** The first batch since the run was taken over: takeovers are counted anew (spec 4, states). The run's row first, as all do. */
    private *forgetTakeovers(): Script<void> {
        const { runs } = this.env.tables;
        const { runId, token } = this.identity;
        yield* send(sql`
            UPDATE ${runs.name} SET ${runs.column('takeovers')} = 0
            WHERE ${runs.column('id')} = ${runId} AND ${runs.column('leaseToken')} = ${token}`);
    }

    private *write(sourceKey: string, { position, counters }: Settled): Script<void> {
        const { pipelineId, runId } = this.identity;
        const content = { position, counters } as unknown as JsonObject;
        const row = { pipelineId, scope: runScope(runId), stepKey: sourceKey, key: '', value: content };
        yield* insertFenced(this.env, this.identity, {
            target: targetOf(this.env, 'checkpoints'),
            row,
            suffix: overwriting(this.env),
        });
    }
}

function settledOf(value: string): Settled {
    const { position, counters } = JSON.parse(value) as {
        position: Omit<Position, 'token'> & { token?: JsonValue };
        counters: Counters;
    };
    return { position: { ...position, token: position.token }, counters };
}

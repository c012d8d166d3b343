import type { StatementProgram } from '../../core/adapter/loader';
import type { JsonObject, JsonValue } from '../../core/value/json';
import { byName } from '../../core/data/own-properties';
import { addCounters, type Counters } from '../../core/progress/counters';
import type { Commit, CommittedRun, SourceOffset, OffsetStore, RestoredOffset } from '../../core/ports/ports';
import type { ResumeKey, ResumableSource, UnfinishedRun } from '../../core/ports/resumable-source';
import { START } from '../../core/steps/extract';
import { EMPTY, type Sql, name, select, sql } from '../../database/statement';
import { insertFenced } from './fence';
import {
    type EndingSource,
    carryOverLoads,
    hasResumeState,
    type CheckpointWriters,
    takeResumeState,
    incompleteRunOf,
} from './resume-states';
import { overwriting, writeStateEntries } from './state-entries';
import { completedStartOf, checkpointAt, writerOf } from './checkpoints';
import { storeActions } from './source-actions';
import { storeSpooled } from './spool';
import { type RunIdentity, type StoreEnv, runScope, targetOf } from './store-env';

/** The row of a source: its committed position, and the counters up to that position. */
interface Settled {
    readonly position: SourceOffset;
    readonly counters: Counters;
    /** The key of the position that is kept if the run does not complete. Undefined if it is not kept. */
    readonly keptAs?: string;
    readonly keptOf?: ResumeKey;
    /** It began where an earlier run had left it. */
    readonly isLeft?: boolean;
    /** The number of records after that position that the run had rejected. */
    readonly rejectedBefore?: number;
    /** The key of the position that is kept if the run completes. Undefined if it is not kept. */
    readonly completedAs?: string;
    /** The position is kept at `keptAs` even though there is a `completedAs`. */
    readonly isResumed?: boolean;
    /** Who had written these places when the source was begun; absent of what an earlier version has begun. */
    readonly seen?: CheckpointWriters;
}

/** A source that was begun, and the run whose place was not taken up. */
interface Begun {
    readonly settled: Settled;
    readonly unfinished?: UnfinishedRun | undefined;
}

/**
 * The positions of a run, one checkpoint row for each source. A source's row also holds the counters of its batches. So a commit is one statement
 * that stores both or neither, and includes its own fence. What steps remember and hold of the batches is stored in the same transaction. A worker
 * loads the positions before it commits.
 */
export class Offsets implements OffsetStore {
    private readonly sources = new Map<string, Settled>();

    constructor(
        private readonly env: StoreEnv,
        private readonly identity: RunIdentity & { readonly dryRun: boolean },
    ) {}

    async load(): Promise<CommittedRun> {
        const rows = await this.env.database.run(() => rowsOf(this.env, this.identity));
        this.sources.clear();
        for (const { source, value } of rows) this.sources.set(source, settledOf(value));
        const positions = byName<SourceOffset>();
        for (const [source, { position }] of this.sources) positions[source] = position;
        const counters = [...this.sources.values()].reduce<Counters>(
            (sum, settled) => addCounters(sum, settled.counters),
            {},
        );
        const before = [...this.sources.values()].reduce((sum, settled) => sum + (settled.rejectedBefore ?? 0), 0);
        return { positions, counters, rejectedBefore: before };
    }

    async commit({ sourceKey, position, counters, memos: stateEntries, held, actions = [] }: Commit): Promise<void> {
        const before = this.sources.get(sourceKey);
        const acknowledgedBatch: Settled = {
            ...before,
            position,
            counters: addCounters(before?.counters ?? {}, counters),
        };
        const { database } = this.env;
        if (stateEntries.length + held.length + actions.length > 0)
            await database.transaction(
                () => this.writeAll(sourceKey, acknowledgedBatch, { memos: stateEntries, held, actions }),
                {
                    brief: true,
                },
            );
        else await database.run(() => this.write(sourceKey, acknowledgedBatch));
        // Only now: a commit that failed is counted by the one that comes after it.
        this.sources.set(sourceKey, acknowledgedBatch);
    }

    async restoreCheckpoint(source: ResumableSource): Promise<RestoredOffset> {
        const known = this.sources.get(source.stepKey);
        const isBegun = known?.keptAs !== undefined;
        const { settled, unfinished }: Begun = isBegun
            ? { settled: known }
            : await this.env.database.transaction(() => this.takingUp(source), { brief: true });
        this.sources.set(source.stepKey, settled);
        const { position, isLeft = false, rejectedBefore = 0 } = settled;
        return { position, isLeft, rejectedBefore, ...(unfinished && { unfinished }) };
    }

    async isLeft(source: Pick<ResumableSource, 'stepKey' | 'key'>): Promise<boolean> {
        return this.env.database.run(() => hasResumeState(this.env, this.identity, source));
    }

    /** It may be done already, where the answer of the database was lost; and what an earlier version has begun has no key. */
    private *takingUp(source: ResumableSource): StatementProgram<Begun> {
        const { stepKey, key: keptAs, of: keptOf, byCompleted, startOver = false, seeksUnfinished = false } = source;
        const { pipelineId } = this.identity;
        const [row] = yield* rowsOf(this.env, this.identity, stepKey);
        const own = row && settledOf(row.value);
        if (own?.keptAs !== undefined) return { settled: own };
        const saved = yield* checkpointAt(this.env, { pipelineId, stepKey, key: keptAs });
        const isResumed = byCompleted === undefined || byCompleted.alsoUnfinished === true;
        const left = startOver || !isResumed ? undefined : yield* takeResumeState(this.env, this.identity, source);
        const completed = byCompleted && (yield* checkpointAt(this.env, { pipelineId, stepKey, key: byCompleted.key }));
        const from = startOver ? undefined : completedStartOf(completed);
        const begun: Settled = {
            ...(own ?? {
                position: left?.position ?? { ...START, token: from },
                counters: {},
                isLeft: left !== undefined,
                rejectedBefore: left?.rejected ?? 0,
            }),
            keptAs,
            ...(keptOf && { keptOf }),
            ...(byCompleted && { completedAs: byCompleted.key, isResumed }),
            seen: { left: left ? null : writerOf(saved), completed: writerOf(completed) },
        };
        const isAnew = !own && !left && seeksUnfinished;
        const unfinished = isAnew ? yield* incompleteRunOf(this.env, this.identity, source) : undefined;
        // Checks the fence, and keeps it until the transaction has ended.
        yield* this.write(stepKey, begun);
        if (left && !own) {
            yield* carryOverLoads(this.env, this.identity, { sourceKey: stepKey, left });
            const { position, actions } = left;
            yield* storeActions(this.env, this.identity, { sourceKey: stepKey, position, actions });
        }
        return { settled: begun, unfinished };
    }

    private *writeAll(
        sourceKey: string,
        acknowledgedBatch: Settled,
        { memos: stateEntries, held, actions = [] }: Pick<Commit, 'memos' | 'held' | 'actions'>,
    ): StatementProgram<void> {
        // Checks the fence, and keeps it until the transaction has ended.
        yield* this.write(sourceKey, acknowledgedBatch);
        if (stateEntries.length > 0) yield* writeStateEntries(this.env, this.identity, stateEntries);
        yield* storeSpooled(this.env, this.identity, held);
        yield* storeActions(this.env, this.identity, { sourceKey, position: acknowledgedBatch.position, actions });
    }

    private *write(sourceKey: string, acknowledgedBatch: Settled): StatementProgram<void> {
        const { pipelineId, runId } = this.identity;
        const content = acknowledgedBatch as unknown as JsonObject;
        const row = { pipelineId, scope: runScope(runId), stepKey: sourceKey, key: '', value: content };
        yield* insertFenced(this.env, this.identity, {
            target: targetOf(this.env, 'checkpoints'),
            row,
            suffix: overwriting(this.env),
        });
    }
}

/** The sources that the run keeps where it does not complete, and how far it is with them. */
export function* resumableSources(
    env: StoreEnv,
    run: Pick<RunIdentity, 'runId' | 'pipelineId'>,
): StatementProgram<readonly EndingSource[]> {
    const rows = yield* rowsOf(env, run);
    // In one order for all, so that two runs of a pipeline wait for each other at most, and never both.
    const inOrder = [...rows].sort((a, b) => (a.source < b.source ? -1 : 1));
    return inOrder.flatMap(({ source: stepKey, value }) => {
        const {
            position,
            keptAs: key,
            keptOf: of,
            completedAs,
            isResumed = completedAs === undefined,
            seen,
        } = settledOf(value);
        return key === undefined ? [] : [{ stepKey, key, position, completedAs, isResumed, seen, ...(of && { of }) }];
    });
}

/** The position of a run in each of its sources, and the counters up to it. */
export function* offsetsOfRun(
    env: StoreEnv,
    run: Pick<RunIdentity, 'runId' | 'pipelineId'>,
): StatementProgram<
    ReadonlyArray<{ readonly sourceKey: string; readonly position: SourceOffset; readonly counters: Counters }>
> {
    const rows = yield* rowsOf(env, run);
    return rows.map(({ source: sourceKey, value }) => {
        const { position, counters } = settledOf(value);
        return { sourceKey, position, counters };
    });
}

interface SourceRow {
    readonly source: string;
    readonly value: string;
}

/** For the run, or for one of its sources. */
function* rowsOf(
    { tables: { checkpoints } }: StoreEnv,
    { pipelineId, runId }: Pick<RunIdentity, 'runId' | 'pipelineId'>,
    source?: string,
): StatementProgram<readonly SourceRow[]> {
    const ofSource: Sql = source === undefined ? EMPTY : sql` AND ${checkpoints.column('stepKey')} = ${source}`;
    return yield* select(sql`
        SELECT ${checkpoints.column('stepKey')} AS ${name('source')}, ${checkpoints.column('value')} AS ${name('value')} FROM ${checkpoints.name}
        WHERE ${checkpoints.column('pipelineId')} = ${pipelineId} AND ${checkpoints.column('scope')} = ${runScope(runId)}
        AND ${checkpoints.column('key')} = ${''}${ofSource}`);
}

function settledOf(value: string): Settled {
    const { position, ...more } = JSON.parse(value) as Omit<Settled, 'position'> & {
        readonly position: Omit<SourceOffset, 'token'> & { readonly token?: JsonValue };
    };
    return { ...more, position: { ...position, token: position.token } };
}

import type { SourceOffset, Reject, RunPorts } from '../ports/ports';
import { countsOf, type Counters } from '../progress/counters';
import { endOf, totalsOf } from '../progress/outcome';
import type { SourceReadEnv } from '../steps/extract';
import type { HookCalls, HookLocation } from '../hooks/hooks';
import { EventLoopYield } from '../concurrency/event-loop-yield';
import { flowError } from '../errors/flow-error';
import { PostCommitActions } from './post-commit-actions';
import { RetryExecutor } from './retry-executor';
import { restartedSource } from './source-restart';
import { type BatchSequencer, BatchSequencers } from './batch-sequencer';
import type { OffsetCommitterEnv } from './offset-committer';
import type { CompiledPipeline, Source } from './compile';
import { SpooledBatches, type Pause } from './spooled-batches';
import { sourceGroupsOf } from './source-groups';
import { MissingReconciler } from './missing-reconciler';
import { StepInstances } from './step-instances';
import { PartialReadings } from './partial-readings';
import { RecordBalance } from './record-balance';
import { Progress } from './progress';
import { InFlightLimiter } from './in-flight-limiter';
import { callStateHooks } from './run-hooks';
import { SourceCheckpoints } from './source-checkpoints';
import { ParallelBranches } from './parallel-branches';
import { type RunFailure, type RunControl, RunAbort } from './run-abort';
import { hookCallsOf, ExecutionContext } from './execution-context';
import { hookRecordError } from './hook-errors';
import { BatchPass, type BatchPassEnv, type BatchStep } from './batch-pass';
import { unloadedLine } from './unloaded-records';

/** The state of one execution: what its sources, trips and commit lines share. */
export class Execution {
    readonly room: InFlightLimiter;
    readonly pace: EventLoopYield;
    readonly lanes: ReadonlyArray<readonly Source[]>;
    isDone = false;
    /** Whether it is known how far the run is. */
    hasBegun = false;
    /** Where the run waits after it has done all that it can. */
    pause: Pause | undefined;
    readonly held: SpooledBatches;

    private readonly runAbort: RunAbort;
    private readonly progress: Progress;
    private readonly orders = new BatchSequencers();
    private readonly instances: StepInstances;
    private readonly retryExecutor: RetryExecutor;
    private readonly sourceCheckpoints: SourceCheckpoints;
    readonly afterSuccess: PostCommitActions;
    /** Sources whose records have the same order whenever they are read. */
    private readonly repeatable = new Set<string>();
    private readonly context: ExecutionContext;
    private readonly hooks: HookCalls;
    private readonly batchPassEnv: BatchPassEnv;
    private readonly missing: MissingReconciler;
    private readonly balance: RecordBalance;
    readonly partial: PartialReadings;

    constructor(
        readonly compiled: CompiledPipeline,
        private readonly ports: RunPorts,
        control: RunControl,
    ) {
        // In a run that writes nothing, each batch must still find what the previous one would have written.
        const places = compiled.input.mode === 'live' ? compiled.definition.throughput.concurrency : 1;
        this.room = new InFlightLimiter(places);
        this.lanes = sourceGroupsOf(compiled.sources, places);
        this.pace = new EventLoopYield({ clock: compiled.kit.clock });
        this.balance = new RecordBalance(compiled);
        this.progress = new Progress(compiled, (...told) => ports.progress(...told));
        this.sourceCheckpoints = new SourceCheckpoints(ports.positions, compiled.input);
        const parts = { journal: ports.journal, pace: this.pace, signal: control.signal };
        this.context = new ExecutionContext(compiled, parts);
        this.hooks = hookCallsOf(compiled, parts);
        this.runAbort = new RunAbort(control, error => {
            this.orders.close(error);
            this.room.close();
        });
        const { runAbort, hooks, context, pace, orders, progress } = this;
        this.retryExecutor = new RetryExecutor(compiled, {
            stopping: runAbort,
            hooks,
            surroundings: context,
            progress,
        });
        this.afterSuccess = new PostCommitActions(compiled.input, ports.actions, {
            attempts: this.retryExecutor,
            surroundings: context,
        });
        this.held = new SpooledBatches(compiled, { spool: ports.spool, attempts: this.retryExecutor });
        this.partial = new PartialReadings(context);
        const { retryExecutor, partial } = this;
        this.instances = new StepInstances(compiled, {
            ports,
            pace,
            orders,
            hooks,
            surroundings: context,
            attempts: retryExecutor,
        });
        this.missing = new MissingReconciler(compiled, {
            ...{ ports, attempts: retryExecutor, surroundings: context, partial, counters: () => this.counters },
            counted: counters => this.progress.add(counters),
            refuse: (error, stepKey) => this.refuse(error, stepKey),
            sweeps: this.instances.sweeps,
        });
        this.batchPassEnv = this.batchPassEnvOf();
        runAbort.listen();
    }

    /** Counters of the whole run: what earlier slices committed and what has settled since. */
    get counters(): Counters {
        return this.progress.counters;
    }

    get failure(): RunFailure | undefined {
        return this.runAbort.failure;
    }

    /**
     * Reads the committed progress and opens the steps. While nothing is committed, this counts as the start of the run: a worker that died earlier
     * may have reported the start already, which cannot be known.
     */
    async begin(): Promise<Readonly<Record<string, SourceOffset>>> {
        const committed = await this.attempt({ work: 'positions' }, () => this.ports.positions.load());
        const { positions, counters, rejectedBefore } = committed;
        this.progress.begin(counters, rejectedBefore);
        this.hasBegun = true;
        this.missing.begin(positions);
        if (Object.keys(positions).length === 0) {
            const { signal } = this.runAbort;
            await callStateHooks({ calls: this.hooks, parts: { journal: this.ports.journal, signal } }, 'RUN_STARTED');
        }
        for (const node of this.compiled.nodes)
            await this.instances
                .open(node, countsOf(counters, node.step.key).in)
                .catch((error: unknown) => this.refuse(error, node.step.key));
        return positions;
    }

    /** The position from which a source is read: the run's own, else the one of an earlier run, else its beginning. */
    async startOf(source: Source, sourceOffset: SourceOffset | undefined): Promise<SourceOffset> {
        const { step } = source;
        try {
            const start = await this.attempt({ stepKey: step.key, sourceKey: step.key, work: 'start' }, () =>
                this.sourceCheckpoints.startOf(source, sourceOffset, this.context.adapter(step.key)),
            );
            if (start.isRepeatable) this.repeatable.add(step.key);
            this.partial.start(step.key, start);
            if (!sourceOffset) {
                // For a source that has already begun, the value is part of the committed state.
                this.progress.forgive(start.rejectedBefore);
                await this.afterSuccess.pendingOfEarlierRuns(source);
            }
            this.balance.began(step.key, start.position, this.counters);
            return start.position;
        } catch (error) {
            return this.refuse(error, step.key);
        }
    }

    /** Everything is read, settled or held, and committed. */
    async finish(): Promise<void> {
        this.pause = await this.held.pause(totalsOf(this.counters, this.compiled.shape));
        if (this.pause) return this.attempt({ work: 'journal' }, () => this.ports.journal.flush());
        const { sources, nodes, input } = this.compiled;
        const lost = this.balance.imbalance(this.counters);
        if (lost) this.refuse(flowError('RECORDS_LOST', { ...lost }), lost.stepKey);
        this.partial.log(this.counters);
        await this.missing.all();
        if (input.mode === 'live') await this.finishTargets();
        for (const source of sources) await this.afterSuccess.pendingOfThisRun(source);
        this.context.ended();
        for (const { step } of [...sources, ...nodes]) this.ports.journal.emit(this.progress.summaryOf(step.key));
        await this.attempt({ work: 'journal' }, () => this.ports.journal.flush());
        this.isDone = true;
    }

    /** Finishes each target that the run has written to, in this slice or an earlier one. Repeats it if a worker died during it. */
    private async finishTargets(): Promise<void> {
        for (const [stepKey, finish] of this.instances.toFinish) {
            if (!this.progress.hasWritten(stepKey)) continue;
            const unread = this.missing.unreadOf(stepKey);
            const work = async () => finish({ unread, lack: await this.missing.lackOf(stepKey) });
            await this.attempt({ stepKey, work: 'finish' }, work).catch(error => this.refuse(error, stepKey));
        }
    }

    /** Reports a failed or cancelled run once; a run that continues elsewhere is reported there. */
    concluded({ error }: RunFailure): void {
        if (endOf(error)) this.context.ended();
    }

    /** Called before the first record of a source. Once something of it is committed, it is not called again. */
    async opening({ step: { key: sourceKey } }: Source): Promise<void> {
        if (countsOf(this.counters, sourceKey).in === 0) await this.hooks.extracting(sourceKey);
    }

    orderOf({ step, next }: Source): BatchSequencer {
        return this.orders.open(step.key, next);
    }

    fail(thrown: unknown, stepKey?: string): void {
        this.runAbort.fail(thrown, stepKey);
    }

    /** Whether another batch may start. */
    mayStart(): boolean {
        return this.runAbort.mayStart();
    }

    /**
     * Whether the last batch of a failed source may have fewer records than `batchSize`. It may not if more of it is loaded, or if a step holds
     * batches of the source: the next run starts at the first held batch and cuts the following batches again.
     */
    async mayCut({ sourceKey, batchNo }: Pick<BatchStep, 'sourceKey' | 'batchNo'>): Promise<boolean> {
        if (this.held.behind(sourceKey).length > 0) return false;
        const batch = { sourceKey, batchNo };
        return !(await this.attempt({ ...batch, work: 'positions' }, () => this.ports.loads.isBegun(batch)));
    }

    /** Logs what was read before a source failed and is not loaded: `rest` records of its last batch, and what steps hold. */
    async logUnloaded({ step: { key } }: Source, rest: number): Promise<void> {
        const gates = this.held.behind(key);
        unloadedLine(this.context.log(key), { rest, gates, held: await this.held.countsOf(gates) });
    }

    trip({ step: { key: sourceKey } }: Source, batchNo: number): BatchPass {
        return new BatchPass({ sourceKey, batchNo }, this.batchPassEnv);
    }

    /** A batch has reached its end. */
    settled(counters: Counters): void {
        this.progress.add(counters);
        if (!this.runAbort.isCutOff) this.progress.tell();
    }

    /** A batch that did not reach its end: its finished loads are in the shop and are counted. */
    broken(counters: Counters): void {
        this.progress.add(counters);
    }

    /** Waits for the work; after the run is stopped, waits at most the grace period. */
    unlessAborted(work: Promise<void>, graceMs: number): Promise<void> {
        return this.runAbort.unlessAborted(work, graceMs, this.compiled.kit.clock);
    }

    readEnv(source: Source): SourceReadEnv {
        const { key: sourceKey } = source.step;
        const { reading } = this.runAbort;
        const { batchSize } = this.compiled.definition.throughput;
        return {
            retries: this.retryExecutor.retries({ stepKey: sourceKey, sourceKey, work: 'read' }, reading),
            stop: reading,
            adapter: this.context.adapter(sourceKey),
            took: ms => this.progress.took(sourceKey, ms),
            isPart: why => this.partial.add(sourceKey, why),
            ...this.afterSuccess.pendingOf(source),
            beginAgain: position => {
                const [isRepeatable, log] = [this.repeatable.has(sourceKey), this.context.log(sourceKey)];
                const again = restartedSource(position, { source, isRepeatable, batchSize, log });
                this.balance.leftOut(sourceKey, again.seq - position.seq);
                return again;
            },
        };
    }

    commitEnv(sequencer: BatchSequencer): OffsetCommitterEnv {
        return {
            commit: commit => {
                const { sourceKey, position, batches } = commit;
                const last = batches > 0 ? position.batchNo - 1 : undefined;
                this.balance.committed(sourceKey, position);
                const store = () => this.ports.positions.commit(commit);
                return this.attempt({ sourceKey, batchNo: last, work: 'commit' }, store);
            },
            committed: batches => {
                sequencer.committed(batches);
                this.room.committed(batches);
            },
            failed: error => this.fail(error),
            isClosed: () => this.runAbort.isCutOff,
        };
    }

    private batchPassEnvOf(): BatchPassEnv {
        const { hooks } = this;
        const { probe, mode } = this.compiled.input;
        const beside = new ParallelBranches(mode === 'live');
        return {
            body: node => this.instances.body(node),
            extracted: hooks.has('AFTER_EXTRACT') ? (batch, key) => hooks.extracted(batch, key) : undefined,
            rejected: hooks.has('ON_RECORD_ERROR') ? (rejects, place) => this.logRejects(rejects, place) : undefined,
            released: (node, batch, place) => hooks.behind(node.kind, batch, place),
            left:
                probe &&
                ((sourceKey, batch) => {
                    if (probe.stepKey === sourceKey) probe.gave(batch);
                }),
            taken: (at, taken) => this.missing.taken(at, taken),
            store: async (rejects, place) => {
                if (rejects.length > 0)
                    await this.attempt({ ...place, work: 'rejects' }, () => this.ports.rejects.addAll(rejects));
            },
            progress: this.progress,
            now: () => this.compiled.kit.clock.now(),
            stretches: ways => beside.of(ways),
            failed: (error, stepKey) => this.fail(error, stepKey),
        };
    }

    private async logRejects(rejects: readonly Reject[], step: BatchStep): Promise<void> {
        await this.hooks.observe('ON_RECORD_ERROR', {
            ...step,
            records: rejects.map(({ payload }) => payload),
            errors: rejects.map(hookRecordError),
        });
    }

    private refuse(error: unknown, stepKey: string): never {
        this.fail(error, stepKey);
        throw error;
    }

    private attempt<T>(location: HookLocation, work: () => Promise<T>): Promise<T> {
        return this.retryExecutor.attempt(location, work);
    }
}

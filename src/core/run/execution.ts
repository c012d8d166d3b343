import type { Position, Reject, RunPorts } from '../ports/ports';
import { countsOf, type Counters } from '../progress/counters';
import { endOf, totalsOf } from '../progress/outcome';
import type { ReadEnv } from '../steps/extract';
import type { HookCalls, HookPlace } from '../hooks/hooks';
import { EventLoopYield } from '../work/event-loop-yield';
import { flowError } from '../errors/flow-error';
import { AfterSuccess } from './after-success';
import { Attempts } from './attempts';
import { begunAgain } from './begin-again';
import { type BatchOrder, BatchOrders } from './batch-order';
import type { CommitLineEnv } from './commit-line';
import type { CompiledPipeline, Source } from './compile';
import { HeldBatches, type Pause } from './held-batches';
import { lanesOf } from './lanes';
import { MissingSweep } from './missing-sweep';
import { OpenedSteps } from './opened-steps';
import { PartialReadings } from './partial-readings';
import { RecordBalance } from './record-balance';
import { Progress } from './progress';
import { Room } from './room';
import { callStateHooks } from './run-hooks';
import { SavedPositions } from './saved-positions';
import { SideBySide } from './side-by-side';
import { type RunFailure, type RunControl, Stopping } from './stopping';
import { callsOf, Surroundings } from './surroundings';
import { hookRecordError } from './hook-errors';
import { Trip, type TripEnv, type TripPlace } from './trip';
import { unloadedLine } from './unloaded-line';

/** The state of one execution: what its sources, trips and commit lines share. */
export class Execution {
    readonly room: Room;
    readonly pace: EventLoopYield;
    readonly lanes: ReadonlyArray<readonly Source[]>;
    isDone = false;
    /** Whether it is known how far the run is. */
    hasBegun = false;
    /** Where the run waits after it has done all that it can. */
    pause: Pause | undefined;
    readonly held: HeldBatches;

    private readonly stopping: Stopping;
    private readonly progress: Progress;
    private readonly orders = new BatchOrders();
    private readonly steps: OpenedSteps;
    private readonly attempts: Attempts;
    private readonly savedPositions: SavedPositions;
    readonly afterSuccess: AfterSuccess;
    /** Sources whose records have the same order whenever they are read. */
    private readonly repeatable = new Set<string>();
    private readonly surroundings: Surroundings;
    private readonly hooks: HookCalls;
    private readonly tripEnv: TripEnv;
    private readonly missing: MissingSweep;
    private readonly balance: RecordBalance;
    readonly partial: PartialReadings;

    constructor(
        readonly compiled: CompiledPipeline,
        private readonly ports: RunPorts,
        control: RunControl,
    ) {
        // In a run that writes nothing, each batch must still find what the previous one would have written.
        const places = compiled.input.mode === 'live' ? compiled.definition.throughput.concurrency : 1;
        this.room = new Room(places);
        this.lanes = lanesOf(compiled.sources, places);
        this.pace = new EventLoopYield({ clock: compiled.kit.clock });
        this.balance = new RecordBalance(compiled);
        this.progress = new Progress(compiled, (...told) => ports.progress(...told));
        this.savedPositions = new SavedPositions(ports.positions, compiled.input);
        const parts = { journal: ports.journal, pace: this.pace, signal: control.signal };
        this.surroundings = new Surroundings(compiled, parts);
        this.hooks = callsOf(compiled, parts);
        this.stopping = new Stopping(control, error => {
            this.orders.close(error);
            this.room.close();
        });
        const { stopping, hooks, surroundings, pace, orders, progress } = this;
        this.attempts = new Attempts(compiled, { stopping, hooks, surroundings, progress });
        this.afterSuccess = new AfterSuccess(compiled.input, ports.actions, { attempts: this.attempts, surroundings });
        this.held = new HeldBatches(compiled, { spool: ports.spool, attempts: this.attempts });
        this.partial = new PartialReadings(surroundings);
        const { attempts, partial } = this;
        this.steps = new OpenedSteps(compiled, { ports, pace, orders, hooks, surroundings, attempts });
        this.missing = new MissingSweep(compiled, {
            ...{ ports, attempts, surroundings, partial, counters: () => this.counters },
            counted: counters => this.progress.add(counters),
            refuse: (error, stepKey) => this.refuse(error, stepKey),
            sweeps: this.steps.sweeps,
        });
        this.tripEnv = this.tripEnvOf();
        stopping.listen();
    }

    /** Counters of the whole run: what earlier slices committed and what has settled since. */
    get counters(): Counters {
        return this.progress.counters;
    }

    get failure(): RunFailure | undefined {
        return this.stopping.failure;
    }

    /**
     * Reads the committed progress and opens the steps. While nothing is committed, this counts as the start of the run: a worker that died earlier
     * may have reported the start already, which cannot be known.
     */
    async begin(): Promise<Readonly<Record<string, Position>>> {
        const committed = await this.attempt({ work: 'positions' }, () => this.ports.positions.load());
        const { positions, counters, rejectedBefore } = committed;
        this.progress.begin(counters, rejectedBefore);
        this.hasBegun = true;
        this.missing.begin(positions);
        if (Object.keys(positions).length === 0) {
            const { signal } = this.stopping;
            await callStateHooks({ calls: this.hooks, parts: { journal: this.ports.journal, signal } }, 'RUN_STARTED');
        }
        for (const node of this.compiled.nodes)
            await this.steps
                .open(node, countsOf(counters, node.step.key).in)
                .catch((error: unknown) => this.refuse(error, node.step.key));
        return positions;
    }

    /** The position from which a source is read: the run's own, else the one of an earlier run, else its beginning. */
    async startOf(source: Source, position: Position | undefined): Promise<Position> {
        const { step } = source;
        try {
            const start = await this.attempt({ stepKey: step.key, sourceKey: step.key, work: 'start' }, () =>
                this.savedPositions.startOf(source, position, this.surroundings.adapter(step.key)),
            );
            if (start.isRepeatable) this.repeatable.add(step.key);
            this.partial.start(step.key, start);
            if (!position) {
                // For a source that has already begun, the value is part of the committed state.
                this.progress.forgive(start.rejectedBefore);
                await this.afterSuccess.ofEarlierRuns(source);
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
        for (const source of sources) await this.afterSuccess.ofThisRun(source);
        this.surroundings.ended();
        for (const { step } of [...sources, ...nodes]) this.ports.journal.emit(this.progress.summaryOf(step.key));
        await this.attempt({ work: 'journal' }, () => this.ports.journal.flush());
        this.isDone = true;
    }

    /** Finishes each target that the run has written to, in this slice or an earlier one. Repeats it if a worker died during it. */
    private async finishTargets(): Promise<void> {
        for (const [stepKey, finish] of this.steps.toFinish) {
            if (!this.progress.hasWritten(stepKey)) continue;
            const unread = this.missing.unreadOf(stepKey);
            const work = async () => finish({ unread, lack: await this.missing.lackOf(stepKey) });
            await this.attempt({ stepKey, work: 'finish' }, work).catch(error => this.refuse(error, stepKey));
        }
    }

    /** Reports a failed or cancelled run once; a run that continues elsewhere is reported there. */
    concluded({ error }: RunFailure): void {
        if (endOf(error)) this.surroundings.ended();
    }

    /** Before the first record of a source; once something of it is committed, that is over. */
    async opening({ step: { key: sourceKey } }: Source): Promise<void> {
        if (countsOf(this.counters, sourceKey).in === 0) await this.hooks.extracting(sourceKey);
    }

    orderOf({ step, next }: Source): BatchOrder {
        return this.orders.open(step.key, next);
    }

    fail(thrown: unknown, stepKey?: string): void {
        this.stopping.fail(thrown, stepKey);
    }

    /** Whether another batch may start. */
    mayStart(): boolean {
        return this.stopping.mayStart();
    }

    /**
     * Whether the last batch of a failed source may have fewer records than `batchSize`. It may not if more of it is loaded, or if a step holds
     * batches of the source: the next run starts at the first held batch and cuts the following batches again.
     */
    async mayCut({ sourceKey, batchNo }: Pick<TripPlace, 'sourceKey' | 'batchNo'>): Promise<boolean> {
        if (this.held.behind(sourceKey).length > 0) return false;
        const batch = { sourceKey, batchNo };
        return !(await this.attempt({ ...batch, work: 'positions' }, () => this.ports.loads.isBegun(batch)));
    }

    /** Logs what was read before a source failed and is not loaded: `rest` records of its last batch, and what steps hold. */
    async tellUnloaded({ step: { key } }: Source, rest: number): Promise<void> {
        const gates = this.held.behind(key);
        unloadedLine(this.surroundings.log(key), { rest, gates, held: await this.held.countsOf(gates) });
    }

    trip({ step: { key: sourceKey } }: Source, batchNo: number): Trip {
        return new Trip({ sourceKey, batchNo }, this.tripEnv);
    }

    /** A batch has reached its end. */
    settled(counters: Counters): void {
        this.progress.add(counters);
        if (!this.stopping.isCutOff) this.progress.tell();
    }

    /** A batch that did not reach its end: its finished loads are in the shop and are counted. */
    broken(counters: Counters): void {
        this.progress.add(counters);
    }

    /** Waits for the work; after the run is stopped, waits at most the grace period. */
    unlessAborted(work: Promise<void>, graceMs: number): Promise<void> {
        return this.stopping.unlessAborted(work, graceMs, this.compiled.kit.clock);
    }

    readEnv(source: Source): ReadEnv {
        const { key: sourceKey } = source.step;
        const { reading } = this.stopping;
        const { batchSize } = this.compiled.definition.throughput;
        return {
            retries: this.attempts.retries({ stepKey: sourceKey, sourceKey, work: 'read' }, reading),
            stop: reading,
            adapter: this.surroundings.adapter(sourceKey),
            took: ms => this.progress.took(sourceKey, ms),
            isPart: why => this.partial.add(sourceKey, why),
            ...this.afterSuccess.pendingOf(source),
            beginAgain: position => {
                const [isRepeatable, log] = [this.repeatable.has(sourceKey), this.surroundings.log(sourceKey)];
                const again = begunAgain(position, { source, isRepeatable, batchSize, log });
                this.balance.leftOut(sourceKey, again.seq - position.seq);
                return again;
            },
        };
    }

    commitEnv(order: BatchOrder): CommitLineEnv {
        return {
            commit: commit => {
                const { sourceKey, position, batches } = commit;
                const last = batches > 0 ? position.batchNo - 1 : undefined;
                this.balance.committed(sourceKey, position);
                const store = () => this.ports.positions.commit(commit);
                return this.attempt({ sourceKey, batchNo: last, work: 'commit' }, store);
            },
            landed: batches => {
                order.landed(batches);
                this.room.landed(batches);
            },
            failed: error => this.fail(error),
            isClosed: () => this.stopping.isCutOff,
        };
    }

    private tripEnvOf(): TripEnv {
        const { hooks } = this;
        const { probe, mode } = this.compiled.input;
        const beside = new SideBySide(mode === 'live');
        return {
            body: node => this.steps.body(node),
            extracted: hooks.has('AFTER_EXTRACT') ? (batch, key) => hooks.extracted(batch, key) : undefined,
            rejected: hooks.has('ON_RECORD_ERROR') ? (rejects, place) => this.tellRejects(rejects, place) : undefined,
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

    private async tellRejects(rejects: readonly Reject[], place: TripPlace): Promise<void> {
        await this.hooks.observe('ON_RECORD_ERROR', {
            ...place,
            records: rejects.map(({ payload }) => payload),
            errors: rejects.map(hookRecordError),
        });
    }

    private refuse(error: unknown, stepKey: string): never {
        this.fail(error, stepKey);
        throw error;
    }

    private attempt<T>(place: HookPlace, work: () => Promise<T>): Promise<T> {
        return this.attempts.attempt(place, work);
    }
}

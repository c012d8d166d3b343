import { asFlowError, flowError, type FlowError } from '../errors/flow-error';
import type { ReadEnv } from '../steps/extract';
import type { HookCalls, HookPlace } from '../steps/hooks';
import type { Node, StepFn } from '../steps/step';
import type { CommitLineEnv } from './commit-line';
import type { CompiledPipeline, Source } from './compile';
import { addCounters, countsOf, type Counters } from '../progress/counters';
import { ErrorBudget } from './error-budget';
import { endOf, totalsOf } from '../progress/outcome';
import { Pace } from '../work/pace';
import type { Position, Reject, RunPorts } from '../ports/ports';
import { Retries, type Retry, retrying } from './retry';
import { SavedPositions } from './saved-positions';
import { Slots } from './slots';
import { tellState } from './run-hooks';
import { callsOf, Surroundings } from './surroundings';
import { told, toldReject } from './told';
import { Trip, type TripEnv, type TripPlace } from './trip';
import { comesAgain, Turns } from './turns';

/** How an execution is told to end early. */
export interface RunControl {
    /** Aborted with a FlowError (RUN_CANCELLED, LEASE_LOST …): everything stops at its next await, nothing more is committed. */
    readonly signal: AbortSignal;
    /**
     * Aborted when the slice is over (spec 4, states): no further batch starts, those on their way settle and commit. One
     * batch a slice is done in any case, or a source that is slow to come to its first would never get on.
     */
    readonly yieldSignal?: AbortSignal;
}

/** What went wrong first, and at which step where that is known. */
export interface Failure {
    readonly error: FlowError;
    readonly stepKey: string | undefined;
}

/** The state of one execution: what its sources, trips and commit lines share. */
export class Execution {
    readonly slots: Slots;
    readonly pace: Pace;
    /** Of the whole run: what earlier slices committed and what has settled since. */
    counters: Counters = {};
    failure: Failure | undefined;
    isDone = false;
    budget: ErrorBudget;
    readonly tripEnv: TripEnv;

    private started = false;
    /** Ends waits between tries. */
    private readonly halt = new AbortController();
    /** Ends the reading of sources: a failure, or the end of the slice. */
    private readonly stopReading = new AbortController();
    private readonly bodies = new Map<Node, StepFn>();
    private readonly spentMs = new Map<string, number>();
    private readonly savedPositions: SavedPositions;
    private readonly surroundings: Surroundings;
    private readonly hooks: HookCalls;
    private readonly turns = new Turns();
    private readonly onAbort = (): void => this.fail(this.control.signal.reason);
    private readonly onYield = (): void => {
        if (this.started) this.stopReading.abort();
    };

    constructor(
        readonly compiled: CompiledPipeline,
        private readonly ports: RunPorts,
        private readonly control: RunControl,
    ) {
        // Where nothing is written, what one batch would have written must be found by the next.
        this.slots = new Slots(compiled.input.mode === 'live' ? compiled.definition.throughput.concurrency : 1);
        this.pace = new Pace(compiled.kit.clock);
        this.budget = new ErrorBudget(compiled.definition.errorHandling, totalsOf({}, compiled.shape));
        this.savedPositions = new SavedPositions(ports.positions, compiled.input);
        const parts = { journal: ports.journal, pace: this.pace, signal: control.signal };
        this.surroundings = new Surroundings(compiled, parts);
        this.hooks = callsOf(compiled, parts);
        this.tripEnv = this.tripEnvOf(this.hooks);
        control.signal.addEventListener('abort', this.onAbort, { once: true });
        control.yieldSignal?.addEventListener('abort', this.onYield, { once: true });
        if (control.signal.aborted) this.onAbort();
    }

    /**
     * Reads how far the run is and opens its steps. As long as nothing of it is committed, it is its start: a worker that died
     * before may have told of that already, but nobody knows.
     */
    async begin(): Promise<Readonly<Record<string, Position>>> {
        const committed = await this.attempt({ work: 'positions' }, () => this.ports.positions.load());
        const { positions, counters } = committed;
        const { definition, nodes, shape } = this.compiled;
        this.counters = counters;
        this.budget = new ErrorBudget(definition.errorHandling, totalsOf(counters, shape));
        this.budget.forgive(committed.rejectedBefore);
        if (Object.keys(positions).length === 0) {
            const { signal } = this.control;
            await tellState({ calls: this.hooks, parts: { journal: this.ports.journal, signal } }, 'RUN_STARTED');
        }
        for (const node of nodes) {
            const { key } = node.step;
            const memory = this.turns.memory(key, this.ports.memory);
            const env = {
                runId: this.compiled.input.runId,
                ports: this.ports,
                pace: this.pace,
                memory,
                atEnd: this.surroundings.atEnd,
                adapter: this.surroundings.adapter(key),
            };
            const opened = this.attempt({ stepKey: key, work: 'open' }, () => node.step.open(env)).catch(
                (error: unknown) => this.refuse(error, key),
            );
            const body = await opened;
            const tried: StepFn = (batch, visit) => {
                const { sourceKey, batchNo, number } = visit;
                return this.attempt({ stepKey: key, sourceKey, batchNo, visit: number, work: 'step' }, () =>
                    body(batch, visit),
                );
            };
            this.bodies.set(node, this.probed(key, this.hooks.around(node.kind, key, tried)));
        }
        return positions;
    }

    /** Where a source is read from: where the run has left it, else where an earlier run has, else its beginning. */
    async startOf({ step }: Source, position: Position | undefined): Promise<Position> {
        try {
            const start = await this.attempt({ stepKey: step.key, sourceKey: step.key, work: 'start' }, () =>
                this.savedPositions.startOf(step, position, this.surroundings.adapter(step.key)),
            );
            // Of a source that has begun already it is among what was committed.
            if (!position) this.budget.forgive(start.rejectedBefore);
            return start.position;
        } catch (error) {
            return this.refuse(error, step.key);
        }
    }

    /** Everything is read, settled and committed. */
    async finish(): Promise<void> {
        const { sources, nodes } = this.compiled;
        this.surroundings.ended();
        for (const { step } of [...sources, ...nodes]) {
            const counters = { ...countsOf(this.counters, step.key) };
            this.ports.journal.emit({
                type: 'step.finished',
                stepKey: step.key,
                counters,
                ms: this.spentMs.get(step.key) ?? 0,
            });
        }
        await this.attempt({ work: 'journal' }, () => this.ports.journal.flush());
        this.isDone = true;
    }

    /** What is said once of a run that has failed or was cancelled; one that goes on elsewhere says it there. */
    concluded({ error }: Failure): void {
        if (endOf(error)) this.surroundings.ended();
    }

    /** Before the first record of a source; once something of it is committed, that is over. */
    async opening({ step: { key: sourceKey }, next }: Source): Promise<void> {
        this.turns.revisited = comesAgain(next);
        if (countsOf(this.counters, sourceKey).in === 0)
            await this.hooks.observe('BEFORE_EXTRACT', { stepKey: sourceKey, sourceKey });
    }

    /** The first error is the run's; what fails because of it, or after it, is not worth telling. */
    fail(thrown: unknown, stepKey?: string): void {
        if (this.failure) return;
        const error = asFlowError(thrown);
        this.failure = { error, stepKey };
        this.halt.abort(error);
        this.stopReading.abort(error);
        this.turns.close(error);
        this.slots.close();
    }

    /** Whether another batch may start. */
    mayStart(): boolean {
        const isOver = this.control.yieldSignal?.aborted === true;
        if (this.failure || (this.started && isOver)) return false;
        this.started = true;
        if (isOver) this.stopReading.abort();
        return true;
    }

    trip(source: Source, batchNo: number): Trip {
        this.turns.start(batchNo);
        return new Trip({ sourceKey: source.step.key, batchNo }, this.tripEnv);
    }

    /** A batch has come to its end. */
    settled(batchNo: number, counters: Counters): void {
        this.turns.settled(batchNo);
        this.counters = addCounters(this.counters, counters);
        if (!this.isCutOff) this.ports.progress(this.counters);
    }

    /** Waits for the work; once the run is told to stop, only for so long. */
    async unlessAborted(work: Promise<void>, graceMs: number): Promise<void> {
        const { signal } = this.control;
        const over = new AbortController();
        const cut = new Promise<void>(resolve => {
            const wait = (): void => {
                this.compiled.kit.clock.sleep(graceMs, over.signal).then(resolve, resolve);
            };
            if (signal.aborted) wait();
            else signal.addEventListener('abort', wait, { once: true, signal: over.signal });
        });
        await Promise.race([work, cut]);
        over.abort();
        signal.removeEventListener('abort', this.onAbort);
        this.control.yieldSignal?.removeEventListener('abort', this.onYield);
    }

    /** A batch that did not come to its end: what its loads wrote on the way is in the shop, and is counted. */
    broken(counters: Counters): void {
        this.counters = addCounters(this.counters, counters);
    }

    readEnv(sourceKey: string): ReadEnv {
        return {
            retries: this.retries({ stepKey: sourceKey, sourceKey, work: 'read' }, this.stopReading.signal),
            stop: this.stopReading.signal,
            adapter: this.surroundings.adapter(sourceKey),
            took: ms => this.took(sourceKey, ms),
        };
    }

    readonly commitEnv: CommitLineEnv = {
        commit: commit => {
            const { sourceKey, position, batches } = commit;
            const last = batches > 0 ? position.batchNo - 1 : undefined;
            return this.attempt({ sourceKey, batchNo: last, work: 'commit' }, () =>
                this.ports.positions.commit(commit),
            );
        },
        landed: batches => {
            this.turns.landed(batches);
            this.slots.give(batches);
        },
        failed: error => this.fail(error),
        isClosed: () => this.isCutOff,
    };

    private probed(key: string, body: StepFn): StepFn {
        const { probe } = this.compiled.input;
        if (probe?.stepKey !== key) return body;
        return async (batch, visit) => {
            probe.came(batch);
            const result = await body(batch, visit);
            probe.gave(result.out, result.routed);
            return result;
        };
    }

    private tripEnvOf(hooks: HookCalls): TripEnv {
        const { probe } = this.compiled.input;
        return {
            body: node => {
                const body = this.bodies.get(node);
                if (!body) throw flowError('BUG', { problem: `step "${node.step.key}" was never opened` });
                return body;
            },
            extracted: hooks.has('AFTER_EXTRACT')
                ? (batch, key) => hooks.change('AFTER_EXTRACT', batch, { stepKey: key.sourceKey, ...key })
                : undefined,
            rejected: hooks.has('ON_RECORD_ERROR') ? (rejects, place) => this.tellRejects(rejects, place) : undefined,
            left:
                probe &&
                ((sourceKey, batch) => {
                    if (probe.stepKey === sourceKey) probe.gave(batch);
                }),
            store: async (rejects, place) => {
                if (rejects.length > 0)
                    await this.attempt({ ...place, work: 'rejects' }, () => this.ports.rejects.addAll(rejects));
            },
            spend: counts => this.budget.spend(counts),
            took: (stepKey, ms) => this.took(stepKey, ms),
            now: () => this.compiled.kit.clock.now(),
        };
    }

    private async tellRejects(rejects: readonly Reject[], place: TripPlace): Promise<void> {
        await this.hooks.observe('ON_RECORD_ERROR', {
            ...place,
            records: rejects.map(({ payload }) => payload),
            errors: rejects.map(toldReject),
        });
    }

    /** Told to stop, or another worker has the run: nothing may be written any more. */
    private get isCutOff(): boolean {
        return this.control.signal.aborted || this.failure?.error.code === 'LEASE_LOST';
    }

    private refuse(error: unknown, stepKey: string): never {
        this.fail(error, stepKey);
        throw error;
    }

    /** Throws once the run was told to stop: whatever comes after is another worker's, or nobody's. */
    private attempt<T>(place: HookPlace, work: () => Promise<T>): Promise<T> {
        return retrying(
            async () => {
                if (this.isCutOff) throw this.failure?.error ?? this.control.signal.reason;
                return work();
            },
            this.retries(place, this.halt.signal),
        );
    }

    private retries(place: HookPlace, signal: AbortSignal): Retries {
        const { definition, kit } = this.compiled;
        const { stepKey } = place;
        const retrying = (error: FlowError, retry: Retry, batchNo = place.batchNo): Promise<void> =>
            this.hooks.observe('ON_RETRY', { ...place, batchNo, retry, error: told(error, stepKey) });
        return new Retries(definition.errorHandling, {
            clock: kit.clock,
            signal,
            log: this.surroundings.log(stepKey),
            ...(this.hooks.has('ON_RETRY') && { retrying }),
        });
    }

    private took(stepKey: string, ms: number): void {
        this.spentMs.set(stepKey, (this.spentMs.get(stepKey) ?? 0) + ms);
    }
}

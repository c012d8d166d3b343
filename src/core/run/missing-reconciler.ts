import { providedRecords } from '../adapter/provided-records';
import { logEvent, writeEvent } from '../adapter/log-event';
import { type LogText, logText } from '../log/log-text';
import type { JsonObject } from '../value/json';
import { buildGraph } from '../pipeline/graph';
import type { StateEntry, StoredStateEntry } from '../progress/state-entries';
import { totalsOf } from '../progress/outcome';
import { addCounts, type Counters, countsOf } from '../progress/counters';
import type { SourceOffset, RunPorts } from '../ports/ports';
import { START } from '../steps/extract';
import type { StepResult, StepReconciler } from '../steps/step';
import { prunedEntry, RECONCILED, type SeenByStep, UNKNOWN_KEY } from '../steps/step-reconciler';
import type { CompiledPipeline } from './compile';
import type { RetryExecutor } from './retry-executor';
import { AbsenceScope } from './absence-scope';
import type { PartialReadings } from './partial-readings';
import { type DownstreamSteps, SeenTracker, type DroppedRecords } from './seen-tracker';
import type { ExecutionContext } from './execution-context';

/** The dependencies of the sweep. */
interface ReconcilerDeps {
    readonly ports: Pick<RunPorts, 'positions' | 'memory'>;
    readonly attempts: RetryExecutor;
    readonly surroundings: ExecutionContext;
    readonly partial: PartialReadings;
    /** Of the whole run. */
    counters(): Counters;
    counted(counters: Counters): void;
    /** Fails the run at a step. */
    refuse(error: unknown, stepKey: string): never;
    readonly sweeps: ReadonlyMap<string, StepReconciler>;
}

/** Why nothing is done about missing entities, and whether users should look at it. */
interface Reason {
    readonly level: 'INFO' | 'WARN';
    readonly why: LogText;
}

/** The maximum number of failed entities that a message names. */
const NAMED = 5;

/**
 * Handles entities that earlier runs loaded and whose sources no longer have them. It acts only if a run has read all sources from their beginnings
 * and has rejected nothing.
 */
export class MissingReconciler {
    private sourceOffset: SourceOffset = START;
    private readonly seenTracker: SeenTracker;
    private readonly scope: AbsenceScope;

    constructor(
        private readonly compiled: CompiledPipeline,
        private readonly deps: ReconcilerDeps,
    ) {
        const { step } = this;
        const { memory } = deps.ports;
        this.seenTracker = new SeenTracker(deps.sweeps, { by: step, memory });
        this.scope = new AbsenceScope({ by: step, memory, attempt: (stepKey, work) => this.attempt(stepKey, work) });
    }

    /** The progress of an earlier worker. */
    begin(sourceOffsets: Readonly<Record<string, SourceOffset>>): void {
        this.sourceOffset = sourceOffsets[RECONCILED] ?? START;
    }

    /** The memos for records that were taken out; undefined if the sweep does not need them. */
    taken(at: DownstreamSteps, taken: DroppedRecords): Promise<readonly StateEntry[]> | undefined {
        return this.isOn ? this.seenTracker.of(at, taken) : undefined;
    }

    /** All batches of the run are settled and committed. */
    async all(): Promise<void> {
        if (!this.isOn) return;
        for (const [stepKey, sweep] of this.deps.sweeps)
            await this.of(stepKey, sweep).catch((error: unknown) => this.deps.refuse(error, stepKey));
    }

    /** Why a step did not get all records of its sources, as a phrase for the log; undefined if it did. */
    async lackOf(stepKey: string): Promise<LogText | undefined> {
        return (await this.whyNot(stepKey))?.why;
    }

    /**
     * Why the sources of a step were not read completely in this run, as a phrase for the log; undefined if they were.
     */
    unreadOf(stepKey: string): LogText | undefined {
        return this.notRead(stepKey)?.why;
    }

    private get step(): SeenByStep {
        const { runId: run, startedAt } = this.compiled.input;
        return { run, startedAt };
    }

    private get isOn(): boolean {
        return this.deps.sweeps.size > 0 && this.compiled.input.mode !== 'preview';
    }

    private async of(stepKey: string, stepReconciler: StepReconciler): Promise<void> {
        const log = this.deps.surroundings.log(stepKey);
        const reason = await this.whyNot(stepKey);
        if (reason) return writeEvent(log, logText('MISSING_LEFT_ALONE', { why: reason.why }), reason.level);
        await this.settle(stepKey, await this.attempt(stepKey, () => stepReconciler.loaded(this.sourceOffset.batchNo)));
        let [total, missing] = [0, 0];
        for await (const { isMissing } of this.scope.all(stepKey, stepReconciler)) {
            total++;
            if (isMissing) missing++;
        }
        if (missing === 0) return;
        const { action, maxShare } = stepReconciler.rule;
        const scope = logText(stepReconciler.listed ? 'NAMED_BY_FILTERS' : 'LOADED_BY_STEP', {});
        const facts = { missing, known: total, action, scope };
        const allowed = mostOf(total, maxShare);
        if (missing > allowed) return logEvent(log, 'MISSING_TOO_MANY', { ...facts, allowed });
        await this.sweep(stepKey, stepReconciler);
        logEvent(log, 'MISSING_DONE', facts);
    }

    private async sweep(stepKey: string, stepReconciler: StepReconciler): Promise<void> {
        const { batchSize } = this.compiled.definition.throughput;
        let keys: string[] = [];
        const flush = async (): Promise<void> => {
            const due = keys;
            keys = [];
            if (due.length > 0) await this.load(stepKey, stepReconciler, due);
        };
        for await (const { key, isMissing } of this.scope.all(stepKey, stepReconciler)) {
            if (isMissing) keys.push(key);
            if (keys.length === batchSize) await flush();
        }
        await flush();
    }

    private async load(stepKey: string, stepReconciler: StepReconciler, keys: readonly string[]): Promise<void> {
        const { batchNo } = this.sourceOffset;
        const { result, refused: rejected } = await this.attempt(stepKey, () => stepReconciler.load(keys, batchNo));
        const stays = new Set(stepReconciler.rule.action === 'DELETE' ? rejected.map(({ key }) => key) : []);
        const stateEntries = keys.filter(key => !stays.has(key)).map(key => prunedEntry(stepKey, key, this.step));
        await this.settle(stepKey, result, stateEntries);
        const log = this.deps.surroundings.log(stepKey);
        for (const { key, error } of rejected.slice(0, NAMED)) logEvent(log, 'MISSING_STAYS', { key, error });
        if (rejected.length > NAMED) logEvent(log, 'MISSING_STAYS_MORE', { count: rejected.length - NAMED });
    }

    /** Counts and remembers the result, with the number of the next batch. */
    private async settle(
        stepKey: string,
        result: StepResult | undefined,
        stateEntries: readonly StoredStateEntry[] = [],
    ): Promise<void> {
        if (!result) return;
        const position = { ...this.sourceOffset, batchNo: this.sourceOffset.batchNo + 1 };
        const commit = {
            sourceKey: RECONCILED,
            position,
            counters: asCounters(stepKey, result.counts),
            batches: 1,
            memos: stateEntries,
            held: [],
        };
        await this.deps.attempts.attempt(
            { sourceKey: RECONCILED, batchNo: this.sourceOffset.batchNo, work: 'commit' },
            () => this.deps.ports.positions.commit(commit),
        );
        this.sourceOffset = position;
        this.deps.counted(commit.counters);
    }

    private notRead(stepKey: string): Reason | undefined {
        const { definition, sources } = this.compiled;
        const graph = buildGraph(definition);
        const read = new Map(sources.map(({ step }) => [step.key, graph.step(step.key)]));
        for (const [key, { config }] of read)
            if ((config as JsonObject)['adapterCode'] === providedRecords.code && graph.reachable(key).has(stepKey))
                return { level: 'INFO', why: logText('RECORDS_PROVIDED', {}) };
        for (const { key, kind } of definition.steps) {
            if (kind !== 'TRIGGER') continue;
            for (const source of graph.sourcesOf(key))
                if (!read.has(source.key) && graph.reachable(source.key).has(stepKey))
                    return { level: 'INFO', why: logText('SOURCE_NOT_READ', { source: source.key }) };
        }
        for (const [key, { why, isIntended }] of this.deps.partial)
            if (graph.reachable(key).has(stepKey))
                return {
                    level: isIntended ? 'INFO' : 'WARN',
                    why: logText('SOURCE_IN_PART', { source: key, why }),
                };
        return undefined;
    }

    private async whyNot(stepKey: string): Promise<Reason | undefined> {
        const unread = this.notRead(stepKey);
        if (unread) return unread;
        const { shape } = this.compiled;
        const { recordsRejected } = totalsOf(this.deps.counters(), shape);
        if (recordsRejected > 0) return { level: 'WARN', why: logText('RUN_HAS_REJECTED', {}) };
        const unknown = await this.attempt(stepKey, () => this.deps.ports.memory.recall(stepKey, [UNKNOWN_KEY], 'run'));
        if (unknown.size === 0) return undefined;
        return { level: 'WARN', why: logText('KEYS_UNKNOWN', {}) };
    }

    private attempt<T>(stepKey: string, work: () => Promise<T>): Promise<T> {
        return this.deps.attempts.attempt({ stepKey, sourceKey: RECONCILED, work: 'step' }, work);
    }
}

/**
 * The largest number that does not exceed a share: 29 of 100 are not more than 0.29, although 0.29 * 100 is less than
 * 29.
 */
function mostOf(total: number, share: number): number {
    const most = Math.floor(share * total);
    return most < total && (most + 1) / total <= share ? most + 1 : most;
}

function asCounters(stepKey: string, counts: StepResult['counts']): Counters {
    // These records came from no source. Their own kind of result is counted; a rejected one counts as made here, so that the step's counters add up.
    const { created = 0, updated = 0, deleted = 0, unchanged = 0, rejected = 0 } = counts;
    const own = { created, updated, deleted, unchanged, rejected, expanded: rejected };
    return { [stepKey]: addCounts(countsOf({}, stepKey), own) };
}

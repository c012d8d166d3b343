import { providedRecords } from '../adapter/provided-records';
import { trustedLine } from '../adapter/trusted-line';
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
export interface ReconcilerDeps {
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

/** A line for the run's log. */
interface Line {
    readonly level: 'INFO' | 'WARN';
    readonly text: string;
    readonly facts?: JsonObject;
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

    /** Why a step did not get all records of its sources, as the end of a sentence; undefined if it did. */
    async lackOf(stepKey: string): Promise<string | undefined> {
        return (await this.whyNot(stepKey))?.text;
    }

    /**
     * Why the sources of a step were not read completely in this run, as the end of a sentence; undefined if they were.
     */
    unreadOf(stepKey: string): string | undefined {
        return this.notRead(stepKey)?.text;
    }

    private get step(): SeenByStep {
        const { runId: run, startedAt } = this.compiled.input;
        return { run, startedAt };
    }

    private get isOn(): boolean {
        return this.deps.sweeps.size > 0 && this.compiled.input.mode !== 'preview';
    }

    private async of(stepKey: string, stepReconciler: StepReconciler): Promise<void> {
        const why = await this.whyNot(stepKey);
        if (why) return this.tell(stepKey, { level: why.level, text: `What is missing was left alone: ${why.text}.` });
        await this.settle(stepKey, await this.attempt(stepKey, () => stepReconciler.loaded(this.sourceOffset.batchNo)));
        let [total, missing] = [0, 0];
        for await (const { isMissing } of this.scope.all(stepKey, stepReconciler)) {
            total++;
            if (isMissing) missing++;
        }
        if (missing === 0) return;
        const { action, maxShare } = stepReconciler.rule;
        const scope = stepReconciler.listed ? 'the filters name' : 'this step has loaded';
        const facts = { missing, known: total, action };
        const allowed = mostOf(total, maxShare);
        if (missing > allowed) {
            const share = `${missing} of ${total} that ${scope} are missing in the source, and missing.maxShare allows ${allowed}`;
            return this.tell(stepKey, { level: 'WARN', text: `What is missing was left alone: ${share}.`, facts });
        }
        await this.sweep(stepKey, stepReconciler);
        this.tell(stepKey, {
            level: 'INFO',
            text: `Missing in the source: ${missing} of ${total} that ${scope}; the action is ${action}.`,
            facts,
        });
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
        for (const { key, message } of rejected.slice(0, NAMED))
            this.deps.surroundings.log(stepKey).warn(`${key} is missing in the source, and stays as it is. ${message}`);
        if (rejected.length > NAMED)
            this.tell(stepKey, {
                level: 'WARN',
                text: `So it is with ${rejected.length - NAMED} more that are missing.`,
            });
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

    private notRead(stepKey: string): Line | undefined {
        const { definition, sources } = this.compiled;
        const graph = buildGraph(definition);
        const read = new Map(sources.map(({ step }) => [step.key, graph.step(step.key)]));
        for (const [key, { config }] of read)
            if ((config as JsonObject)['adapterCode'] === providedRecords.code && graph.reachable(key).has(stepKey))
                return { level: 'INFO', text: 'the run was given its records' };
        for (const { key, kind } of definition.steps) {
            if (kind !== 'TRIGGER') continue;
            for (const source of graph.sourcesOf(key))
                if (!read.has(source.key) && graph.reachable(source.key).has(stepKey))
                    return { level: 'INFO', text: `the source "${source.key}" was not read in this run` };
        }
        for (const [key, { why, isIntended }] of this.deps.partial)
            if (graph.reachable(key).has(stepKey))
                return { level: isIntended ? 'INFO' : 'WARN', text: `the source "${key}" ${why}` };
        return undefined;
    }

    private async whyNot(stepKey: string): Promise<Line | undefined> {
        const unread = this.notRead(stepKey);
        if (unread) return unread;
        const { shape } = this.compiled;
        const { recordsRejected } = totalsOf(this.deps.counters(), shape);
        if (recordsRejected > 0) return { level: 'WARN', text: 'the run has rejected records' };
        const unknown = await this.attempt(stepKey, () => this.deps.ports.memory.recall(stepKey, [UNKNOWN_KEY], 'run'));
        if (unknown.size === 0) return undefined;
        const text = 'records were dropped before their keys were known; drop them after the step that sets their keys';
        return { level: 'WARN', text };
    }

    private attempt<T>(stepKey: string, work: () => Promise<T>): Promise<T> {
        return this.deps.attempts.attempt({ stepKey, sourceKey: RECONCILED, work: 'step' }, work);
    }

    private tell(stepKey: string, { level, text, facts }: Line): void {
        trustedLine(this.deps.surroundings.log(stepKey), level, text, facts);
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

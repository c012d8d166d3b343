import type { StepLog } from '../adapter/context';
import { logEvent } from '../adapter/log-event';
import type { HookStage } from '../adapter/hook-stages';
import type { HookContext, ScriptRecord } from '../adapter/script';
import { own } from '../data/own-properties';
import type { Batch } from '../data/record';
import { flowError, isFlowError } from '../errors/flow-error';
import { growth } from '../progress/counters';
import type { Step, StepFn, StepResult } from '../steps/step';
import { copyJson, type JsonObject } from '../value/json';
import type { Clock } from '../concurrency/clock';
import type { EventLoopYield } from '../concurrency/event-loop-yield';
import type { CompiledHooks, Hook } from './compile-hooks';
import type { UnhookedCalls } from './hook-call';
import { batchFromHookResult } from './hook-result';
import { withDefaults } from './record-defaults';
import { withinTime } from './time-limit';
import { thrownReason } from '../errors/worded-error';

/** What hooks need to know about the step that they surround. */
type HookedStep = Pick<Step, 'key' | 'defaults'>;

/** What hooks have of the run. */
interface HookEnv {
    readonly outside: UnhookedCalls;
    readonly run: Pick<HookContext, 'runId' | 'pipelineCode' | 'mode'>;
    /** Steps whose records have met the hooks on the way to them in an earlier run, by the sources of these records. */
    readonly returning?: Readonly<Record<string, string>> | undefined;
    readonly clock: Clock;
    readonly pace: EventLoopYield;
    /** Stops the work of a hook, because the run stops. */
    readonly signal: AbortSignal;
    log(stepKey: string | undefined): StepLog;
}

/** Where in the run a hook is called. */
export interface HookLocation {
    readonly stepKey?: string | undefined;
    readonly sourceKey?: string | undefined;
    readonly batchNo?: number | undefined;
    /** 0, or more where several ways lead the batch to the step. */
    readonly visit?: number | undefined;
    readonly branch?: string | undefined;
    /** ON_RETRY: the work that is retried. One batch may have several. */
    readonly work?: string | undefined;
}

/** The input of an observing hook: the facts of its stage, and the records that they are about. */
export interface HookObservation
    extends HookLocation, Pick<HookContext, 'totals' | 'outcome' | 'error' | 'errors' | 'retry'> {
    readonly records?: readonly JsonObject[];
}

/** Without its database, the run cannot continue; the hook is called again, with the same id, when the run resumes. */
export function isShopDatabaseLost(thrown: unknown): boolean {
    return isFlowError(thrown) && thrown.code === 'DATABASE_LOST';
}

/**
 * Calls the hooks of one execution. Hooks of one stage run one after another; each receives the result of the previous
 * one.
 */
export class HookCalls {
    constructor(
        private readonly hooks: CompiledHooks,
        private readonly env: HookEnv,
    ) {}

    has(stage: HookStage): boolean {
        return this.hooks.has(stage);
    }

    /**
     * A step's work between its hooks; only the work if there are none. No hook and no step is called with an empty
     * batch.
     */
    around(kind: string, { key: stepKey, defaults }: HookedStep, work: StepFn): StepFn {
        // No hook can be written for a kind that has no stages.
        const [before, after] = [`BEFORE_${kind}` as HookStage, `AFTER_${kind}` as HookStage];
        // For a step that looks records up, the input is not a batch for hooks: BEFORE_EXTRACT is called when a source is opened.
        const changesBefore = before !== 'BEFORE_EXTRACT' && this.has(before);
        if (!changesBefore && !this.has(after)) return work;
        return async (batch, visit) => {
            const place = { stepKey, sourceKey: visit.sourceKey, batchNo: visit.batchNo, visit: visit.number };
            const isBack = this.backAt(visit.sourceKey) === stepKey;
            const taken =
                changesBefore && !isBack
                    ? await withDefaults(batch, defaults, filled => this.change(before, filled, place))
                    : batch;
            const result = taken.length === 0 ? NOTHING : await work(taken, visit);
            if (result.abort) return { ...result, taken };
            const changed = await this.changeAnswer(after, result, place);
            return {
                ...result,
                ...changed,
                taken,
                counts: counted(result, [
                    growth(batch.length, taken.length),
                    growth(result.out.length, changed.out.length),
                ]),
            };
        };
    }

    /** A source is about to be read. */
    async extracting(sourceKey: string): Promise<void> {
        if (this.backAt(sourceKey) === undefined)
            await this.observe('BEFORE_EXTRACT', { stepKey: sourceKey, sourceKey });
    }

    /** Applies the hooks after a source to the records that it has read. */
    async extracted(batch: Batch, place: HookLocation & { readonly sourceKey: string }): Promise<Batch> {
        const { sourceKey } = place;
        if (this.backAt(sourceKey) !== undefined) return batch;
        return this.change('AFTER_EXTRACT', batch, { stepKey: sourceKey, ...place });
    }

    /** The step that the records of a source come to for a second time. */
    private backAt(sourceKey: string): string | undefined {
        return own(this.env.returning ?? {}, sourceKey);
    }

    /** Applies the hooks after a step to records that it held and releases. */
    behind(kind: string, batch: Batch, location: HookLocation): Promise<Batch> {
        return this.change(`AFTER_${kind}` as HookStage, batch, location);
    }

    /** Applies the hooks after a step to its output: for a ROUTE step, to each branch separately. */
    private async changeAnswer(
        stage: HookStage,
        { out, routed }: StepResult,
        location: HookLocation,
    ): Promise<Pick<StepResult, 'out' | 'routed'>> {
        if (!routed) return { out: await this.change(stage, out, location) };
        const changed = new Map<string, Batch>();
        for (const [branch, records] of routed)
            changed.set(branch, await this.change(stage, records, { ...location, branch }));
        return { out: [...changed.values()].flat(), routed: changed };
    }

    /**
     * Applies the hooks of a stage to a batch. Throws HOOK_FAILED if a hook that must not fail does, and DATABASE_LOST. If any other hook fails,
     * the batch continues unchanged.
     */
    async change(stage: HookStage, batch: Batch, location: HookLocation): Promise<Batch> {
        let now = batch;
        for (const [index, hook] of this.at(stage)) {
            if (now.length === 0) break;
            const before = now;
            const copies = new Copies(before.map(({ data }) => data));
            now =
                (await this.attempt(
                    { stage, hook, number: index + 1, place: location, isRead: true },
                    copies,
                    answer => (answer === undefined ? before : batchFromHookResult(answer, copies.all, before)),
                )) ?? before;
        }
        return now;
    }

    /**
     * Notifies the hooks of a stage; their results are ignored. Throws HOOK_FAILED if a hook with `failOnError` fails,
     * and DATABASE_LOST.
     */
    async observe(
        stage: HookStage,
        { records = [], stepKey, sourceKey, batchNo, visit, branch, work, ...facts }: HookObservation = {},
    ): Promise<void> {
        const place = { stepKey, sourceKey, batchNo, visit, branch, work };
        for (const [index, hook] of this.at(stage)) {
            await this.attempt(
                { stage, hook, number: index + 1, place, facts, isRead: false },
                new Copies(records),
                () => undefined,
            );
        }
    }

    private at(stage: HookStage): IterableIterator<[number, Hook]> {
        return (this.hooks.get(stage) ?? []).entries();
    }

    /** Undefined when the hook failed and the run continues. */
    private async attempt<T>(calling: Calling, copies: Copies, read: (answer: unknown) => T): Promise<T | undefined> {
        const { hook, stage, number, place } = calling;
        const { clock, signal, pace } = this.env;
        try {
            if (pace.isDue) await pace.turn();
            const work = (own: AbortSignal): unknown =>
                hook.act({
                    data: copies.data,
                    records: () => [...copies.all],
                    context: this.context(calling, own),
                    isRead: calling.isRead,
                    id: idOf(calling, this.env.run),
                    outside: this.env.outside,
                });
            return read(
                await (hook.keepsTime ? work(signal) : withinTime(work, { clock, signal, timeoutMs: hook.timeoutMs })),
            );
        } catch (thrown) {
            // The run stops: that is not a failure of the hook.
            if (signal.aborted) throw signal.reason;
            if (isShopDatabaseLost(thrown)) throw thrown;
            const reason = thrownReason(thrown);
            const problem = typeof reason === 'string' ? reason.replace(/\.$/, '') : reason;
            const error = flowError('HOOK_FAILED', { number, stage, hook: hook.label, problem }, { cause: thrown });
            if (hook.failOnError) throw error;
            const cause = isFlowError(thrown) ? thrown.code : undefined;
            logEvent(this.env.log(place.stepKey), 'HOOK_FAILED', { error, stage, cause });
            return undefined;
        }
    }

    private context({ stage, place, facts }: Calling, signal: AbortSignal): HookContext {
        const { run, log } = this.env;
        const { stepKey, sourceKey, batchNo, visit, branch } = place;
        // A deep copy, because changes by one hook must reach neither the next one nor the engine.
        const own = structuredClone(facts ?? {});
        return {
            ...own,
            ...(visit !== undefined && { visit }),
            ...(branch !== undefined && { branch }),
            stage,
            stepKey,
            sourceKey,
            batchNo,
            ...run,
            signal,
            log: { ...log(stepKey) },
        };
    }
}

interface Calling {
    readonly stage: HookStage;
    readonly hook: Hook;
    /** Its place among the hooks of the stage, from 1. */
    readonly number: number;
    readonly place: HookLocation;
    readonly isRead: boolean;
    readonly facts?: Omit<HookObservation, 'records' | keyof HookLocation>;
}

/** Everything that distinguishes the calls of a run. User-defined keys are escaped, so that different calls always have different ids. */
function idOf(
    { stage, number, place: { stepKey, sourceKey, batchNo, visit, branch, work }, facts }: Calling,
    { runId }: HookEnv['run'],
): string {
    const named = {
        step: stepKey,
        source: sourceKey,
        batch: batchNo,
        visit,
        branch,
        work,
        retry: facts?.retry?.number,
    };
    const given = Object.entries(named).filter(([, value]) => value !== undefined);
    return [runId, stage, number, ...given.map(([name, value]) => `${name}=${encodeURIComponent(value!)}`)].join('/');
}

/** Copies of some records, made on first use. */
class Copies {
    private made: readonly ScriptRecord[] | undefined;

    constructor(readonly data: readonly JsonObject[]) {}

    get all(): readonly ScriptRecord[] {
        return (this.made ??= this.data.map(data => copyJson(data)));
    }
}

const NOTHING: StepResult = { out: [], counts: {}, rejects: [], failed: [] };

/** What the step counted, and what its hooks added or left out. */
function counted({ counts }: StepResult, changes: ReadonlyArray<ReturnType<typeof growth>>): StepResult['counts'] {
    return changes.reduce<StepResult['counts']>(
        (sum, { expanded, filtered }) => ({
            ...sum,
            expanded: (sum.expanded ?? 0) + expanded,
            filtered: (sum.filtered ?? 0) + filtered,
        }),
        counts,
    );
}

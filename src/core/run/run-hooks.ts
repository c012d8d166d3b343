import { logEvent } from '../adapter/log-event';
import type { HookError } from '../adapter/script';
import { asFlowError } from '../errors/flow-error';
import { type HookCalls, isShopDatabaseLost, type HookObservation } from '../hooks/hooks';
import type { RunTotals } from '../progress/outcome';
import type { RunOutcome } from '../progress/state';
import { hookCallsOf, type ExecutionDeps, type RunWithHooks, logOf } from './execution-context';

/** How a run ended or where it waits, as its hooks receive it. */
export interface EndedRun {
    readonly status: 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'PAUSED';
    readonly totals: RunTotals;
    /** Of a completed run. */
    readonly outcome?: RunOutcome | undefined;
    /** Of a failed run. */
    readonly error?: HookError | undefined;
    /** Of a paused run: the step that holds its records. */
    readonly stepKey?: string | undefined;
}

/** Calls the hooks of an ended or paused run, whose state is already stored. Throws the signal's reason when it is aborted, and DATABASE_LOST. */
export async function callEndHooks(
    hooks: RunWithHooks,
    { status, totals, outcome, error, stepKey }: EndedRun,
    deps: ExecutionDeps,
): Promise<void> {
    const stage = `RUN_${status}` as const;
    const facts = {
        totals,
        ...(outcome && { outcome }),
        ...(stepKey !== undefined && { stepKey }),
        ...(error && { error, stepKey: error.stepKey }),
    };
    await callStateHooks({ calls: hookCallsOf(hooks, deps), parts: deps }, stage, facts);
}

/** The hooks of an execution, and the journal that reports their errors. */
interface HookCallEnv {
    readonly calls: HookCalls;
    readonly parts: Pick<ExecutionDeps, 'journal' | 'signal'>;
}

/**
 * Calls the hooks of a state that the run has reached, which no hook can change any more. If a hook that must not fail throws, the log contains an
 * ERROR and the following hooks are not called.
 */
export async function callStateHooks(
    { calls, parts: { journal, signal } }: HookCallEnv,
    stage: 'RUN_STARTED' | `RUN_${EndedRun['status']}`,
    facts: HookObservation = {},
): Promise<void> {
    try {
        await calls.observe(stage, facts);
    } catch (thrown) {
        if (signal.aborted || isShopDatabaseLost(thrown)) throw thrown;
        logEvent(logOf(journal, facts.stepKey), 'END_HOOK_FAILED', { error: asFlowError(thrown) });
    }
}

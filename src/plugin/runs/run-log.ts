import { Logger } from '@vendure/core';
import { logEvent } from '../../core/adapter/log-event';
import type { FlowError } from '../../core/errors/flow-error';
import { logOf } from '../../core/run/execution-context';
import type { Pause } from '../../core/run/spooled-batches';
import type { RunTransition } from '../stores/run-transitions';
import { LOG_CONTEXT } from '../tokens';
import type { RunAttempt } from './run-attempt';

/* What the log of a run says of the run itself. */

/** Logs how a worker starts: with a new run, a continued run, or a run whose worker has died. */
export function logRunStart(attempt: RunAttempt): void {
    const { run, journal } = attempt;
    const log = logOf(journal, undefined);
    const facts = { attempt: run.attempt };
    if (run.isFirstStart) logEvent(log, run.dryRun ? 'DRY_RUN_STARTED' : 'RUN_STARTED', {});
    else if (run.isRestart) logEvent(log, run.isTakeover ? 'DRY_RUN_LOST' : 'DRY_RUN_RELEASED', facts);
    else if (run.isTakeover) logEvent(log, 'RUN_TAKEN_OVER', facts);
    else logRunResume(attempt);
}

/** A worker continues the run. */
export function logRunResume({ journal }: RunAttempt): void {
    logEvent(logOf(journal, undefined), 'RUN_CONTINUED', {});
}

/** Logs the end of the run; a possible bug in Flow also appears in the server's log. */
export function logRunEnd({ journal, redactor }: RunAttempt, transition: RunTransition): void {
    const log = logOf(journal, transition.status === 'FAILED' ? transition.stepKey : undefined);
    if (transition.status === 'COMPLETED') logEvent(log, 'RUN_COMPLETED', { outcome: transition.outcome });
    else if (transition.status === 'CANCELLED') logEvent(log, 'RUN_CANCELLED', {});
    else {
        logEvent(log, 'RUN_FAILED', { error: transition.error });
        if (transition.error.treat === 'bug')
            Logger.error(transition.error.message, LOG_CONTEXT, redactor.text(stackOf(transition.error)));
    }
}

/** The run waits until a user releases it, or resumes automatically. */
export function logRunPause({ journal }: RunAttempt, { stepKey, records, opening }: Pause): void {
    const event = opening?.by === 'THRESHOLD' ? 'GATE_PASSED' : 'RUN_PAUSED';
    logEvent(logOf(journal, stepKey), event, { records, step: stepKey });
}

function stackOf(error: FlowError): string {
    return (error.cause instanceof Error ? error.cause.stack : error.stack) ?? '';
}

/** A log that cannot be stored must not keep the run from ending. */
export async function closeLog({ run, journal, redactor }: RunAttempt): Promise<void> {
    try {
        await journal.close();
    } catch (error) {
        Logger.warn(`The log of run ${run.runId} is incomplete: ${redactor.text(String(error))}`, LOG_CONTEXT);
    }
}

import { Logger } from '@vendure/core';
import type { FlowError } from '../../core/errors/flow-error';
import type { Pause } from '../../core/run/spooled-batches';
import type { RunTransition } from '../stores/run-transitions';
import { LOG_CONTEXT } from '../tokens';
import type { RunAttempt } from './run-attempt';

/* What the log of a run says of the run itself. */

/** Logs how a worker starts: with a new run, a continued run, or a run whose worker has died. */
export function logRunStart(attempt: RunAttempt): void {
    const { run, journal } = attempt;
    const log = (message: string): void =>
        journal.emit({
            type: 'log',
            level: run.isTakeover ? 'WARN' : 'INFO',
            stepKey: undefined,
            message,
            isOwn: true,
        });
    if (run.isFirstStart)
        log(run.dryRun ? 'The dry run has started; nothing is written to the shop.' : 'The run has started.');
    else if (run.isRestart)
        log(
            run.isTakeover
                ? `The worker of the dry run has died, so its plan is lost; the dry run starts again (attempt ${run.attempt}).`
                : 'The worker has released the dry run; it starts again.',
        );
    else if (run.isTakeover)
        log(`The worker of the run has died; it continues after its last committed batch (attempt ${run.attempt}).`);
    else logRunResume(attempt);
}

/** A worker continues the run. */
export function logRunResume({ journal }: RunAttempt): void {
    journal.emit({ type: 'log', level: 'DEBUG', stepKey: undefined, message: 'The run continues.', isOwn: true });
}

/** Logs the end of the run; a possible bug in Flow also appears in the server's log. */
export function logRunEnd({ journal, redactor }: RunAttempt, transition: RunTransition): void {
    const log = (message: string): void =>
        journal.emit({ type: 'log', level: 'INFO', stepKey: undefined, message, isOwn: true });
    if (transition.status === 'COMPLETED') log(`The run has completed: ${transition.outcome}.`);
    else if (transition.status === 'CANCELLED') log('The run was cancelled.');
    else {
        const message = `The run has failed. ${transition.error.message}`;
        const facts = { code: transition.error.code };
        journal.emit({ type: 'log', level: 'ERROR', stepKey: transition.stepKey, message, facts });
        if (transition.error.treat === 'bug')
            Logger.error(transition.error.message, LOG_CONTEXT, redactor.text(stackOf(transition.error)));
    }
}

/** The run waits until a user releases it, or resumes automatically. */
export function logRunPause({ journal }: RunAttempt, { stepKey, records, opening }: Pause): void {
    const isOne = records === 1;
    const message =
        opening?.by === 'THRESHOLD'
            ? `${isOne ? '1 record continues' : `${records} records continue`} after step "${stepKey}": fewer records were rejected than it allows.`
            : `The run is paused: ${isOne ? '1 record waits' : `${records} records wait`} at step "${stepKey}".`;
    journal.emit({ type: 'log', level: 'INFO', stepKey, message, isOwn: true });
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

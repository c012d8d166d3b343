import type { StepLog } from '../adapter/context';
import { logEvent } from '../adapter/log-event';
import type { SourceOffset } from '../ports/ports';
import type { Source } from './compile';
import { stepsNamed } from './source-checkpoints';

/** The values that a restart of a source depends on. */
interface SourceRestartEnv {
    readonly source: Source;
    /** Its records come in the same order whenever it is read: batches are known by their numbers. */
    readonly isRepeatable: boolean;
    readonly batchSize: number;
    readonly log: StepLog;
}

/** More than the number of batches that a dead worker can have had in flight, which is at most a few dozen. */
const LEAP = 1_000;

/**
 * The position at which a source restarts after the other system rejected its checkpoint (ADR 15). If its records are repeatable, it is the same
 * position, found by reading from the beginning, so no record is put into a batch twice. Otherwise the source is read again from the start, with
 * batch numbers and record numbers that no marker and no reject of the run has.
 */
export function restartedSource(
    { batchNo, seq, nextRun, cut }: SourceOffset,
    { source: { adds }, isRepeatable, batchSize, log }: SourceRestartEnv,
): SourceOffset {
    const start = { token: undefined, done: false, isBegunAgain: true } as const;
    if (isRepeatable) {
        logEvent(log, 'POSITION_REJECTED', { records: seq });
        return { ...start, skip: seq, batchNo, seq, ...(nextRun && { nextRun }), ...(cut !== undefined && { cut }) };
    }
    if (adds.length === 0) logEvent(log, 'POSITION_REJECTED_READ_AGAIN', { records: seq });
    else logEvent(log, 'POSITION_REJECTED_ADDED_AGAIN', { records: seq, ...stepsNamed(adds) });
    // The next run must not keep the rejected checkpoint either.
    return { ...start, skip: 0, batchNo: batchNo + LEAP, seq: seq + LEAP * batchSize, nextRun: 'beginning' };
}

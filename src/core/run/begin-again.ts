import type { StepLog } from '../adapter/context';
import { ownLine } from '../adapter/own-line';
import type { Position } from '../ports/ports';
import type { Source } from './compile';
import { stepsNamed } from './saved-positions';

/** What beginning again depends on. */
export interface BeginAgainEnv {
    readonly source: Source;
    /** Its records come in the same order whenever it is read: batches are known by their numbers. */
    readonly isRepeatable: boolean;
    readonly batchSize: number;
    readonly log: StepLog;
}

/** Further than any batch of a worker that has died can have been on its way: there are never more than some dozen. */
const LEAP = 1_000;

/**
 * Where a source goes on whose checkpoint the other side has refused (ADR 15). Where its records come in the same order it is the same place, found from
 * the beginning: nothing is read into a batch twice. Else all of it is read again, in batches and under numbers that no marker and no reject of the run has.
 */
export function begunAgain(
    { batchNo, seq, nextRun, cut }: Position,
    { source: { step, adds }, isRepeatable, batchSize, log }: BeginAgainEnv,
): Position {
    const start = { token: undefined, done: false, isBegunAgain: true } as const;
    const facts = { stepKey: step.key, records: seq };
    if (isRepeatable) {
        const then = 'Its records are counted from the beginning up to there, and nothing is loaded twice.';
        ownLine(log, 'WARN', `The source cannot resume from the saved position. ${then}`, facts);
        return { ...start, skip: seq, batchNo, seq, ...(nextRun && { nextRun }), ...(cut !== undefined && { cut }) };
    }
    const twice = ` What ${stepsNamed(adds)} added for loaded records is added again if they are repeated.`;
    const then = `It is read again from the beginning.${adds.length > 0 ? twice : ''}`;
    ownLine(log, 'WARN', `The source cannot resume from the saved position. ${then}`, facts);
    // What has been refused is not kept for the next run either.
    return { ...start, skip: 0, batchNo: batchNo + LEAP, seq: seq + LEAP * batchSize, nextRun: 'beginning' };
}

import type { StepLog } from '../adapter/context';
import { logEvent } from '../adapter/log-event';
import { recordInvalid } from '../errors/record-invalid';

/** Which record is warned of, and by whom. */
interface WarnedRecord {
    /** The operator or the kind of step. */
    readonly by: string;
    readonly seq: number;
    readonly sourceKey: string;
}

/** Warns about a field of a record that continues. The journal groups the warnings of one field: it keeps some and counts the rest. */
export function warnOfRecord(
    log: StepLog,
    { by, seq, sourceKey }: WarnedRecord,
    { path, problem }: { readonly path: string; readonly problem: string },
): void {
    const error = recordInvalid(path, problem);
    logEvent(log, 'RECORD_WARNING', { record: seq + 1, source: sourceKey, error, path, by, seq });
}

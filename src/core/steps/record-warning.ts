import type { StepLog } from '../adapter/context';
import { pathOfEach } from '../data/path';

/** Which record is warned of, and by whom. */
export interface WarnedRecord {
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
    log.warn(`Record ${seq + 1} of ${sourceKey}: Field "${path}": ${problem}`, {
        code: `RECORD_WARNING ${by} ${pathOfEach(path)}`,
        seq,
    });
}

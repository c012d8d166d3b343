import {
    tooManyTestRecords,
    testRunTooLarge,
    TEST_RUN_CHARS,
    TEST_RUN_RECORDS,
} from '../../../core/adapter/test-run-limits';
import type { JsonValue } from '../../../core/value/json';
import { HOLDER_WEIGHT, sizeOfValue } from '../../../core/data/weight';

/** Counts the size of messages before they are sent. Throws STEP_TEST_TOO_LARGE. */
export class MessageSizeLimit {
    private weight = 0;
    private count = 0;

    /** Counts one record, or a value in place of one. */
    take(value: JsonValue): void {
        this.weight += HOLDER_WEIGHT + sizeOfValue(value, TEST_RUN_CHARS - this.weight);
        if (this.weight > TEST_RUN_CHARS) throw testRunTooLarge();
        if (++this.count > TEST_RUN_RECORDS) throw tooManyTestRecords();
    }
}

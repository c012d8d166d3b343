import { tooManyTried, tooMuchTried, TRIAL_CHARS, TRIAL_RECORDS } from '../../../core/adapter/trial-limits';
import type { JsonValue } from '../../../core/value/json';
import { HOLDER_WEIGHT, weightOf } from '../../../core/data/weight';

/** Counts what is handed on, before it is sent. Throws STEP_TEST_TOO_LARGE. */
export class HandedOnBound {
    private weight = 0;
    private count = 0;

    /** One record, or what stands in place of one. */
    take(value: JsonValue): void {
        this.weight += HOLDER_WEIGHT + weightOf(value, TRIAL_CHARS - this.weight);
        if (this.weight > TRIAL_CHARS) throw tooMuchTried();
        if (++this.count > TRIAL_RECORDS) throw tooManyTried();
    }
}

import { HOLDER_WEIGHT, weightOf } from '../../../core/data/weight';
import type { JsonValue } from '../../../core/data/json';
import { flowError } from '../../../core/errors/flow-error';

/** What a step of a step test may hand on at a time, in characters; a page of a source as well. */
export const MAX_HELD = 4 * 1024 * 1024;

/** Counts what is handed on, before it is sent. Throws STEP_TEST_TOO_LARGE. */
export class Held {
    private weight = 0;

    constructor(private readonly most = MAX_HELD) {}

    take(value: JsonValue): void {
        this.weight += HOLDER_WEIGHT + weightOf(value, this.most - this.weight);
        if (this.weight > this.most) throw flowError('STEP_TEST_TOO_LARGE', { maxMiB: this.most / 1024 / 1024 });
    }
}

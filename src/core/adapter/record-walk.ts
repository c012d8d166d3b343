import type { RecordFn, RecordLocation, RecordResult } from './operator';
import type { JsonObject } from '../value/json';

/** A record operator that stops between the parts of its work, so that the event loop can turn there. */
export type RecordWalk = (data: JsonObject, location: RecordLocation) => Generator<void, RecordResult, void>;

const WALK: unique symbol = Symbol('walk');

/** Turns a walk into one function, which runs in one go unless the caller requests its walk. */
export function stepwise(walk: RecordWalk): RecordFn {
    const fn: RecordFn = (data, place) => {
        const steps = walk(data, place);
        for (;;) {
            const step = steps.next();
            if (step.done) return step.value;
        }
    };
    return Object.assign(fn, { [WALK]: walk });
}

/** The walk of a function that `stepwise` has made. */
export function walkOf(fn: RecordFn & { readonly [WALK]?: RecordWalk }): RecordWalk | undefined {
    return fn[WALK];
}

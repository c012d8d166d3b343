import type { z } from 'zod';
import type { Clock } from '../data/clock';
import type { JsonObject } from '../data/json';
import { type AdapterBase, erased } from './base';

/** A record operator's answer for "this record ends here". */
export const DROP: unique symbol = Symbol('drop');

/** Synchronous and pure: never changes its argument; a throw rejects that record alone. */
export type RecordFn = (data: JsonObject) => JsonObject | typeof DROP | readonly JsonObject[];

export interface CompileEnv {
    readonly clock: Clock;
}

/** Runs as a test and stands in the reference. `out: 'drop'` = the record ends; `error` = part of the message it is rejected with. */
export interface OperatorExample<A> {
    readonly args: A;
    readonly in: JsonObject;
    readonly out?: JsonObject | readonly JsonObject[] | 'drop';
    readonly error?: string;
    readonly note?: string;
}

export interface Operator<C extends string = string, S extends z.ZodObject = z.ZodObject> extends AdapterBase<C, S> {
    readonly kind: 'operator';
    readonly examples: ReadonlyArray<OperatorExample<z.input<S>>>;
    /** Called once a step and run; what can be decided from the arguments is decided here. */
    compile(args: z.output<S>, env: CompileEnv): RecordFn;
}

export function recordOperator<const C extends string, S extends z.ZodObject>(
    definition: AdapterBase<C, S> & Pick<Operator<C, S>, 'examples' | 'compile'>,
): Operator<C, S> & Operator {
    return erased<Operator, Operator<C, S>>({ ...definition, kind: 'operator' });
}

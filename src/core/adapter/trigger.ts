import type { z } from 'zod';
import { type AdapterBase, erased } from './base';

/** What can start a run. `code` is the trigger step's `type` (MANUAL, SCHEDULE …). */
export interface TriggerType<C extends string = string, S extends z.ZodObject = z.ZodObject> extends AdapterBase<C, S> {
    readonly kind: 'trigger';
}

export function defineTrigger<const C extends string, S extends z.ZodObject>(
    definition: AdapterBase<C, S>,
): TriggerType<C, S> & TriggerType {
    return erased<TriggerType, TriggerType<C, S>>({ ...definition, kind: 'trigger' });
}

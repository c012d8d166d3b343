import type { z } from 'zod';
import { flowError } from '../errors/flow-error';
import type { AdapterBase } from './base';
import { batchOperator, type BatchOperator, type Operator, recordOperator, type RecordOperator } from './operator';

type RecordDefinition<C extends string, S extends z.ZodObject> = AdapterBase<C, S> &
    Pick<RecordOperator<C, S>, 'examples' | 'compile'>;
type BatchDefinition<C extends string, S extends z.ZodObject> = AdapterBase<C, S> &
    Pick<BatchOperator<C, S>, 'examples' | 'open'>;

/** Defines a custom operator: with `compile` it processes one record at a time, with `open` a batch. */
export function defineOperator<const C extends string, S extends z.ZodObject>(
    definition: RecordDefinition<C, S>,
): RecordOperator<C, S> & RecordOperator;
export function defineOperator<const C extends string, S extends z.ZodObject>(
    definition: BatchDefinition<C, S>,
): BatchOperator<C, S> & BatchOperator;
export function defineOperator<const C extends string, S extends z.ZodObject>(
    definition: RecordDefinition<C, S> | BatchDefinition<C, S>,
): Operator {
    const { code } = definition;
    const problem =
        'compile' in definition && 'open' in definition ? 'has both compile and open' : 'has neither compile nor open';
    if ('compile' in definition && !('open' in definition)) return recordOperator(definition);
    if ('open' in definition && !('compile' in definition)) return batchOperator(definition);
    throw flowError('OPTION_INVALID', {
        option: 'adapters',
        problem: `the operator "${code}" ${problem}; one of them is needed`,
    });
}

import type { z } from 'zod';
import { faultCount } from '../errors/fault-count';
import { flowError, type FlowError } from '../errors/flow-error';
import { type SchemaIssue, parseWith } from '../schema/issues';

/** The second and last time after publication that a configuration is parsed; `place` leads the messages. */
export function parseConfig<S extends z.ZodType>(place: string, schema: S, value: unknown): z.output<S> {
    const parsed = parseWith(schema, value, place);
    if (!parsed.ok) throw invalidConfig(parsed.issues);
    return parsed.value;
}

/** The error of a definition that cannot be compiled. */
export function invalidConfig(issues: readonly SchemaIssue[]): FlowError {
    const summary = issues.map(issue => issue.message).join('; ');
    const details = { issues: issues.map(issue => ({ ...issue })) };
    return flowError('DEFINITION_INVALID', { count: faultCount(issues.length), summary }, { details });
}

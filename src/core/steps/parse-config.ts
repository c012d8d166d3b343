import type { z } from 'zod';
import { issueCount } from '../errors/issue-count';
import { flowError, type FlowError, isFlowError } from '../errors/flow-error';
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
    return flowError('DEFINITION_INVALID', { count: issueCount(issues.length), summary }, { details });
}

/** An adapter whose own code compiles its configuration. */
export interface CompiledPart {
    /** Of its configuration; leads the message. */
    readonly place: string;
    /** Its kind and code: `the operator "shout"`. */
    readonly what: string;
}

/** What an adapter makes of its configuration. Throws DEFINITION_INVALID, which names the adapter, for whatever its own code throws. */
export function compiledBy<T>(part: CompiledPart, make: () => T): T {
    try {
        return make();
    } catch (thrown) {
        throw notCompiled(part, thrown);
    }
}

/** The error for what the code of an adapter has thrown; an error of Flow stays what it is. */
export function notCompiled({ place, what }: CompiledPart, thrown: unknown): FlowError {
    if (isFlowError(thrown)) return thrown;
    const problem = thrown instanceof Error ? thrown.message : String(thrown);
    return invalidConfig([{ path: place, message: `${place}: ${what} cannot be compiled: ${problem}` }]);
}

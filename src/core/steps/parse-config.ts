import type { z } from 'zod';
import { flowError, type FlowError, isFlowError } from '../errors/flow-error';
import { type SchemaIssue, parseWith, issueFacts } from '../schema/issues';
import type { JsonObject } from '../value/json';

/** The second and last time after publication that a configuration is parsed; `place` leads the messages. */
export function parseConfig<S extends z.ZodType>(place: string, schema: S, value: unknown): z.output<S> {
    const parsed = parseWith(schema, value, place);
    if (!parsed.ok) throw invalidConfig(parsed.issues);
    return parsed.value;
}

/** The error of a definition that cannot be compiled. */
export function invalidConfig(issues: readonly SchemaIssue[]): FlowError {
    const details = { issues: issues.map(issue => ({ ...issue }) as unknown as JsonObject) };
    return flowError('DEFINITION_INVALID', { count: issues.length, summary: issueFacts(issues) }, { details });
}

/** An adapter whose own code compiles its configuration. */
interface CompiledPart {
    /** Of its configuration; leads the message. */
    readonly place: string;
    /** Its kind and code: `the operator "shout"`. */
    readonly what: string;
}

/**
 * The configuration as parsed by an adapter. If the adapter's own code throws, throws DEFINITION_INVALID, which names
 * the adapter.
 */
export function compiledBy<T>(part: CompiledPart, make: () => T): T {
    try {
        return make();
    } catch (thrown) {
        throw notCompiled(part, thrown);
    }
}

/** The error for an exception of an adapter's code. An error of Flow stays unchanged. */
export function notCompiled({ place, what }: CompiledPart, thrown: unknown): FlowError {
    if (isFlowError(thrown)) return thrown;
    const problem = thrown instanceof Error ? thrown.message : String(thrown);
    return invalidConfig([{ path: place, message: `${place}: ${what} cannot be compiled: ${problem}` }]);
}

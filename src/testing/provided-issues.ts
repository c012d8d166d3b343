import { isJsonObject, type JsonObject, type JsonValue } from '../core/value/json';
import { show } from '../core/value/show';
import { type FlowError, flowError, isFlowError } from '../core/errors/flow-error';
import type { DefinitionInput, PipelineSource } from '../core/pipeline/definition';
import { isErrorIssue, type Issue, issueAsJson } from '../core/pipeline/issues';

/** Maps issues to their paths in the input of the test. */
export type LocatedIssues = (issues: readonly Issue[]) => readonly Issue[];

/** The errors of a definition, one per line, each with its path in the input of the test; any other error unchanged. */
export function inInputTerms(error: unknown, placed: LocatedIssues): unknown {
    const issues = isFlowError(error) && error.code === 'DEFINITION_INVALID' ? error.details?.['issues'] : undefined;
    if (!Array.isArray(issues)) return error;
    const given = placed(issues as unknown as readonly Issue[]).map(withPlace);
    const faults = given.filter(isErrorIssue);
    const summary = faults.map(({ message }) => `\n    ${message}`).join('');
    return flowError(
        'DEFINITION_INVALID',
        { count: faults.length, summary },
        { details: { issues: given.map(issueAsJson) } },
    );
}

/** Most messages begin with their place. */
function withPlace(issue: Issue): Issue {
    const { path, message } = issue;
    return message.startsWith(path) ? issue : { ...issue, message: `${path}: ${message}` };
}

/** What a test may give as a pipeline. */
export function providedDefinition(pipeline: PipelineSource | DefinitionInput): DefinitionInput {
    const given: unknown = pipeline;
    if (typeof given !== 'object' || given === null)
        throw testInputInvalid(`pipeline is ${show(given)}; allowed: what pipeline(…).build() gives, or a definition`);
    if ('build' in given && typeof given.build === 'function')
        throw testInputInvalid('pipeline is a builder that is not built yet; call build() on it');
    return 'definition' in pipeline ? pipeline.definition : pipeline;
}

/** Throws if these are not records. */
export function assertRecords(records: unknown, name: string): asserts records is readonly JsonObject[] {
    if (!Array.isArray(records)) throw testInputInvalid(`${name} is ${show(records)}; allowed: a list of objects`);
    (records as readonly JsonValue[]).forEach((record, index) => {
        if (!isJsonObject(record)) throw testInputInvalid(`${name}.${index} is ${show(record)}; allowed: an object`);
    });
}

/** An error in the input of the test. */
export function testInputInvalid(problem: string): FlowError {
    return flowError('INPUT_INVALID', { problem });
}

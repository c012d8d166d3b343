import { isJsonObject, type JsonObject, type JsonValue } from '../value/json';
import { show } from '../value/show';
import { flowError } from '../errors/flow-error';
import { issueFacts } from '../schema/issues';
import { clause, type FactText } from '../errors/rendered';
import type { YieldingTask } from '../concurrency/yielding-task';
import { sortingKeys } from './key-order';
import { pipelineCodeProblem } from './pipeline-code';
import { readingInput } from './read-input';

/** A pipeline in the form that users keep in a file: its name and its definition, which may still have errors. */
export interface PipelineDocument {
    readonly code: string;
    readonly name: string;
    readonly description: string;
    readonly definition: JsonObject;
}

/** The version of the frame around the definition. */
const FRAME = 1;

/** A document as the JSON value that is written, its keys in their order and its texts without spaces around, as they are stored. */
export function* documentAsJson({ code, name, description, definition }: PipelineDocument): YieldingTask<JsonObject> {
    const about = description.trim();
    return {
        flow: FRAME,
        code,
        name: name.trim(),
        ...(about !== '' && { description: about }),
        definition: yield* sortingKeys(definition),
    };
}

/**
 * Reads a document from a parsed value. Its definition is plain JSON of an allowed size, and may have any other error. Throws DEFINITION_MALFORMED
 * if the document or its definition is not an object, and INPUT_INVALID, which names the field.
 */
export function* readingDocument(value: JsonValue): YieldingTask<PipelineDocument> {
    if (!isJsonObject(value))
        throw malformed(
            clause`document is ${show(value)}; allowed: an object with flow, code, name, description and definition`,
        );
    const { flow, code, name, description, definition, ...others } = value;
    const stranger = Object.keys(others)[0];
    if (stranger !== undefined)
        throw wrong(
            clause`document has the field ${show(stranger)}; allowed: flow, code, name, description, definition`,
        );
    if (flow !== FRAME)
        throw wrong(clause`document.flow is ${show(flow)}; allowed: ${FRAME}, the version of the format`);
    if (typeof code !== 'string') throw wrong(clause`document.code is ${show(code)}; allowed: the code of a pipeline`);
    const problem = pipelineCodeProblem(code);
    if (problem !== undefined) throw wrong(clause`document.code: ${problem}`);
    return {
        code,
        name: textOf(name, 'name') ?? code,
        description: textOf(description, 'description') ?? '',
        definition: yield* soundJson(definition),
    };
}

function textOf(value: JsonValue | undefined, field: 'name' | 'description'): string | undefined {
    if (value === undefined) return undefined;
    const path = `document.${field}`;
    if (typeof value !== 'string') throw wrong(clause`${path} is ${show(value)}; allowed: a text`);
    if (/\p{Surrogate}/u.test(value))
        throw wrong(clause`${path} holds half of a surrogate pair; allowed: any other text`);
    return value;
}

function* soundJson(definition: JsonValue | undefined): YieldingTask<JsonObject> {
    if (!isJsonObject(definition))
        throw malformed(
            clause`document.definition is ${show(definition)}; allowed: an object with version, steps and edges`,
        );
    const { value, issues } = yield* readingInput(definition);
    const [issue] = issues;
    if (value === undefined || issue)
        throw wrong(clause`document.definition: ${issueFacts(issues)[0] ?? clause`it cannot be read`}`);
    return value;
}

function malformed(problem: FactText): Error {
    return flowError('DEFINITION_MALFORMED', { problem });
}

function wrong(problem: FactText): Error {
    return flowError('INPUT_INVALID', { problem });
}

import type { JsonValue } from '../../core/value/json';
import { flowError, isFlowError } from '../../core/errors/flow-error';
import { documentAsJson, type PipelineDocument, readingDocument } from '../../core/pipeline/document';
import { jsonSyntaxIssue } from '../../core/pipeline/json-syntax-issue';
import type { YieldingTask } from '../../core/concurrency/yielding-task';
import { assertingParsable, readingYaml } from '../../io/formats/yaml';
import { writingYaml } from '../../io/formats/yaml-writer';

/** As the API's FlowDocumentFormat. */
export type DocumentFormat = 'JSON' | 'YAML';

/** A definition has at most 1 MiB without spaces; the spaces and lines that make it readable can be a multiple of that. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Some thousand operators; the last stretch of the parser's work holds everybody up. JSON has no such limit. */
const YAML_LIMITS = { maxBytes: MAX_BYTES, maxTokens: 60_000 } as const;

/**
 * A document as text, always the same for the same document. Throws INPUT_INVALID for one that is too large to be read again in YAML, and
 * names JSON as the other way.
 */
export function* writingDocumentText(document: PipelineDocument, format: DocumentFormat): YieldingTask<string> {
    const value = yield* documentAsJson(document);
    if (format === 'JSON') return `${JSON.stringify(value, null, 2)}\n`;
    const text = yield* writingYaml(value);
    try {
        yield* assertingParsable(text, YAML_LIMITS);
    } catch (error) {
        throw wrong(
            `format is YAML, in which the document could not be read again: ${faultOf(error).problem}; allowed: JSON`,
        );
    }
    return text;
}

/** The document that a text holds. Throws DEFINITION_MALFORMED and INPUT_INVALID, which say where it is wrong. */
export function* readingDocumentText(text: string, format: DocumentFormat): YieldingTask<PipelineDocument> {
    return yield* readingDocument(format === 'YAML' ? yield* fromYaml(text) : fromJson(text));
}

function fromJson(text: string): JsonValue {
    if (Buffer.byteLength(text) > MAX_BYTES)
        throw wrong(`document is larger than the ${MAX_BYTES} bytes that are allowed`);
    const json = text.replace(/^\uFEFF/, '');
    try {
        return JSON.parse(json) as JsonValue;
    } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        throw malformed(`document is no JSON: ${jsonSyntaxIssue(json) ?? error.message}`);
    }
}

function* fromYaml(text: string): YieldingTask<JsonValue> {
    try {
        return yield* readingYaml(text, YAML_LIMITS);
    } catch (error) {
        const { where, problem } = faultOf(error);
        throw malformed(`document is no YAML that can be taken: ${where}: ${problem}`);
    }
}

/** Throws on whatever is no fault of the text. */
function faultOf(error: unknown): { readonly where: string; readonly problem: string } {
    if (!isFlowError(error) || error.code !== 'SOURCE_MALFORMED') throw error;
    return error.details as unknown as { readonly where: string; readonly problem: string };
}

function malformed(problem: string): Error {
    return flowError('DEFINITION_MALFORMED', { problem });
}

function wrong(problem: string): Error {
    return flowError('INPUT_INVALID', { problem });
}

import type { JsonValue } from '../../core/value/json';
import { flowError, isFlowError } from '../../core/errors/flow-error';
import { clause, type Problem } from '../../core/errors/rendered';
import { documentAsJson, type PipelineDocument, readingDocument } from '../../core/pipeline/document';
import { jsonSyntaxIssue } from '../../core/pipeline/json-syntax-issue';
import type { YieldingTask } from '../../core/concurrency/yielding-task';
import { assertingParsable, readingYaml } from '../../io/formats/yaml';
import { writingYaml } from '../../io/formats/yaml-writer';

/** The values of the API's FlowDocumentFormat. */
export type DocumentFormat = 'JSON' | 'YAML';

/** A definition has at most 1 MiB without spaces. Its readable form with spaces and lines can be several times as large. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Enough for some thousand operators. The last part of the parser's work blocks the event loop. JSON does not need such a limit. */
const YAML_LIMITS = { maxBytes: MAX_BYTES, maxTokens: 60_000 } as const;

/**
 * Returns a document as text. The same document always has the same text. Throws INPUT_INVALID for a document that is too large to be read back as YAML, and
 * recommends JSON.
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

/** Parses a document. Throws DEFINITION_MALFORMED and INPUT_INVALID with the place of the error. */
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
        throw malformed(clause`document is not JSON: ${jsonSyntaxIssue(json) ?? error.message}`);
    }
}

function* fromYaml(text: string): YieldingTask<JsonValue> {
    try {
        return yield* readingYaml(text, YAML_LIMITS);
    } catch (error) {
        const { where, problem } = faultOf(error);
        throw malformed(clause`document is not YAML that Flow can read: ${where}: ${problem}`);
    }
}

/** Rethrows errors that are not caused by the text. */
function faultOf(error: unknown): { readonly where: string; readonly problem: string } {
    if (!isFlowError(error) || error.code !== 'SOURCE_MALFORMED') throw error;
    return error.details as unknown as { readonly where: string; readonly problem: string };
}

function malformed(problem: Problem): Error {
    return flowError('DEFINITION_MALFORMED', { problem });
}

function wrong(problem: string): Error {
    return flowError('INPUT_INVALID', { problem });
}

import type { JsonValue } from '../../core/data/json';
import { flowError, isFlowError } from '../../core/errors/flow-error';
import { documentAsJson, type PipelineDocument, readingDocument } from '../../core/pipeline/document';
import { jsonFault } from '../../core/pipeline/json-fault';
import type { Work } from '../../core/work/work';
import { readingYaml, writeYaml } from '../../io/formats/yaml';

/** As the API's FlowDocumentFormat. */
export type DocumentFormat = 'JSON' | 'YAML';

/** A definition has at most 1 MiB without spaces; the spaces and lines that make it readable can be a multiple of that. */
const MAX_BYTES = 8 * 1024 * 1024;
/** About four thousand operators; the last stretch of the parser's work holds everybody up. JSON has no such limit. */
const MAX_YAML_TOKENS = 60_000;

/** A document as text, always the same for the same document. */
export function textOfDocument(document: PipelineDocument, format: DocumentFormat): string {
    const value = documentAsJson(document);
    return format === 'YAML' ? writeYaml(value) : `${JSON.stringify(value, null, 2)}\n`;
}

/** The document that a text holds. Throws INPUT_INVALID, which says where it is wrong. */
export function* readingDocumentText(text: string, format: DocumentFormat): Work<PipelineDocument> {
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
        throw wrong(`document is no JSON: ${jsonFault(json) ?? error.message}`);
    }
}

function* fromYaml(text: string): Work<JsonValue> {
    try {
        return yield* readingYaml(text, { maxBytes: MAX_BYTES, maxTokens: MAX_YAML_TOKENS });
    } catch (error) {
        if (!isFlowError(error) || error.code !== 'SOURCE_MALFORMED') throw error;
        const { where, problem } = error.details as { readonly where: string; readonly problem: string };
        throw wrong(`document is no YAML that can be taken: ${where}: ${problem}`);
    }
}

function wrong(problem: string): Error {
    return flowError('INPUT_INVALID', { problem });
}

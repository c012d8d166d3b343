import { duplicateKeyOf, twice } from '../../core/data/json-keys';
import { show } from '../../core/value/show';
import { flowError } from '../../core/errors/flow-error';
import { bytesOfBase64 } from '../../io/media/base64';
import type { Upload } from '../files/files';
import { declaredMimeType } from '../files/mime-type';
import type { HttpRequest } from './exchange';
import { EXPIRY_FIELDS, expiryOfJson } from './expiry-fields';
import { readWholeBody } from './whole-body';

/** The largest envelope; larger files come as multipart. */
const MAX_ENVELOPE_BYTES = 10 * 1024 * 1024;

const ENVELOPE = {
    what: 'JSON body (send larger files as multipart/form-data)',
    maxBytes: MAX_ENVELOPE_BYTES,
};

const FIELDS: readonly string[] = ['filename', 'content', 'mimeType', ...EXPIRY_FIELDS];

/** Reads `{filename, content: base64, mimeType?}`. Throws INPUT_INVALID and BODY_TOO_LARGE. */
export async function readJsonUpload(request: HttpRequest): Promise<Upload> {
    const { filename, content, mimeType, ...expiry } = fieldsOf(await readWholeBody(request, ENVELOPE));
    if (typeof filename !== 'string') throw invalid(`filename is ${show(filename)}; allowed: text`);
    const bytes = typeof content === 'string' ? bytesOfBase64(content) : undefined;
    if (!bytes)
        throw invalid(
            `content is ${typeof content === 'string' ? 'not base64' : show(content)}; allowed: the file's bytes as base64`,
        );
    const said = typeof mimeType === 'string' ? declaredMimeType(mimeType) : undefined;
    if (mimeType !== undefined && said === undefined && mimeType !== 'application/octet-stream') {
        throw invalid(`mimeType is ${show(mimeType)}; allowed: a media type like "text/csv"`);
    }
    const keptFor = expiryOfJson(expiry);
    return { filename, mimeType: said, bytes: onceOf(bytes), expiry: () => keptFor };
}

function fieldsOf(body: Buffer): Readonly<Record<string, unknown>> {
    let value: unknown;
    let text: string;
    try {
        text = new TextDecoder('utf-8', { fatal: true }).decode(body);
        value = JSON.parse(text);
    } catch (error) {
        throw flowError(
            'INPUT_INVALID',
            { problem: `The body is not JSON: ${(error as Error).message}` },
            { cause: error },
        );
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        throw invalid(
            `The body is ${value === null ? 'null' : show(value)}; allowed: an object with the fields ${FIELDS.join(', ')}`,
        );
    }
    const unknown = Object.keys(value).filter(name => !FIELDS.includes(name));
    if (unknown.length > 0)
        throw invalid(
            `The body has the unknown field ${unknown.slice(0, 5).map(show).join(', ')}; known: ${FIELDS.join(', ')}`,
        );
    const duplicate = duplicateKeyOf(text);
    if (duplicate) throw invalid(`The body ${twice(duplicate)}`);
    return value as Readonly<Record<string, unknown>>;
}

async function* onceOf(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
    yield await Promise.resolve(bytes);
}

function invalid(problem: string): Error {
    return flowError('INPUT_INVALID', { problem });
}

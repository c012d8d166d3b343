import { MIMEType } from 'node:util';
import { show } from '../../core/value/show';
import { flowError } from '../../core/errors/flow-error';
import type { Upload } from '../files/files';
import { header, type HttpRequest } from './exchange';
import { readJsonUpload } from './json-upload';
import { readForm } from './multipart-upload';

/** The size of a form without its file: boundaries, headers and two short fields. */
const FORM_BYTES = 64 * 1024;
const FORM = 'multipart/form-data';
const JSON_TYPE = 'application/json';

/** An upload to read, and the function that uses it. */
interface UploadTask<T> {
    readonly maxFileSize: number;
    readonly signal: AbortSignal;
    readonly use: (upload: Upload) => Promise<T>;
}

/** Reads an upload according to its content type. Throws MEDIA_TYPE_UNSUPPORTED, BODY_TOO_LARGE, INPUT_INVALID and the errors of `use`. */
export async function readUpload<T>(request: HttpRequest, { maxFileSize, signal, use }: UploadTask<T>): Promise<T> {
    try {
        const encoding = header(request, 'content-encoding');
        if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
            throw unsupported('Content-Encoding', encoding, 'identity');
        const contentType = header(request, 'content-type');
        const type = mimeTypeOf(contentType);
        switch (type?.essence) {
            case FORM:
                if (Number(header(request, 'content-length') ?? 0) > maxFileSize + FORM_BYTES)
                    throw flowError('BODY_TOO_LARGE', { what: 'file', maxBytes: maxFileSize });
                return await readForm(request, { contentType: contentType!, signal, use });
            case JSON_TYPE: {
                const charset = type.params.get('charset') ?? 'utf-8';
                if (!/^utf-?8$/i.test(charset)) throw unsupported('charset', charset, 'utf-8');
                return await use(await readJsonUpload(request));
            }
            default:
                throw unsupported('Content-Type', contentType, `${FORM}, ${JSON_TYPE}`);
        }
    } catch (error) {
        signal.throwIfAborted();
        throw error;
    } finally {
        // Unread data is discarded, so that the sender can read the response.
        request.resume();
    }
}

function mimeTypeOf(contentType: string | undefined): MIMEType | undefined {
    try {
        return contentType === undefined ? undefined : new MIMEType(contentType);
    } catch {
        // An invalid media type is not among the allowed ones.
        return undefined;
    }
}

function unsupported(what: string, value: string | undefined, allowed: string): Error {
    return flowError('MEDIA_TYPE_UNSUPPORTED', { what, value: show(value), allowed });
}

import busboy from 'busboy';
import type { Readable } from 'node:stream';
import { show } from '../../core/value/show';
import { flowError, isFlowError } from '../../core/errors/flow-error';
import type { Upload } from '../files/files';
import { declaredMimeType } from '../files/mime-type';
import { disconnected, type HttpRequest } from './exchange';
import { EXPIRY_FIELDS, expiryOfForm } from './expiry-fields';

const FILE = 'file';
const KNOWN = [FILE, ...EXPIRY_FIELDS].join(', ');
/** One more than is allowed of each, so that the excess one is seen and can be named. */
const LIMITS = { files: 2, fields: 8, parts: 10, fieldNameSize: 100, fieldSize: 100, headerPairs: 50 };
/** The transfer encodings that do not change the bytes. */
const PLAIN = ['7bit', '8bit', 'binary'];
/** The media type that busboy reports for a part that declares none. */
const UNSPOKEN = 'text/plain';

/** A form that is being received, and the function that uses its file. */
interface FormTask<T> {
    readonly contentType: string;
    readonly signal: AbortSignal;
    readonly use: (upload: Upload) => Promise<T>;
}

/**
 * Reads a form with exactly one field `file`, whose bytes are streamed. The rest of the form is checked too: `use` receives the last byte only if
 * the whole form was valid. Throws INPUT_INVALID, which names the field. The request stays open, so that its sender can read the response.
 */
export async function readForm<T>(request: HttpRequest, { contentType, signal, use }: FormTask<T>): Promise<T> {
    const form = new Form(request, contentType);
    const stop = (): void => form.fail(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    try {
        signal.throwIfAborted();
        return await use(await form.upload);
    } finally {
        signal.removeEventListener('abort', stop);
        form.leave();
    }
}

/** What a part declares about its file. The types of busboy do not show that the name may be missing. */
interface Spoken {
    readonly filename?: string | undefined;
    readonly mimeType: string;
    readonly encoding: string;
}

class Form {
    /** The file with its bytes; rejects when the form ends without one. */
    readonly upload: Promise<Upload>;
    private readonly ended: Promise<void>;
    private readonly fields = new Map<string, string>();
    private readonly parser: busboy.Busboy;
    private stream: Readable | undefined;
    private take!: (upload: Upload) => void;
    private refuse!: (error: Error) => void;
    private end!: () => void;
    private breakOff!: (error: Error) => void;

    constructor(
        private readonly request: HttpRequest,
        contentType: string,
    ) {
        this.upload = new Promise((resolve, reject) => {
            [this.take, this.refuse] = [resolve, reject];
        });
        this.ended = new Promise((resolve, reject) => {
            [this.end, this.breakOff] = [resolve, reject];
        });
        // Awaiting callers get the error; without one, this prevents an unhandled rejection.
        for (const promise of [this.upload, this.ended]) promise.catch(() => undefined);
        this.parser = this.made(contentType);
        this.parser
            .on('file', (name, stream, info) => this.addFile(name, stream, info))
            .on('field', (name, value, info) => this.addField(name, value, info))
            .on('filesLimit', () => this.fail(twice(FILE)))
            .on('fieldsLimit', () =>
                this.fail(invalid(`The form has more than ${LIMITS.fields} fields; known: ${KNOWN}`)),
            )
            .on('partsLimit', () => this.fail(invalid(`The form has more than ${LIMITS.parts} parts; known: ${KNOWN}`)))
            .on('error', (error: unknown) => this.fail(malformed(error)))
            .on('close', () => this.close());
        request.once('error', error => this.fail(disconnected(error))).pipe(this.parser);
    }

    fail(error: Error): void {
        this.refuse(error);
        this.breakOff(error);
        this.stream?.destroy(error);
        this.leave();
    }

    /** The rest of the request is discarded. */
    leave(): void {
        this.request.unpipe(this.parser);
        this.request.resume();
        this.stream?.resume();
    }

    private made(contentType: string): busboy.Busboy {
        try {
            return busboy({
                headers: { 'content-type': contentType },
                limits: LIMITS,
                defParamCharset: 'utf8',
                preservePath: true,
            });
        } catch (error) {
            throw malformed(error);
        }
    }

    private addFile(name: string | undefined, stream: Readable, info: busboy.FileInfo): void {
        // An unread stream would block the form, and an unhandled error of it would end the process.
        stream.on('error', () => undefined);
        const issue = this.faultOfFile(name, info);
        if (issue) {
            stream.resume();
            return this.fail(issue);
        }
        this.stream = stream;
        const { filename, mimeType }: Spoken = info;
        const said = mimeType === UNSPOKEN ? undefined : declaredMimeType(mimeType);
        this.take({
            filename: filename ?? '',
            mimeType: said,
            bytes: this.bytesOf(stream),
            expiry: () => expiryOfForm(Object.fromEntries(this.fields)),
        });
    }

    private faultOfFile(name: string | undefined, { filename, encoding }: Spoken): Error | undefined {
        if (name !== FILE) return unknown(name);
        if (this.stream) return twice(FILE);
        if (!filename) return invalid(`The field ${FILE} has no filename; send a file`);
        if (PLAIN.includes(encoding)) return undefined;
        return flowError('MEDIA_TYPE_UNSUPPORTED', {
            what: 'Content-Transfer-Encoding',
            value: show(encoding),
            allowed: PLAIN.join(', '),
        });
    }

    private addField(
        name: string | undefined,
        value: string,
        { nameTruncated, valueTruncated }: busboy.FieldInfo,
    ): void {
        if (name === FILE) return this.fail(invalid(`The field ${FILE} has no filename; send a file`));
        if (nameTruncated || !EXPIRY_FIELDS.some(known => known === name)) return this.fail(unknown(name));
        if (this.fields.has(name!)) return this.fail(twice(name!));
        if (valueTruncated) return this.fail(invalid(`${name} is longer than ${LIMITS.fieldSize} characters`));
        this.fields.set(name!, value);
    }

    private close(): void {
        this.refuse(invalid(`The form has no field ${FILE}; allowed: exactly one, with the file to store`));
        this.end();
    }

    private async *bytesOf(stream: Readable): AsyncGenerator<Uint8Array, void, void> {
        try {
            for await (const chunk of stream) yield chunk as Uint8Array;
        } catch (error) {
            // An error of the form itself takes precedence.
            await this.ended;
            throw error;
        }
        await this.ended;
    }
}

function malformed(error: unknown): Error {
    if (isFlowError(error)) return error;
    return flowError(
        'INPUT_INVALID',
        { problem: `The form is malformed: ${(error as Error).message}` },
        { cause: error },
    );
}

function unknown(name: string | undefined): Error {
    return invalid(`The form has the unknown field ${show(name ?? '')}; known: ${KNOWN}`);
}

function twice(name: string): Error {
    return invalid(`The form has the field ${name} twice; allowed: once`);
}

function invalid(problem: string): Error {
    return flowError('INPUT_INVALID', { problem });
}

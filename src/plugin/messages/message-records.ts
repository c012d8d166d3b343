import { OPERATION_FIELD } from '../../core/adapter/record-operation';
import { flowError } from '../../core/errors/flow-error';
import type { JsonObject } from '../../core/value/json';
import type { YieldingTask } from '../../core/concurrency/yielding-task';
import { OPERATION_HEADER } from '../../io/broker/message-queue';
import type { ReceivedMessage } from '../../io/broker/message-source';
import { recordsOfBody, type RecordsText } from '../../io/formats/json-body';

/** As large as the body of a webhook may be. */
export const MAX_MESSAGE_CHARS = 10 * 1024 * 1024;

/** The records of a message: one JSON object or a list of objects. Yields between them. Throws INPUT_INVALID with the problem of its body. */
export function* recordsOfMessage({
    body,
    headers,
}: Pick<ReceivedMessage, 'body' | 'headers'>): YieldingTask<RecordsText> {
    if (body.byteLength > MAX_MESSAGE_CHARS)
        throw rejected(`has ${body.byteLength} bytes; allowed: at most ${MAX_MESSAGE_CHARS}`);
    const encoding = encodingOf(body, headers);
    if (encoding !== undefined)
        throw rejected(`is encoded as "${encoding}", which is not supported; send it without Content-Encoding`);
    const records = yield* recordsOfBody(textOf(body));
    return headers[OPERATION_HEADER] === 'DELETE' ? removals(records) : records;
}

/** A header marks deletions. Such a message contains only the identity of the record. */
function removals({ text, count }: RecordsText): RecordsText {
    const records = (JSON.parse(text) as readonly JsonObject[]).map(record => ({
        [OPERATION_FIELD]: 'DELETE',
        ...record,
    }));
    return { text: JSON.stringify(records), count };
}

const GZIP = [0x1f, 0x8b];
const COMPRESSED = /^(?:(?:x-)?gzip|deflate|br|zstd|(?:x-)?compress)$/i;

/** How a body is compressed, by its header or its first bytes. Undefined if it is not compressed. */
function encodingOf(body: Uint8Array, headers: ReceivedMessage['headers']): string | undefined {
    const name = Object.keys(headers).find(header => header.toLowerCase() === 'content-encoding');
    const named = name === undefined ? '' : headers[name]!.trim();
    if (COMPRESSED.test(named)) return named;
    return GZIP.every((byte, i) => body[i] === byte) ? 'gzip' : undefined;
}

function textOf(body: Uint8Array): string {
    try {
        return new TextDecoder('utf-8', { fatal: true }).decode(body);
    } catch (error) {
        throw rejected('is not UTF-8', error);
    }
}

function rejected(problem: string, cause?: unknown): Error {
    return flowError('INPUT_INVALID', { problem: `The body ${problem}` }, { cause });
}

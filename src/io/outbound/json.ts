import type { OutboundResponse } from '../../core/adapter/http';
import type { JsonValue } from '../../core/value/json';
import { readJsonText } from '../../core/data/json-text';
import { flowError } from '../../core/errors/flow-error';

export function isJsonMediaType({ headers }: OutboundResponse): boolean {
    return /^application\/(json|[\w.+-]+\+json)\b|^text\/json\b/i.test(headers['content-type'] ?? '');
}

/**
 * The body as JSON, with numbers that no double holds exactly as text; undefined if it is empty. Throws
 * REMOTE_MALFORMED, which does not quote it.
 */
export function readJson({ body }: OutboundResponse, host: string): JsonValue | undefined {
    const text = body.toString('utf8').replace(/^\ufeff/, '');
    if (text.trim() === '') return undefined;
    const read = readJsonText(text);
    if ('problem' in read) throw flowError('REMOTE_MALFORMED', { host, problem: `it ${read.problem}` });
    return read.value;
}

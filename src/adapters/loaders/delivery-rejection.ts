import { readJsonText } from '../../core/data/json-text';
import { flowError, type FlowError } from '../../core/errors/flow-error';
import type { JsonObject } from '../../core/value/json';
import { oneLine, reasonIn } from '../requests/reason';
import type { DeliveryResponse } from './delivery-client';

/**
 * Statuses that are the same for every record: credentials, the method, the media type. 404 and 410 are added if all
 * records have the same address.
 */
const OF_NO_RECORD: ReadonlySet<number> = new Set([401, 403, 405, 406, 407, 411, 415, 417, 421, 426, 431, 451]);

/**
 * Whether a response accepts the request; false if it rejects the records. Throws REMOTE_REFUSED if the response is not
 * about a record.
 */
export function isAcceptedResponse(
    { status, host }: DeliveryResponse,
    { isAddressOfRecord }: { readonly isAddressOfRecord: boolean },
): boolean {
    if (status >= 200 && status < 300) return true;
    const problem =
        status < 400
            ? `answered ${status}; only 307 and 308 repeat the request. Use the address that it leads to as the endpoint`
            : OF_NO_RECORD.has(status) || (!isAddressOfRecord && (status === 404 || status === 410))
              ? `answered ${status}, which is about the endpoint, its method or its credential, and about no record`
              : undefined;
    if (problem !== undefined) throw flowError('REMOTE_REFUSED', { host, problem }, { details: { status } });
    return false;
}

/** The record error for a rejecting response, with the reason that the response gives. */
export function rejectionOf(response: DeliveryResponse): FlowError {
    const { status, unsent } = response;
    if (unsent !== undefined) return rejectedDelivery(unsent, { status });
    const reason = reasonOfAnswer(response);
    return rejectedDelivery(reason === undefined ? `it answered ${status}` : `it answered ${status}: ${reason}`, {
        status,
    });
}

/** The record error for a problem that the other system reports. */
export function rejectedDelivery(problem: string, details: JsonObject = {}): FlowError {
    return flowError('TARGET_REFUSED', { problem: problem.replace(/[.\s]+$/, '') }, { details });
}

function reasonOfAnswer({ headers, body }: DeliveryResponse): string | undefined {
    const text = body
        .toString('utf8')
        .replace(/^\ufeff/, '')
        .trim();
    const read = /^[[{"]/.test(text) ? readJsonText(text) : undefined;
    if (read && 'value' in read) return reasonIn(read.value);
    // The markup of an HTML page is not a reason.
    const type = headers['content-type'] ?? 'text/plain';
    return /^text\/plain\b/i.test(type) ? oneLine(text) : undefined;
}

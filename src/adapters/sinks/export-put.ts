import type { AdapterContext } from '../../core/adapter/context';
import type { ExportDraft } from '../../core/adapter/exports';
import { encodedForUrl, endpointOf } from '../requests/endpoint';

/** Types of connections that a file is sent to by PUT. */
export const PUT_TYPES = ['HTTP', 'REST'] as const;

const ATTEMPTS = 3;
/** For one try of a large file over a slow line. */
const TOTAL_MS = 60 * 60_000;
/** Where the connection says nothing. */
const IDLE_MS = 300_000;

/** A whole file, and what it is called. */
export interface PutFile {
    readonly connectionCode: string;
    /** Behind the base URL: names with / between them. */
    readonly path: string;
    readonly mimeType: string;
    readonly draft: Pick<ExportDraft, 'size' | 'content'>;
}

/**
 * Sends a file by PUT, as it is read, and from its beginning whenever it is tried again. Answers where it is. The time that the connection gives a request is
 * what the other side may say nothing for. Throws CONNECTION_INVALID and what the door throws.
 */
export async function putFile(
    { connectionCode, path, mimeType, draft }: PutFile,
    cx: Pick<AdapterContext, 'outbound' | 'signal' | 'connections' | 'secrets'>,
): Promise<string> {
    const { outbound, signal } = cx;
    const url = path.split('/').map(encodedForUrl).join('/');
    const headers = { 'content-type': mimeType };
    const endpoint = endpointOf({ connectionCode, url, headers, timeoutMs: IDLE_MS }, undefined, cx);
    const { size: bytes, content } = draft;
    await outbound.http.send({
        method: 'PUT',
        url: endpoint.url,
        headers: endpoint.headers,
        auth: endpoint.auth,
        originLock: endpoint.originLock,
        body: { bytes, open: () => content.open(signal) },
        timeoutMs: TOTAL_MS,
        idleMs: endpoint.timeoutMs,
        attempts: ATTEMPTS,
        signal,
    });
    return `${path} of ${new URL(endpoint.url).host}`;
}

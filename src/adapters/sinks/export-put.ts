import type { AdapterContext } from '../../core/adapter/context';
import type { ExportDraft } from '../../core/adapter/exports';
import { encodedForUrl, endpointOf } from '../requests/endpoint';

/** Types of connections to which a file is sent by PUT. */
export const PUT_TYPES = ['HTTP', 'REST'] as const;

const ATTEMPTS = 3;
/** For one attempt to send a large file over a slow line. */
const TOTAL_MS = 60 * 60_000;
/** The default if the connection has no timeout. */
const IDLE_MS = 300_000;

/** A complete file and its name. */
interface PutFile {
    readonly connectionCode: string;
    /** The path after the base URL: names with / between them. */
    readonly path: string;
    readonly mimeType: string;
    readonly draft: Pick<ExportDraft, 'size' | 'content'>;
}

/** Where a file was written. */
export interface WrittenFile {
    readonly path: string;
    readonly host: string;
}

/**
 * Sends a file by PUT while it is read, from its beginning in every attempt. Returns its address. The request timeout
 * of the connection limits how long the other side may be silent. Throws CONNECTION_INVALID and the errors of outbound
 * requests.
 */
export async function putFile(
    { connectionCode, path, mimeType, draft }: PutFile,
    cx: Pick<AdapterContext, 'outbound' | 'signal' | 'connections' | 'secrets'>,
): Promise<WrittenFile> {
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
    return { path, host: new URL(endpoint.url).host };
}

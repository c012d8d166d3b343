import { uiConfig } from 'virtual:vendure-ui-config';

const SESSION = 'vendure-session-token';
const CHANNEL = 'vendure-selected-channel-token';

/** Calls Flow's REST routes with the server, session and channel of the admin API. */
export async function askRest(path: string, init: RequestInit = {}): Promise<Response> {
    const response = await fetch(restAddress(path), {
        ...init,
        headers: restHeaders(init.headers),
        credentials: 'include',
    });
    if (!response.ok) throw await refusalOf(response);
    return response;
}

/** The headers by which the server knows the session and the channel. */
export function restHeaders(beside?: HeadersInit): Headers {
    const headers = new Headers(beside);
    const session = localStorage.getItem(SESSION);
    const channel = localStorage.getItem(CHANNEL);
    if (session) headers.set('Authorization', `Bearer ${session}`);
    if (channel) headers.set(uiConfig.api.channelTokenKey, channel);
    return headers;
}

/** Fetches a file and hands it to the browser to be saved. */
export async function saveFile(path: string): Promise<void> {
    const response = await askRest(path);
    const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1];
    const url = URL.createObjectURL(await response.blob());
    const link = document.createElement('a');
    link.href = url;
    link.download = name ?? 'records.csv';
    link.click();
    URL.revokeObjectURL(url);
}

/** Where a REST route of Flow is. */
export function restAddress(path: string): string {
    const { host, port } = uiConfig.api;
    const server = host === 'auto' ? `${location.protocol}//${location.hostname}` : host;
    const own = location.port === '' ? '' : `:${location.port}`;
    return server + (port === 'auto' ? own : `:${port}`) + path;
}

async function refusalOf(response: Response): Promise<Error> {
    const text = await response.text();
    try {
        const { error } = JSON.parse(text) as { readonly error: string };
        return new Error(error);
    } catch (error) {
        if (error instanceof SyntaxError) return new Error(`${response.status} ${response.statusText}`);
        throw error;
    }
}

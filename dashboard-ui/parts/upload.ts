import { restAddress, restHeaders } from './rest';

/** A file on its way to the server. */
export interface Upload {
    readonly file: File;
    /** Kept until the user deletes it, instead of for some days. */
    readonly isKept?: boolean;
    /** Between 0 and 1. */
    readonly onProgress?: (share: number) => void;
    readonly signal?: AbortSignal;
}

/** Uploads a file to the server. Returns its id. Uses XMLHttpRequest because `fetch` does not report progress. */
export function upload({ file, isKept = false, onProgress, signal }: Upload): Promise<string> {
    return new Promise((resolve, reject) => {
        const request = new XMLHttpRequest();
        request.open('POST', restAddress('/flow/upload'));
        request.withCredentials = true;
        restHeaders().forEach((value, name) => request.setRequestHeader(name, value));
        request.upload.onprogress = ({ loaded, total }) => onProgress?.(total === 0 ? 0 : loaded / total);
        request.onerror = () => reject(new Error('The connection to the server was lost.'));
        request.onabort = () => reject(new DOMException('Stopped', 'AbortError'));
        request.onload = () => (request.status < 400 ? resolve(idOf(request)) : reject(new Error(problemOf(request))));
        signal?.addEventListener('abort', () => request.abort());
        const body = new FormData();
        if (isKept) body.append('persistent', 'true');
        body.append('file', file);
        request.send(body);
    });
}

function idOf({ responseText }: XMLHttpRequest): string {
    const { file } = JSON.parse(responseText) as { readonly file: { readonly id: string } };
    return file.id;
}

function problemOf({ responseText, status, statusText }: XMLHttpRequest): string {
    try {
        const { error } = JSON.parse(responseText) as { readonly error?: unknown };
        if (typeof error === 'string') return error;
    } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
    }
    return `${status} ${statusText}`;
}

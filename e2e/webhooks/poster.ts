import { createHmac } from 'node:crypto';
import { type IncomingHttpHeaders, request } from 'node:http';

/** The response to a post. */
export interface Posted {
    readonly status: number;
    readonly headers: IncomingHttpHeaders;
    readonly body: Readonly<Record<string, unknown>>;
}

/** The hexadecimal digest of a body. */
export function sha256Of(key: string, body: string | Buffer, algorithm = 'sha256'): string {
    return createHmac(algorithm, key).update(body).digest('hex');
}

/**
 * Posts to the webhooks of a server with Node's own client, so that headers are sent unchanged and as often as given.
 */
export function poster(url: string) {
    return (code: string, body: string | Buffer, headers: Record<string, string | string[]>): Promise<Posted> =>
        new Promise((resolve, reject) => {
            const chunked = headers['transfer-encoding'] === 'chunked';
            const length = chunked ? {} : { 'content-length': String(Buffer.byteLength(body)) };
            const sent = request(
                `${url}/flow/webhook/${code}`,
                {
                    method: 'POST',
                    agent: false,
                    headers: { 'content-type': 'application/json', ...length, ...headers },
                },
                response => {
                    const chunks: Buffer[] = [];
                    response.on('data', (chunk: Buffer) => chunks.push(chunk));
                    response.on('error', reject);
                    response.on('end', () => {
                        const text = Buffer.concat(chunks).toString('utf8');
                        const status = response.statusCode ?? 0;
                        resolve({ status, headers: response.headers, body: JSON.parse(text) as Posted['body'] });
                    });
                },
            );
            sent.on('error', reject);
            sent.end(body);
        });
}

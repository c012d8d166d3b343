import type { RemoteFile } from './remote-files';
import { statusCodeOf, type SftpSession, STATUS } from './sftp-session';

/** The size that every server accepts in one request: for more than 31,952 bytes the client makes two requests, except with OpenSSH. */
export const CHUNK = 30 * 1024;
/** The number of requests in flight, so that a distant server is read as fast as a near one. */
const AHEAD = 16;
const EMPTY = Buffer.alloc(0);

/** The offset from which a file is read, and its size as far as that is known. */
interface Stretch extends Pick<Partial<RemoteFile>, 'size'> {
    readonly offset: number;
}

/** The bytes of an open file, whose handle is released afterwards. Throws the protocol's own errors. */
export async function* sftpChunks(
    session: SftpSession,
    handle: Buffer,
    { offset, size }: Stretch,
): AsyncGenerator<Uint8Array, void, void> {
    const ask = (at: number): Promise<Buffer> => {
        const answer = session.call<Buffer>((sftp, done) =>
            sftp.read(handle, Buffer.allocUnsafe(CHUNK), 0, CHUNK, at, (error, bytes, buffer) =>
                // Some versions of the client report the end of the file as an error.
                error && statusCodeOf(error) !== STATUS.eof
                    ? done(error, EMPTY)
                    : done(null, error ? EMPTY : buffer.subarray(0, bytes)),
            ),
        );
        // A reader that stops early awaits none of them.
        answer.catch(() => undefined);
        return answer;
    };
    // At most the rest of the file, and one more request at its end, which has an empty result unless the file has
    // grown.
    const ahead = (from: number): number =>
        size === undefined ? AHEAD : Math.min(AHEAD, Math.max(1, Math.ceil((size - from) / CHUNK)));
    try {
        let at = offset;
        let requested: Array<Promise<Buffer>> = [];
        for (let next = at; ;) {
            for (const most = ahead(at); requested.length < most; next += CHUNK) requested.push(ask(next));
            const chunk = await requested.shift()!;
            if (chunk.length === 0) return;
            at += chunk.length;
            // Requests after a short response start at the wrong offset.
            if (chunk.length < CHUNK) [requested, next] = [[], at];
            yield chunk;
        }
    } finally {
        session.release(handle);
    }
}

import type { RemoteFile } from './remote-files';
import { statusCodeOf, type SftpSession, STATUS } from './sftp-session';

/** What every server takes in one request: the client asks twice for more than 31,952 bytes, save of OpenSSH's. */
export const CHUNK = 30 * 1024;
/** So many requests are on their way at a time, so that a far server is read as fast as a near one. */
const AHEAD = 16;
const EMPTY = Buffer.alloc(0);

/** From where on a file is read, and how large it is as far as that is known. */
interface Stretch extends Pick<Partial<RemoteFile>, 'size'> {
    readonly offset: number;
}

/** The bytes of an open file, whose handle is given back behind them. Throws the protocol's own errors. */
export async function* sftpPieces(
    session: SftpSession,
    handle: Buffer,
    { offset, size }: Stretch,
): AsyncGenerator<Uint8Array, void, void> {
    const ask = (at: number): Promise<Buffer> => {
        const answer = session.call<Buffer>((sftp, done) =>
            sftp.read(handle, Buffer.allocUnsafe(CHUNK), 0, CHUNK, at, (error, bytes, buffer) =>
                // Behind the end there is nothing, which some versions of the client say by an error.
                error && statusCodeOf(error) !== STATUS.eof
                    ? done(error, EMPTY)
                    : done(null, error ? EMPTY : buffer.subarray(0, bytes)),
            ),
        );
        // Whoever leaves early waits for none of them.
        answer.catch(() => undefined);
        return answer;
    };
    // No more than there is to be had, and at its end one that is answered with nothing, unless the file has grown.
    const ahead = (from: number): number =>
        size === undefined ? AHEAD : Math.min(AHEAD, Math.max(1, Math.ceil((size - from) / CHUNK)));
    try {
        let at = offset;
        let asked: Array<Promise<Buffer>> = [];
        for (let next = at; ;) {
            for (const most = ahead(at); asked.length < most; next += CHUNK) asked.push(ask(next));
            const chunk = await asked.shift()!;
            if (chunk.length === 0) return;
            at += chunk.length;
            // What was asked for behind a short answer begins at the wrong place.
            if (chunk.length < CHUNK) [asked, next] = [[], at];
            yield chunk;
        }
    } finally {
        session.release(handle);
    }
}

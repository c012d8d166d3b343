import type { OutboundSocket } from '../../core/adapter/outbound';
import { flowError } from '../../core/errors/flow-error';
import type { ResultGuard } from './result-guard';

/** A server of MySQL speaks first, and at once. After this time the server may be another one. */
const SILENT_MS = 1_000;
const ASKING_MS = 3_000;
/** The first message of a PostgreSQL client: can the server encrypt? The server replies with one letter. */
const ASKS_FOR_TLS = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const ANSWERS: readonly string[] = ['S', 'N'];

/** The server that should greet, and another socket to it. */
interface SilentServer {
    readonly host: string;
    readonly connect: () => Promise<OutboundSocket>;
}

/**
 * Waits for the greeting of a MySQL server. PostgreSQL waits for the client, so both would wait for each other until
 * the deadline: a silent server is checked for PostgreSQL over another socket. Throws REMOTE_REFUSED if it is one.
 */
export async function withGreeting(
    greeting: Promise<void>,
    answers: ResultGuard,
    { host, connect }: SilentServer,
): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const stranger = new Promise<never>((_, reject) => {
        const problem = 'does not speak the protocol of MySQL: it is a server of PostgreSQL';
        const ask = async (): Promise<void> => {
            if (answers.isSilent && (await isPostgres(connect))) reject(flowError('REMOTE_REFUSED', { host, problem }));
        };
        timer = setTimeout(() => void ask(), SILENT_MS);
    });
    try {
        await Promise.race([greeting, stranger]);
    } finally {
        clearTimeout(timer);
    }
}

/** Never throws: every other problem is reported by the code that waits for the greeting. */
async function isPostgres(connect: SilentServer['connect']): Promise<boolean> {
    try {
        const socket = await connect();
        try {
            const first = await new Promise<Buffer | undefined>(resolve => {
                const none = (): void => resolve(undefined);
                socket.once('data', resolve).once('error', none).once('close', none);
                socket.setTimeout(ASKING_MS, none);
                socket.write(ASKS_FOR_TLS);
            });
            return first?.length === 1 && ANSWERS.includes(first.toString('latin1'));
        } finally {
            socket.destroy();
        }
    } catch {
        return false;
    }
}

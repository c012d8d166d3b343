import type { DetachedSession } from '../../core/adapter/outbound';

/** Runs that follow each other do so within milliseconds; servers let few in at a time. */
const LEFT_MS = 1_000;
/** After this time, the host is resolved and checked again, however often a session was reused. */
const OLDEST_MS = 60_000;
const MOST_LEFT = 64;

interface Left {
    readonly session: DetachedSession;
    readonly timer: NodeJS.Timeout;
}

/** Sessions that runs have left open for later runs, one per name. */
export class DetachedSessions {
    private readonly left = new Map<string, Left>();
    private readonly since = new WeakMap<DetachedSession, number>();

    /** Stores a session. It is closed instead if the name is taken, if there are too many, or if it is too old. */
    put(name: string, session: DetachedSession): void {
        const since = this.since.get(session) ?? performance.now();
        this.since.set(session, since);
        const isOld = performance.now() - since >= OLDEST_MS;
        if (isOld || isLost(session) || this.left.has(name) || this.left.size >= MOST_LEFT) {
            session.close();
            return;
        }
        const timer = setTimeout(() => this.take(name)?.close(), LEFT_MS).unref();
        this.left.set(name, { session, timer });
    }

    /** The one by this name, which is not here any more then. */
    take(name: string): DetachedSession | undefined {
        const found = this.left.get(name);
        if (!found) return undefined;
        this.left.delete(name);
        clearTimeout(found.timer);
        if (!isLost(found.session)) return found.session;
        found.session.close();
        return undefined;
    }

    closeAll(): void {
        for (const name of [...this.left.keys()]) this.take(name)?.close();
    }
}

function isLost({ sockets }: DetachedSession): boolean {
    return sockets.some(({ destroyed }) => destroyed);
}

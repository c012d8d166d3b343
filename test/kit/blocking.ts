/** How work that takes long holds up the event loop. Times are processor times of this process. */
export interface Blocking<T> {
    readonly value: T;
    /** The longest time without a turn. */
    readonly longestMs: number;
    /**
     * What that must stay below: a third of all of it, so that a machine that is slow or busy, which stretches both alike, makes no difference;
     * of work that is short, 200 ms.
     */
    readonly boundMs: number;
}

/** Does the work, and looks how long it goes on without a turn of the event loop. */
export async function blocking<T>(work: () => Promise<T>): Promise<Blocking<T>> {
    const spentMs = (): number => {
        const { user, system } = process.cpuUsage();
        return (user + system) / 1000;
    };
    let longestMs = 0;
    const startMs = spentMs();
    let last = startMs;
    const look = (): void => {
        longestMs = Math.max(longestMs, spentMs() - last);
        last = spentMs();
    };
    const looking = setInterval(look, 1);
    try {
        const value = await work();
        look();
        return { value, longestMs, boundMs: Math.max((last - startMs) / 3, 200) };
    } finally {
        clearInterval(looking);
    }
}

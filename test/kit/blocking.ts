/** The longest time without a turn of the event loop, in processor time of this process: what else the machine does does not count. */
export async function blocking<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly longestMs: number }> {
    const spentMs = (): number => {
        const { user, system } = process.cpuUsage();
        return (user + system) / 1000;
    };
    let longestMs = 0;
    let last = spentMs();
    const look = (): void => {
        longestMs = Math.max(longestMs, spentMs() - last);
        last = spentMs();
    };
    const looking = setInterval(look, 1);
    try {
        const value = await work();
        look();
        return { value, longestMs };
    } finally {
        clearInterval(looking);
    }
}

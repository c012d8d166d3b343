/** Shares one answer among concurrent callers with the same key: a caller that arrives while a request is pending waits for its result. */
export class SingleFlight<T> {
    private readonly onTheirWay = new Map<string, Promise<T>>();

    /** Throws what `ask` throws, to all who wait for it. */
    of(key: string, ask: () => Promise<T>): Promise<T> {
        const known = this.onTheirWay.get(key);
        if (known) return known;
        const requested = ask().finally(() => this.onTheirWay.delete(key));
        this.onTheirWay.set(key, requested);
        return requested;
    }
}

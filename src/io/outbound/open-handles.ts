/** What a run has open at the moment. */
export class OpenHandles {
    private readonly closers = new Set<() => void>();

    /** `close` may be called after it is closed. The returned function removes it again. */
    add(close: () => void): () => void {
        this.closers.add(close);
        return () => this.closers.delete(close);
    }

    closeAll(): void {
        for (const close of [...this.closers]) close();
        this.closers.clear();
    }
}

/** The part of pg's and mysql2's connections that is used. */
export interface DatabaseWire {
    readonly processID?: number;
    readonly threadId?: number;
    readonly stream?: { destroy(): void };
    /** pg since 8.22: statements are sent at once, however many of them have no answer yet. */
    pipeline?: boolean;
    /** pg: closes, also in the middle of a statement. */
    end(): Promise<void>;
    /** mysql2: leaves the pool and closes. */
    destroy?(): void;
    on(event: 'error', listener: (error: Error) => void): unknown;
    removeListener(event: 'error', listener: (error: Error) => void): unknown;
}

/** Whether the driver can send a statement while others have no answer yet. */
export function canPipeline({ pipeline }: DatabaseWire): boolean {
    return pipeline !== undefined;
}

/**
 * Enables pipelining of the driver until the returned function is called. No statement may be in flight at either moment, because it would receive
 * the response of the next one. So the mode lasts until the end of the transaction is answered.
 */
export function pipelining(wire: DatabaseWire): () => void {
    const { pipeline: before } = wire;
    if (before === undefined) return () => undefined;
    wire.pipeline = true;
    return () => {
        wire.pipeline = before;
    };
}

/** Closes it, also in the middle of a statement. */
export function closeWire(wire: DatabaseWire): void {
    // It would wait for the answers of all of them.
    if (canPipeline(wire)) wire.pipeline = false;
    if (wire.destroy) {
        wire.destroy();
        // Its farewell would never arrive.
        wire.stream?.destroy();
    } else wire.end().catch(() => undefined); // It is closed either way.
}

/** The part of pg's and mysql2's connections that is used. */
export interface DatabaseWire {
    readonly processID?: number;
    readonly threadId?: number;
    readonly stream?: { destroy(): void };
    /** pg: closes, also in the middle of a statement. */
    end(): Promise<void>;
    /** mysql2: leaves the pool and closes. */
    destroy?(): void;
    on(event: 'error', listener: (error: Error) => void): unknown;
    removeListener(event: 'error', listener: (error: Error) => void): unknown;
}

/** Closes it, also in the middle of a statement. */
export function closeWire(wire: DatabaseWire): void {
    if (wire.destroy) {
        wire.destroy();
        // Its farewell would never arrive.
        wire.stream?.destroy();
    } else wire.end().catch(() => undefined); // It is gone either way.
}

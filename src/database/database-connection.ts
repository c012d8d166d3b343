/** The part of pg's and mysql2's connections that is used. */
export interface DatabaseConnection {
    readonly processID?: number;
    readonly threadId?: number;
    readonly stream?: { destroy(): void };
    /** pg since 8.22: if true, statements are sent at once, without waiting for earlier results. */
    pipeline?: boolean;
    /** pg: closes, also in the middle of a statement. */
    end(): Promise<void>;
    /** mysql2: leaves the pool and closes. */
    destroy?(): void;
    on(event: 'error', listener: (error: Error) => void): unknown;
    removeListener(event: 'error', listener: (error: Error) => void): unknown;
}

/** Whether the driver can send a statement before earlier ones have results. */
export function canPipeline({ pipeline }: DatabaseConnection): boolean {
    return pipeline !== undefined;
}

/**
 * Enables pipelining of the driver until the returned function is called. No statement may be in flight at either moment, because it would receive
 * the response of the next one. So the mode lasts until the end of the transaction is answered.
 */
export function pipelining(connection: DatabaseConnection): () => void {
    const { pipeline: before } = connection;
    if (before === undefined) return () => undefined;
    connection.pipeline = true;
    return () => {
        connection.pipeline = before;
    };
}

/** Closes it, also in the middle of a statement. */
export function closeConnection(connection: DatabaseConnection): void {
    // It would wait for the results of all statements.
    if (canPipeline(connection)) connection.pipeline = false;
    if (connection.destroy) {
        connection.destroy();
        // Its farewell would never arrive.
        connection.stream?.destroy();
    } else connection.end().catch(() => undefined); // It is closed either way.
}

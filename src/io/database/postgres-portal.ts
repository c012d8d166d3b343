import type { SqlStatement } from './session';

/** A field of a row's description; only the part of pg's field that is used here. */
export interface PostgresField {
    readonly name: string;
    readonly dataTypeID: number;
}

/** What is called on pg's connection: the extended protocol, in which a text is one statement or an error. */
interface PortalConnection {
    readonly stream: { cork?(): void; uncork?(): void };
    parse(message: { text: string; name: string; types: readonly number[] }): void;
    bind(message: { portal: string; statement: string; values: readonly unknown[]; binary: boolean }): void;
    describe(message: { type: 'P'; name: string }): void;
    execute(message: { portal: string; rows: number }): void;
    sync(): void;
}

/** The part of pg that a portal needs: something that submits it. */
export interface Submitter {
    query(portal: Portal): unknown;
}

/** Rows as the wire has them: texts and NULLs. */
export type TextRow = ReadonlyArray<string | null>;

/**
 * One SELECT of PostgreSQL's extended protocol, read in portions or whole; pg passes its connection to it. Cells stay
 * the texts that the server sends, since pg's own parsers round, convert to the process's time zone, or return
 * nothing at all. Each portion ends with a Sync, so that the server's time limit restarts with the next one: within a
 * transaction the portal survives a Sync.
 */
export class Portal {
    fields: readonly PostgresField[] = [];
    private rows: TextRow[] = [];
    private isBound = false;
    private failure: unknown;
    private waiting: { resolve(rows: readonly TextRow[]): void; reject(error: unknown): void } | undefined;

    /** `size` 0 reads all rows at once. */
    constructor(
        private readonly statement: SqlStatement,
        private readonly size: number,
    ) {}

    /** The next rows, fewer than `size` at the end. Rejects with the server's error. */
    next(client: Submitter): Promise<readonly TextRow[]> {
        return new Promise((resolve, reject) => {
            this.waiting = { resolve, reject };
            client.query(this);
        });
    }

    submit(portalConnection: PortalConnection): undefined {
        portalConnection.stream.cork?.();
        try {
            if (!this.isBound) {
                portalConnection.parse({ text: this.statement.text, name: '', types: [] });
                portalConnection.bind({
                    portal: '',
                    statement: '',
                    values: this.statement.values.map(asText),
                    binary: false,
                });
                portalConnection.describe({ type: 'P', name: '' });
                this.isBound = true;
            }
            portalConnection.execute({ portal: '', rows: this.size });
            portalConnection.sync();
        } finally {
            portalConnection.stream.uncork?.();
        }
        return undefined;
    }

    handleRowDescription({ fields }: { readonly fields: readonly PostgresField[] }): void {
        this.fields = fields;
    }

    handleDataRow({ fields }: { readonly fields: TextRow }): void {
        this.rows.push(fields);
    }

    handlePortalSuspended(): void {
        // There are more rows; the Sync after this portion is answered too.
    }

    handleCommandComplete(): void {
        // The Sync after the last rows is answered too.
    }

    handleEmptyQuery(): void {
        // The Sync after an empty query is answered too.
    }

    handleError(error: unknown): void {
        this.failure ??= error;
        // After an error pg reports nothing more to the portal.
        this.settle();
    }

    handleReadyForQuery(): void {
        this.settle();
    }

    handleCopyInResponse(wire: { sendCopyFail(message: string): void }): void {
        wire.sendCopyFail('a query is read');
    }

    handleCopyData(): void {
        // COPY sends no rows of a query; the guard has rejected it before.
    }

    private settle(): void {
        const { waiting, failure, rows } = this;
        this.waiting = undefined;
        this.rows = [];
        if (failure !== undefined) waiting?.reject(failure);
        else waiting?.resolve(rows);
    }
}

/** The server reads each text with the type of the parameter's counterpart in the query. */
function asText(value: unknown): string | null {
    return value === null ? null : String(value as string | number | boolean);
}

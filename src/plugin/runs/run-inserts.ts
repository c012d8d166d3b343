import { isFlowError } from '../../core/errors/flow-error';
import type { Id, Row } from '../../database/write';

/** The maximum of one statement, so that the first request does not wait for all later ones. */
const MOST_ROWS = 50;
const MOST_CHARS = 4 * 1024 * 1024;

/** A run that is to be stored. */
interface Waiting {
    readonly row: Row;
    readonly chars: number;
    resolve(id: Id): void;
    reject(error: unknown): void;
}

/**
 * Stores runs with one statement for all that arrived during the previous statement: otherwise each of many webhook requests would wait for the
 * disk separately. A single run is stored at once.
 */
export class RunInserts {
    private readonly waiting: Waiting[] = [];
    private isBusy = false;

    /** `store` returns the ids in the order of the rows, which all have the same properties. */
    constructor(private readonly store: (rows: readonly Row[]) => Promise<readonly Id[]>) {}

    /** `chars`: how large it is, about. Throws what the store throws; nothing of it is stored then. */
    add(row: Row, chars: number): Promise<Id> {
        return new Promise((resolve, reject) => {
            this.waiting.push({ row, chars, resolve, reject });
            if (!this.isBusy) void this.storeAll();
        });
    }

    private async storeAll(): Promise<void> {
        this.isBusy = true;
        while (this.waiting.length > 0) await this.storeThese(this.next());
        this.isBusy = false;
    }

    private next(): readonly Waiting[] {
        let chars = 0;
        const end = this.waiting.findIndex((each, i) => (chars += each.chars) > MOST_CHARS && i > 0);
        return this.waiting.splice(0, Math.min(MOST_ROWS, end < 0 ? MOST_ROWS : end));
    }

    private async storeThese(these: readonly Waiting[]): Promise<void> {
        try {
            const ids = await this.store(these.map(({ row }) => row));
            these.forEach(({ resolve }, i) => resolve(ids[i]!));
        } catch (error) {
            // A rejected run must not fail the others. After a transient error, the runs may have been stored, so the insert is not repeated.
            const isRefused = isFlowError(error) && error.treat !== 'transient';
            if (these.length > 1 && isRefused) for (const each of these) await this.storeThese([each]);
            else for (const { reject } of these) reject(error);
        }
    }
}

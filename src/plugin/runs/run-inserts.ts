import { isFlowError } from '../../core/errors/flow-error';
import type { Id, Row } from '../../database/write';

/** One statement takes no more: what is asked for by whom comes first should not wait for all that came behind it. */
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
 * Stores runs by one statement for all that have come while the one before was under way: a flood of posts would have each of them wait for
 * the disk by itself. One that comes alone is stored at once.
 */
export class RunInserts {
    private readonly waiting: Waiting[] = [];
    private isBusy = false;

    /** `store` answers the ids in the order of the rows, all of which have the same properties. */
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
            // One that the database refuses is no fault of the others. What it does not answer for may have been stored: that is not repeated.
            const isRefused = isFlowError(error) && error.treat !== 'transient';
            if (these.length > 1 && isRefused) for (const each of these) await this.storeThese([each]);
            else for (const { reject } of these) reject(error);
        }
    }
}

import type { LoadNote } from '../adapter/loader';
import type { LoadUnit, Reject } from '../ports/ports';

/** What this worker has learned about a batch, over all its tries; it is reported once the batch has settled. */
export class PartialLoads {
    private readonly rejected = new Map<string, Reject>();
    readonly notes: LoadNote[] = [];

    /** The same reject may be added twice if the response to its storing was lost. */
    add(rejects: readonly Reject[]): void {
        for (const reject of rejects) this.rejected.set(`${reject.seq} ${reject.ordinal}`, reject);
    }

    get rejects(): readonly Reject[] {
        return [...this.rejected.values()];
    }
}

/** What is known about batches that a try left unfinished: loads that settle record by record resume after the settled ones. */
export class IncompleteLoads {
    private readonly news = new Map<string, PartialLoads>();

    of(key: LoadUnit['key']): PartialLoads {
        const place = placeOf(key);
        const news = this.news.get(place) ?? new PartialLoads();
        this.news.set(place, news);
        return news;
    }

    settled(key: LoadUnit['key']): void {
        this.news.delete(placeOf(key));
    }
}

function placeOf({ stepKey, sourceKey, batchNo, visit }: LoadUnit['key']): string {
    return JSON.stringify([stepKey, sourceKey, batchNo, visit]);
}

import { type QuotaReservation, MemoryQuota } from '../../core/concurrency/memory-quota';
import { networkOf } from './webhook-rates';

/** As much as all posts together hold that have not been answered yet; those beyond come again. */
const HELD_BYTES = 128 * 1024 * 1024;
/** As much of it as those from one address hold: whoever sends large bodies slowly, and proves nothing, keeps out nobody else. */
const HELD_BYTES_OF_ONE = HELD_BYTES / 2;

/** What the bodies of the posts at hand hold together. */
export class RequestBodyBudget {
    private readonly all = new MemoryQuota(HELD_BYTES);
    private readonly byNetwork = new Map<string, { readonly shares: MemoryQuota; posts: number }>();

    /** `exceeded` makes what is thrown where there is no room for more. */
    open(address: string, exceeded: () => Error): QuotaReservation {
        const network = networkOf(address);
        const ofOne = this.byNetwork.get(network) ?? { shares: new MemoryQuota(HELD_BYTES_OF_ONE), posts: 0 };
        this.byNetwork.set(network, ofOne);
        ofOne.posts++;
        const both = [ofOne.shares.open(exceeded), this.all.open(exceeded)] as const;
        const each = (what: (quotaReservation: QuotaReservation) => void): void => both.forEach(what);
        return {
            take: bytes => each(share => share.take(bytes)),
            giveBack: bytes => each(share => share.giveBack(bytes)),
            release: () => {
                each(share => share.release());
                if (--ofOne.posts === 0) this.byNetwork.delete(network);
            },
        };
    }
}

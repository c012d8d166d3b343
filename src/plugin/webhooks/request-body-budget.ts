import { type QuotaReservation, MemoryQuota } from '../../core/concurrency/memory-quota';
import { networkOf } from './webhook-rates';

/** The limit for all unanswered posts together. Posts beyond it are rejected and can be retried. */
const HELD_BYTES = 128 * 1024 * 1024;
/** The limit for one address, so that a sender of large, slow, unauthenticated bodies does not block others. */
const HELD_BYTES_OF_ONE = HELD_BYTES / 2;

/** The total size of the bodies of unanswered posts. */
export class RequestBodyBudget {
    private readonly all = new MemoryQuota(HELD_BYTES);
    private readonly byNetwork = new Map<string, { readonly shares: MemoryQuota; posts: number }>();

    /** `exceeded` creates the error that is thrown if there is no room. */
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

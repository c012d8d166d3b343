import type { RequestContext } from '@vendure/core';
import { ConcurrencyLimiter } from '../../core/concurrency/concurrency-limiter';
import { MemoryQuota } from '../../core/concurrency/memory-quota';
import { flowError } from '../../core/errors/flow-error';

/** The most sources that are read at the same time, and the most requests that wait for that. */
const IN_ALL = { working: 8, waiting: 32 };
const OF_USER = { working: 2, waiting: 4 };
const WAIT_MS = 20_000;

/** Limits how many sources are read at the same time, of each user and in all: each opens a connection and may download a large file. */
export class SourceLimits {
    private readonly all = limiter(IN_ALL);
    private readonly users = new Map<string, { readonly limiter: ConcurrencyLimiter; requests: number }>();

    /** Throws IMPORT_SOURCES_OF_USER_BUSY, IMPORT_SOURCES_BUSY, and the errors of the work. */
    async through<T>({ activeUserId }: RequestContext, work: () => Promise<T>): Promise<T> {
        const name = String(activeUserId);
        const user = this.users.get(name) ?? { limiter: limiter(OF_USER), requests: 0 };
        this.users.set(name, user);
        user.requests++;
        const busy = (): Error => flowError('IMPORT_SOURCES_OF_USER_BUSY', { count: OF_USER.working });
        const allBusy = (): Error => flowError('IMPORT_SOURCES_BUSY', { count: IN_ALL.working });
        try {
            return await user.limiter.through({ busy }, () => this.all.through({ busy: allBusy }, work));
        } finally {
            if (--user.requests === 0) this.users.delete(name);
        }
    }
}

function limiter(limits: { readonly working: number; readonly waiting: number }): ConcurrencyLimiter {
    return new ConcurrencyLimiter({ ...limits, waitMs: WAIT_MS, held: new MemoryQuota(limits.waiting) });
}

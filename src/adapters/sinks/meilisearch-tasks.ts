import type { MeiliSearch, TasksOrBatchesQuery } from 'meilisearch';
import type { SinkRunContext } from '../../core/adapter/sink';
import { flowError } from '../../core/errors/flow-error';
import type { ClientGateway } from './client-gateway';
import { untilDone } from './engine-tasks';

/** The maximum number of tasks per request. */
export const PAGE = 100;
/** A swap is identified by its index, so it does no harm to request more of them. */
const SWAPS_FROM_MS = 24 * 60 * 60_000;

interface FoundTask {
    readonly uid: number;
    readonly details: unknown;
}

/** The server's clock, according to its responses. Its tasks have its time, and are filtered by that time. */
export class ServerClock {
    private aheadMs = 0;

    constructor(private readonly cx: Pick<SinkRunContext, 'clock' | 'run'>) {}

    /** Called for any response; a response without a date changes nothing. */
    heard({ date }: Readonly<Record<string, string>>): void {
        const said = Date.parse(date ?? '');
        if (!Number.isNaN(said)) this.aheadMs = said - this.cx.clock.now();
    }

    /**
     * The beginning of the run, or up to a second before, because responses give whole seconds. `byMs` earlier if set.
     */
    beginning(byMs = 0): string {
        return new Date(this.cx.run.startedAt + this.aheadMs - byMs).toISOString();
    }
}

/** A sink's access to the server. */
export interface MeilisearchDeps {
    readonly client: MeiliSearch;
    readonly door: ClientGateway;
    readonly cx: SinkRunContext;
    readonly time: ServerClock;
}

/** The state of the tasks of Meilisearch. */
export class MeilisearchTasks {
    constructor(private readonly deps: MeilisearchDeps) {}

    /** The swap that an index of this run was part of, however many other swaps there were since. */
    async swapOf(fresh: string): Promise<number | undefined> {
        const requested: TasksOrBatchesQuery = {
            types: ['indexSwap'],
            statuses: ['enqueued', 'processing', 'succeeded'],
            afterEnqueuedAt: this.deps.time.beginning(SWAPS_FROM_MS),
            limit: PAGE,
        };
        let page = await this.pageOf(requested);
        for (;;) {
            const found = page.tasks.find(({ details }) =>
                JSON.stringify(details ?? {}).includes(JSON.stringify(fresh)),
            );
            if (found || page.next === undefined) return found?.uid;
            page = await this.pageOf({ ...requested, from: page.next });
        }
    }

    /** Waits for all tasks of the index up to the last one of this run, and not for later ones of others. */
    async untilNoneIsOpen(index: string, last: number | undefined): Promise<void> {
        const { door: gateway, cx } = this.deps;
        const newest = async (requested: TasksOrBatchesQuery): Promise<number | undefined> =>
            (await this.tasksOf({ indexUids: [index], limit: 1, ...requested }))[0]?.uid;
        const from = last ?? (await newest({}));
        if (from === undefined) return;
        const open = ['enqueued', 'processing'] as const;
        await untilDone(
            { ...cx, host: gateway.host },
            async () => (await newest({ from, statuses: [...open] })) === undefined,
        );
    }

    /** Throws if a task has failed. */
    async assertDone(requested: TasksOrBatchesQuery): Promise<void> {
        const statuses = ['failed', 'canceled'] as const;
        for (const { uid } of await this.tasksOf({ ...requested, statuses: [...statuses], limit: 1 }))
            await this.done(uid);
    }

    private async tasksOf(requested: TasksOrBatchesQuery): Promise<readonly FoundTask[]> {
        return (await this.pageOf(requested)).tasks;
    }

    /** Tasks, the newest first, and the number at which the next page begins. */
    private pageOf(
        requested: TasksOrBatchesQuery,
    ): Promise<{ readonly tasks: readonly FoundTask[]; readonly next: number | undefined }> {
        return this.deps.door.ask(async () => {
            const { results, next } = await this.deps.client.tasks.getTasks(requested);
            const tasks = results.map(({ uid, details }) => ({ uid, details }));
            const last = tasks.at(-1)?.uid;
            if (typeof next !== 'number' || last === undefined) return { tasks, next: undefined };
            // A page that leads back would cause an endless loop.
            if (next >= last) throw new TypeError('Its next page is invalid');
            return { tasks, next };
        });
    }

    /** Waits for a task. Throws REMOTE_REFUSED if it fails. */
    async done(uid: number): Promise<void> {
        const { door: gateway, cx } = this.deps;
        await untilDone({ ...cx, host: gateway.host }, async () => {
            const { status, error, type } = await gateway.ask(async () => {
                const task = await this.deps.client.tasks.getTask(uid);
                if (typeof task.status !== 'string') throw new TypeError('It has no status');
                return task;
            });
            if (status === 'succeeded') return true;
            if (status === 'enqueued' || status === 'processing') return false;
            const reason = error?.message ?? 'it says no reason';
            const problem = `has not done its task ${uid} (${type}), which is ${status}: ${reason.replace(/[.\s]+$/, '')}`;
            // An internal error may be temporary; an invalid request is not.
            if (error?.type === 'internal' || error?.type === 'system')
                throw flowError('REMOTE_BUSY', { host: gateway.host, problem, attempts: 1 });
            throw flowError('REMOTE_REFUSED', { host: gateway.host, problem });
        });
    }
}

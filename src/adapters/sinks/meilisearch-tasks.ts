import type { MeiliSearch, TasksOrBatchesQuery } from 'meilisearch';
import type { SinkRunContext } from '../../core/adapter/sink';
import { flowError } from '../../core/errors/flow-error';
import type { ClientGateway } from './client-gateway';
import { untilDone } from './engine-tasks';

/** So many tasks are asked about at a time. */
export const PAGE = 100;
/** A swap is known by its index, so that nothing is lost by asking for more of them. */
const SWAPS_FROM_MS = 24 * 60 * 60_000;

interface FoundTask {
    readonly uid: number;
    readonly details: unknown;
}

/** The server's clock, as its answers tell it. Its tasks bear its time, and are asked for by that. */
export class ServerClock {
    private aheadMs = 0;

    constructor(private readonly cx: Pick<SinkRunContext, 'clock' | 'run'>) {}

    /** Of any answer; one without a moment leaves all as it was. */
    heard({ date }: Readonly<Record<string, string>>): void {
        const said = Date.parse(date ?? '');
        if (!Number.isNaN(said)) this.aheadMs = said - this.cx.clock.now();
    }

    /** When the run began, or up to a second before: answers tell their moment in whole seconds. `byMs` earlier where that is given. */
    beginning(byMs = 0): string {
        return new Date(this.cx.run.startedAt + this.aheadMs - byMs).toISOString();
    }
}

/** What a sink asks a server and what it has to do with it. */
export interface MeilisearchDeps {
    readonly client: MeiliSearch;
    readonly door: ClientGateway;
    readonly cx: SinkRunContext;
    readonly time: ServerClock;
}

/** What has become of what Meilisearch was asked. */
export class MeilisearchTasks {
    constructor(private readonly deps: MeilisearchDeps) {}

    /** The swap that an index of this run was part of, however many there were of others since. */
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

    /** Waits for all tasks of the index up to the last one of its own, and not for what others go on asking of it. */
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

    /** Throws for a task that has failed. */
    async assertDone(requested: TasksOrBatchesQuery): Promise<void> {
        const statuses = ['failed', 'canceled'] as const;
        for (const { uid } of await this.tasksOf({ ...requested, statuses: [...statuses], limit: 1 }))
            await this.done(uid);
    }

    private async tasksOf(requested: TasksOrBatchesQuery): Promise<readonly FoundTask[]> {
        return (await this.pageOf(requested)).tasks;
    }

    /** Tasks, the newest first, and the number that the next page begins with. */
    private pageOf(
        requested: TasksOrBatchesQuery,
    ): Promise<{ readonly tasks: readonly FoundTask[]; readonly next: number | undefined }> {
        return this.deps.door.ask(async () => {
            const { results, next } = await this.deps.client.tasks.getTasks(requested);
            const tasks = results.map(({ uid, details }) => ({ uid, details }));
            const last = tasks.at(-1)?.uid;
            if (typeof next !== 'number' || last === undefined) return { tasks, next: undefined };
            // One that leads back would never come to an end.
            if (next >= last) throw new TypeError('Its next page is invalid');
            return { tasks, next };
        });
    }

    /** Waits for a task. Throws REMOTE_REFUSED for one that has failed. */
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
            // Its own trouble passes, what it was asked does not.
            if (error?.type === 'internal' || error?.type === 'system')
                throw flowError('REMOTE_BUSY', { host: gateway.host, problem, attempts: 1 });
            throw flowError('REMOTE_REFUSED', { host: gateway.host, problem });
        });
    }
}

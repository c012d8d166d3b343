import type { Cuts, FaultProxy } from '../config/fault-proxy';
import type { CrashOrder } from './crash-shop';
import { isProxied, type ProxiedProcess, standBy, type WorkerProcess } from './worker-process';

/** The workers of a shop: one is active, another one may be on standby. */
export class Crew {
    /** How workers ended that the bench did not stop. */
    readonly deaths: string[] = [];
    private readonly all: WorkerProcess[] = [];
    private booting: Promise<WorkerProcess> | undefined;
    private current: WorkerProcess | undefined;
    private sleeper: WorkerProcess | undefined;

    /** Whether workers that boot from now on have their own database proxy. */
    private isProxied = false;
    private arm: (proxy: FaultProxy) => void = () => undefined;

    constructor(private readonly order: CrashOrder) {}

    /** Ensures that the active worker and its successors have a database proxy. A worker without one is killed. */
    async proxied(): Promise<ProxiedProcess> {
        if (!this.isProxied) this.dismissWhoeverBoots();
        this.isProxied = true;
        const worker = await this.working();
        if (isProxied(worker)) return worker;
        const next = await this.relieve();
        await worker.kill('SIGKILL');
        return next as ProxiedProcess;
    }

    /** Applies this to each proxy, including those of later workers. */
    armProxies(arm: (proxy: FaultProxy) => void): void {
        this.arm = arm;
        for (const { proxy } of this.all) if (proxy) arm(proxy);
    }

    /** How many connections all proxies together have cut so far. */
    get cuts(): Cuts {
        const each = this.all.flatMap(({ proxy }) => proxy?.cuts ?? []);
        return {
            all: each.reduce((sum, { all }) => sum + all, 0),
            atCommits: each.reduce((sum, { atCommits }) => sum + atCommits, 0),
        };
    }

    /** Whether the active worker has died and has no successor. */
    get isDead(): boolean {
        return this.current?.isGone === true;
    }

    /**
     * Returns the active worker. Starts one if there is none or if the last one died by itself, as a supervisor would.
     */
    async working(): Promise<WorkerProcess> {
        if (this.current && !this.current.isGone) return this.current;
        if (this.current?.death !== undefined) this.deaths.push(this.current.death);
        return this.relieve();
    }

    /** Kills the active worker. There is none until one is requested. */
    async nobody(): Promise<void> {
        await this.current?.kill('SIGKILL');
    }

    /** Returns a second worker that is frozen: the last one that was put to sleep, or a new one. */
    async asleep(): Promise<WorkerProcess> {
        if (this.sleeper && !this.sleeper.isGone) return this.sleeper;
        await this.working();
        await this.ready();
        const next = await this.booting!;
        this.booting = undefined;
        await next.begin();
        return this.putToSleep(next);
    }

    /** Keeps a frozen worker for the next scenario that needs a second one. The one that was kept before is killed. */
    async putToSleep(worker: WorkerProcess): Promise<WorkerProcess> {
        worker.freeze();
        await this.sleeper?.kill('SIGKILL');
        this.sleeper = worker;
        return worker;
    }

    /** Boots a worker while other things happen. */
    bootAhead(): void {
        this.ready().catch(() => undefined); // The caller that waits for it receives the error.
    }

    /** Resolves when a worker is on standby. */
    async ready(): Promise<void> {
        this.booting ??= standBy(this.order, { isProxied: this.isProxied }).then(worker => {
            this.all.push(worker);
            if (worker.proxy) this.arm(worker.proxy);
            return worker;
        });
        await this.booting;
    }

    /** The worker on standby becomes the active one, in addition to the current one or in its place. */
    async relieve(): Promise<WorkerProcess> {
        await this.ready();
        const next = await this.booting!;
        this.booting = undefined;
        await next.begin();
        this.current = next;
        return next;
    }

    private dismissWhoeverBoots(): void {
        void this.booting?.then(
            worker => worker.kill('SIGKILL'),
            () => undefined, // No caller waits for it.
        );
        this.booting = undefined;
    }

    async dismiss(): Promise<void> {
        await this.booting?.catch(() => undefined); // The caller that waited for it has received the error.
        await Promise.all(this.all.map(worker => worker.kill('SIGKILL')));
    }
}

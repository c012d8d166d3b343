import type { Cuts, FaultProxy } from '../config/fault-proxy';
import type { CrashOrder } from './crash-shop';
import { isProxied, type ProxiedProcess, standBy, type WorkerProcess } from './worker-process';

/** The workers of a shop: one works, another one may stand by. */
export class Crew {
    /** How workers ended that nobody had told to. */
    readonly deaths: string[] = [];
    private readonly all: WorkerProcess[] = [];
    private booting: Promise<WorkerProcess> | undefined;
    private current: WorkerProcess | undefined;
    private sleeper: WorkerProcess | undefined;

    /** Whoever boots from now on has a proxy of his own before his database. */
    private isProxied = false;
    private arm: (proxy: FaultProxy) => void = () => undefined;

    constructor(private readonly order: CrashOrder) {}

    /** Who works now, and who comes after him, has a proxy before his database; somebody else goes. */
    async proxied(): Promise<ProxiedProcess> {
        if (!this.isProxied) this.dismissWhoeverBoots();
        this.isProxied = true;
        const worker = await this.working();
        if (isProxied(worker)) return worker;
        const next = await this.relieve();
        await worker.kill('SIGKILL');
        return next as ProxiedProcess;
    }

    /** Each proxy does so from now on, those included that are still to come. */
    armProxies(arm: (proxy: FaultProxy) => void): void {
        this.arm = arm;
        for (const { proxy } of this.all) if (proxy) arm(proxy);
    }

    /** How many connections the proxies have cut so far, all of them together. */
    get cuts(): Cuts {
        const each = this.all.flatMap(({ proxy }) => proxy?.cuts ?? []);
        return {
            all: each.reduce((sum, { all }) => sum + all, 0),
            atCommits: each.reduce((sum, { atCommits }) => sum + atCommits, 0),
        };
    }

    /** Who worked has died, and nobody has begun in his place. */
    get isDead(): boolean {
        return this.current?.isGone === true;
    }

    /** Who works now; begun where there is nobody, or where the last one died by himself, as a supervisor would. */
    async working(): Promise<WorkerProcess> {
        if (this.current && !this.current.isGone) return this.current;
        if (this.current?.death !== undefined) this.deaths.push(this.current.death);
        return this.relieve();
    }

    /** Whoever works goes; nobody works until somebody is asked for. */
    async nobody(): Promise<void> {
        await this.current?.kill('SIGKILL');
    }

    /** A second worker who has begun and stands still; the one who was put to sleep last, or a new one. */
    async asleep(): Promise<WorkerProcess> {
        if (this.sleeper && !this.sleeper.isGone) return this.sleeper;
        await this.working();
        await this.ready();
        const next = await this.booting!;
        this.booting = undefined;
        await next.begin();
        return this.putToSleep(next);
    }

    /** Kept, without doing anything, for the next scenario that needs a second one; whoever was kept so far goes. */
    async putToSleep(worker: WorkerProcess): Promise<WorkerProcess> {
        worker.freeze();
        await this.sleeper?.kill('SIGKILL');
        this.sleeper = worker;
        return worker;
    }

    /** Lets somebody boot while other things happen. */
    bootAhead(): void {
        this.ready().catch(() => undefined); // Told to whoever waits for him.
    }

    /** Resolves when somebody stands by. */
    async ready(): Promise<void> {
        this.booting ??= standBy(this.order, { isProxied: this.isProxied }).then(worker => {
            this.all.push(worker);
            if (worker.proxy) this.arm(worker.proxy);
            return worker;
        });
        await this.booting;
    }

    /** Whoever stands by begins, beside whoever works or in his place, and is who works from now on. */
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
            () => undefined, // Nobody waits for him.
        );
        this.booting = undefined;
    }

    async dismiss(): Promise<void> {
        await this.booting?.catch(() => undefined); // Its failure was told to whoever waited for it.
        await Promise.all(this.all.map(worker => worker.kill('SIGKILL')));
    }
}

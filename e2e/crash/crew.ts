import type { CrashOrder } from './crash-shop';
import { standBy, type WorkerProcess } from './worker-process';

/** The workers of a shop: one works, another one may stand by. */
export class Crew {
    /** How workers ended that nobody had told to. */
    readonly deaths: string[] = [];
    private readonly all: WorkerProcess[] = [];
    private readonly orders = new Map<WorkerProcess, CrashOrder>();
    private booting: Promise<WorkerProcess> | undefined;
    private current: WorkerProcess | undefined;
    private sleeper: WorkerProcess | undefined;

    constructor(private order: CrashOrder) {}

    /** What those are told that boot from now on; whoever stands by with other orders goes. */
    bootWith(order: CrashOrder): void {
        if (order === this.order) return;
        this.order = order;
        void this.booting?.then(
            worker => worker.kill('SIGKILL'),
            () => undefined, // Nobody waits for him.
        );
        this.booting = undefined;
    }

    /** Whoever works has booted with the present orders; somebody else goes. */
    async obeying(): Promise<void> {
        const worker = await this.working();
        if (this.orders.get(worker) === this.order) return;
        await this.relieve();
        await worker.kill('SIGKILL');
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
        const { order } = this;
        this.booting ??= standBy(order).then(worker => {
            this.all.push(worker);
            this.orders.set(worker, order);
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

    async dismiss(): Promise<void> {
        await this.booting?.catch(() => undefined); // Its failure was told to whoever waited for it.
        await Promise.all(this.all.map(worker => worker.kill('SIGKILL')));
    }
}

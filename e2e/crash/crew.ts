import type { CrashOrder } from './crash-shop';
import { standBy, type WorkerProcess } from './worker-process';

/** The workers of a shop: one works, another one may stand by. */
export class Crew {
    /** How often a worker ended that nobody had told to. */
    deaths = 0;
    private readonly all: WorkerProcess[] = [];
    private booting: Promise<WorkerProcess> | undefined;
    private current: WorkerProcess | undefined;

    constructor(private readonly order: CrashOrder) {}

    /** Who works now; begun where there is nobody, or where the last one died by himself, as a supervisor would. */
    async working(): Promise<WorkerProcess> {
        if (this.current?.death !== undefined) {
            this.deaths++;
            this.current = undefined;
        }
        return this.current ?? this.relieve();
    }

    /** Resolves when somebody stands by. */
    async ready(): Promise<void> {
        this.booting ??= standBy(this.order).then(worker => {
            this.all.push(worker);
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

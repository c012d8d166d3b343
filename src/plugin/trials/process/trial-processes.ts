import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { JsonObject } from '../../../core/data/json';
import type { Job } from './messages';
import { type Handed, TrialProcess } from './trial-process';

/** So many at a time; what else is tried waits for its turn. */
const MAX_PROCESSES = 4;
/** How long one that nobody needs is kept: starting one takes some tenths of a second. */
const IDLE_MS = 30_000;

/** The processes of a server that step tests and previews work in, each on one job at a time. Who waits gets the next one that is free, in order. */
@Injectable()
export class TrialProcesses implements OnModuleDestroy {
    private readonly idle: TrialProcess[] = [];
    private readonly waiting: Array<() => void> = [];
    private busy = 0;
    private resting: NodeJS.Timeout | undefined;

    /** Throws what the job throws, the signal's reason, TRIAL_PROCESS_FAILED and TRIAL_PROCESS_LOST. */
    async perform(job: Job, handed: Handed): Promise<JsonObject> {
        await this.turn(handed.signal);
        let own: TrialProcess | undefined;
        try {
            own = this.take() ?? (await TrialProcess.start());
            return await own.perform(job, handed);
        } finally {
            this.giveBack(own);
        }
    }

    onModuleDestroy(): void {
        this.rest();
    }

    /** Ends the processes that nobody works with; whoever needs one later gets a new one. */
    rest(): void {
        clearTimeout(this.resting);
        for (const own of this.idle.splice(0)) own.kill();
    }

    private async turn(signal: AbortSignal): Promise<void> {
        signal.throwIfAborted();
        if (this.busy < MAX_PROCESSES) {
            this.busy++;
            return;
        }
        await new Promise<void>((resolve, reject) => {
            const stop = (): void => {
                this.waiting.splice(this.waiting.indexOf(go), 1);
                reject(signal.reason as Error);
            };
            const go = (): void => {
                signal.removeEventListener('abort', stop);
                resolve();
            };
            signal.addEventListener('abort', stop, { once: true });
            this.waiting.push(go);
        });
    }

    private take(): TrialProcess | undefined {
        for (;;) {
            const own = this.idle.pop();
            if (!own || own.isAlive) return own;
        }
    }

    private giveBack(own: TrialProcess | undefined): void {
        if (own?.isAlive) this.idle.push(own);
        // Whoever waits takes the place over, so that it cannot be taken in between.
        const next = this.waiting.shift();
        if (next) next();
        else this.busy--;
        clearTimeout(this.resting);
        this.resting = setTimeout(() => this.rest(), IDLE_MS).unref();
    }
}

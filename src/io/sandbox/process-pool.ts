import { flowError } from '../../core/errors/flow-error';
import { type ProcessSettings, ScriptProcess } from './script-process';

/** So many scripts of different runs can be at work at once; a process is started only when all others are busy. */
const MAX_PROCESSES = 4;
/** How long a process that nobody needs is kept: starting one takes about a tenth of a second. */
const IDLE_MS = 30_000;

/** The processes of a sandbox, each used by one piece of work at a time. Who waits gets the next one that is free, in order. */
export class ProcessPool {
    private readonly idle: ScriptProcess[] = [];
    private readonly waiting: Array<() => void> = [];
    private busy = 0;
    private resting: NodeJS.Timeout | undefined;

    constructor(private readonly settings: ProcessSettings) {}

    /** Throws SCRIPT_PROCESS_FAILED where none can be started, and the signal's reason. */
    async with<T>(signal: AbortSignal, work: (own: ScriptProcess) => Promise<T>): Promise<T> {
        await this.turn(signal);
        let own: ScriptProcess | undefined;
        try {
            own = this.take() ?? (await this.start());
            return await work(own);
        } finally {
            this.giveBack(own);
        }
    }

    rest(): void {
        clearTimeout(this.resting);
        for (const own of this.idle.splice(0)) own.kill();
    }

    private async turn(signal: AbortSignal): Promise<void> {
        if (signal.aborted) throw signal.reason;
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

    private take(): ScriptProcess | undefined {
        for (;;) {
            const own = this.idle.pop();
            if (!own || own.isAlive) return own;
        }
    }

    private async start(): Promise<ScriptProcess> {
        try {
            return await ScriptProcess.start(this.settings);
        } catch (error) {
            throw flowError('SCRIPT_PROCESS_FAILED', { problem: (error as Error).message }, { cause: error });
        }
    }

    private giveBack(own: ScriptProcess | undefined): void {
        if (own?.isAlive) this.idle.push(own);
        // Whoever waits takes the place over, so that it cannot be taken in between.
        const next = this.waiting.shift();
        if (next) next();
        else this.busy--;
        clearTimeout(this.resting);
        this.resting = setTimeout(() => this.rest(), IDLE_MS).unref();
    }
}

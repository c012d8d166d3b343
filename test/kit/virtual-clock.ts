import { onAbort } from '../../src/core/concurrency/abort';
import type { Clock } from '../../src/core/concurrency/clock';

interface Sleeper {
    readonly at: number;
    readonly order: number;
    readonly wake: () => void;
}

/** How many turns of the event loop without a sleeper mean that nothing can happen any more. */
const IDLE_TURNS = 25;

/**
 * A clock that does not move until `drive` advances it from sleeper to sleeper. Sleepers of the same time wake in an order that `random` draws, so a
 * seed decides how concurrent work interleaves.
 */
export class VirtualClock implements Clock {
    private sleepers: Sleeper[] = [];

    constructor(
        private time = 1_700_000_000_000,
        private readonly random: () => number = () => 0.5,
    ) {}

    now(): number {
        return this.time;
    }

    sleep(ms: number, signal?: AbortSignal): Promise<void> {
        return new Promise((resolve, reject) => {
            if (signal?.aborted) return reject(signal.reason as Error);
            const stop = (): void => {
                this.sleepers = this.sleepers.filter(other => other !== sleeper);
                reject(signal?.reason as Error);
            };
            const wake = (): void => {
                leave?.();
                resolve();
            };
            const sleeper: Sleeper = { at: this.time + ms, order: this.random(), wake };
            this.sleepers.push(sleeper);
            const leave = signal && onAbort(signal, stop);
        });
    }

    /** Runs everything that is due, then the next sleepers, until the promise has settled. Throws if it never can. */
    async drive<T>(promise: Promise<T>): Promise<T> {
        let settled = false;
        const done = (): void => {
            settled = true;
        };
        promise.then(done, done);
        for (let idle = 0; !settled; idle++) {
            await new Promise(resolve => setImmediate(resolve));
            if (settled) break;
            const next = this.next();
            if (next) {
                idle = 0;
                this.time = Math.max(this.time, next.at);
                next.wake();
            } else if (idle > IDLE_TURNS) {
                throw new Error('Deadlock: there are no sleepers, and the promise has not settled.');
            }
        }
        return promise;
    }

    private next(): Sleeper | undefined {
        if (this.sleepers.length === 0) return undefined;
        let first = 0;
        this.sleepers.forEach(({ at, order }, i) => {
            const best = this.sleepers[first]!;
            if (at < best.at || (at === best.at && order < best.order)) first = i;
        });
        return this.sleepers.splice(first, 1)[0];
    }
}

/** A small generator of numbers from 0 to 1 with a seed (mulberry32). */
export function seededRandom(seed: number): () => number {
    let state = seed >>> 0;
    return () => {
        state = (state + 0x6d2b79f5) >>> 0;
        let t = Math.imul(state ^ (state >>> 15), state | 1);
        t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
        return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
    };
}

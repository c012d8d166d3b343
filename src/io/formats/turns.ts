import { setImmediate as nextTurn } from 'node:timers/promises';

/** After so many milliseconds other work of the process gets its turn. */
const TURN = 8;

/** Lets the event loop go round often enough that a reader holds nobody up. Asked after each bit of work, which should be a small one. */
export class Turns {
    private last = performance.now();

    /** Whoever gives a signal is thrown its reason at the next turn. */
    constructor(private readonly signal?: AbortSignal) {}

    get isDue(): boolean {
        return performance.now() - this.last >= TURN;
    }

    async take(): Promise<void> {
        await nextTurn();
        this.signal?.throwIfAborted();
        this.last = performance.now();
    }
}

/** Gives on what comes, with turns between. */
export async function* inTurns<T>(work: Iterable<T>, turns: Turns): AsyncGenerator<T, void, void> {
    for (const each of work) {
        yield each;
        if (turns.isDue) await turns.take();
    }
}

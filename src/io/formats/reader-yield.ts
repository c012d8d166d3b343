import { EventLoopYield } from '../../core/concurrency/event-loop-yield';

/** A reader's bits are smaller than a run's, and several may read at once. */
const EVERY_MS = 8;

/** Yields for a reader. If there is a signal and it is aborted, the next turn throws its reason. */
export function readerYield(signal?: AbortSignal): EventLoopYield {
    return new EventLoopYield({ everyMs: EVERY_MS, signal });
}

/** Passes on the values, and yields to the event loop between them. */
export async function* yieldingBetween<T>(work: Iterable<T>, turns: EventLoopYield): AsyncGenerator<T, void, void> {
    for (const each of work) {
        yield each;
        if (turns.isDue) await turns.turn();
    }
}

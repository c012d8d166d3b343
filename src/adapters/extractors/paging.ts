import type { ExtractContext } from '../../core/adapter/extractor';
import type { JsonValue } from '../../core/value/json';
import { show } from '../../core/value/show';
import { flowError } from '../../core/errors/flow-error';
import { EventLoopYield } from '../../core/concurrency/event-loop-yield';

/** How many records an extractor yields at once. */
export const PAGE_SIZE = 1000;

/** Between two pages, yields to the event loop, and throws if the run was cancelled. */
export async function yieldToEventLoop(cx: ExtractContext): Promise<void> {
    await new EventLoopYield({ signal: cx.signal }).turn();
}

/** The checkpoint of extractors that count the records they have read; 0 at the first start. */
export function countFrom(checkpoint: JsonValue | undefined): number {
    if (checkpoint === undefined) return 0;
    if (typeof checkpoint === 'number' && Number.isSafeInteger(checkpoint) && checkpoint >= 0) return checkpoint;
    throw flowError('BUG', { problem: `a checkpoint should be a count of records and is ${show(checkpoint)}` });
}

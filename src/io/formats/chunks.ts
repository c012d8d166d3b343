import { readerYield } from './reader-yield';

/** A text, or one in pieces of any size and cut anywhere. */
export type TextSource = string | AsyncIterable<string> | Iterable<string>;

/** The size of the pieces that are processed at once, however large the incoming pieces are. */
export const CHUNK_BYTES = 64 * 1024;

/**
 * Splits a text into pieces of bounded size. It yields to the event loop between them, so that a long text does not
 * block other work.
 */
export async function* chunksOf(source: TextSource, turns = readerYield()): AsyncGenerator<string, void, void> {
    for await (const text of typeof source === 'string' ? [source] : source) {
        for (let from = 0; from < text.length; from += CHUNK_BYTES) {
            yield text.length <= CHUNK_BYTES ? text : text.slice(from, from + CHUNK_BYTES);
            if (turns.isDue) await turns.turn();
        }
    }
}

import { readerYield } from './turns';

/** A text, or one in pieces of any size and cut anywhere. */
export type TextSource = string | AsyncIterable<string> | Iterable<string>;

/** So much text is worked on at once, however large the pieces are that come in. */
export const PIECE = 64 * 1024;

/** A text in pieces of bounded size. Between them the event loop goes round often enough that a long text holds nobody up. */
export async function* piecesOf(source: TextSource, turns = readerYield()): AsyncGenerator<string, void, void> {
    for await (const text of typeof source === 'string' ? [source] : source) {
        for (let from = 0; from < text.length; from += PIECE) {
            yield text.length <= PIECE ? text : text.slice(from, from + PIECE);
            if (turns.isDue) await turns.turn();
        }
    }
}

import { setImmediate as nextTurn } from 'node:timers/promises';

/** A text, or one in pieces of any size and cut anywhere. */
export type TextSource = string | AsyncIterable<string> | Iterable<string>;

/** So much text is worked on at once, however large the pieces are that come in. */
const PIECE = 64 * 1024;
/** After so many milliseconds other work of the process gets its turn. */
const TURN = 8;

/** A text in pieces of bounded size. Between them the event loop goes round often enough that a long text holds nobody up. */
export async function* piecesOf(source: TextSource): AsyncGenerator<string, void, void> {
    let turn = performance.now();
    for await (const text of typeof source === 'string' ? [source] : source) {
        for (let from = 0; from < text.length; from += PIECE) {
            yield text.length <= PIECE ? text : text.slice(from, from + PIECE);
            if (performance.now() - turn < TURN) continue;
            await nextTurn();
            turn = performance.now();
        }
    }
}

import type { StatementProgram } from '../../core/adapter/loader';
import { send, sql } from '../../database/statement';
import { type Id, insertNumbered, type Row, type WriteTarget } from '../../database/write';
import { JsonText } from '../entities/columns';

/** MySQL and MariaDB accept messages of 16 MB by default; a character has up to three bytes, even if it is escaped. */
const CHARS_A_PIECE = 4_000_000;
const LARGE = 500_000;

/** Whether its records take a while to get to the database, in which PostgreSQL takes the session for an idle one. */
export function isLargeInput({ seed }: Row): boolean {
    return lengthOf(seed) > LARGE;
}

/** Whether the rows go by several statements, which then are to be one transaction. */
export function areStoredInChunks(rows: readonly Row[], { dialect }: Pick<WriteTarget, 'dialect'>): boolean {
    return dialect.kind === 'mysql' && rows.some(({ seed }) => lengthOf(seed) > CHARS_A_PIECE);
}

/** Inserts the rows of runs, and returns their ids in the same order. Records that are too large for one statement of MySQL are appended in pieces. */
export function* insertRuns(target: WriteTarget, rows: readonly Row[]): StatementProgram<readonly Id[]> {
    if (!areStoredInChunks(rows, target)) return yield* insertNumbered(target, rows);
    const { table } = target;
    const [seed, id] = [table.column('seed'), table.column('id')];
    const ids: Id[] = [];
    for (const row of rows) {
        const [first, ...others] = row['seed'] instanceof JsonText ? piecesOf(row['seed'].text) : [];
        const [runId] = yield* insertNumbered(target, [
            first === undefined ? row : { ...row, seed: new JsonText(first) },
        ]);
        for (const piece of others)
            yield* send(sql`UPDATE ${table.name} SET ${seed} = CONCAT(${seed}, ${piece}) WHERE ${id} = ${runId!}`);
        ids.push(runId!);
    }
    return ids;
}

function lengthOf(seed: unknown): number {
    return seed instanceof JsonText ? seed.text.length : 0;
}

/** Never cut within a character of two halves. */
function piecesOf(text: string): readonly string[] {
    const pieces: string[] = [];
    for (let from = 0; from < text.length;) {
        const isHalf = text.codePointAt(from + CHARS_A_PIECE - 1)! > 0xffff;
        const end = from + CHARS_A_PIECE - (isHalf ? 1 : 0);
        pieces.push(text.slice(from, end));
        from = end;
    }
    return pieces;
}

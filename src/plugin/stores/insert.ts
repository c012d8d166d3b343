import { randomBytes } from 'node:crypto';
import type { StatementProgram } from '../../core/adapter/loader';
import type { JsonObject } from '../../core/value/json';
import { EMPTY, type Sql, join, sql } from '../../database/statement';
import { type Row, type WriteTarget, insertRows } from '../../database/write';

/** Inserts rows of a table and generates their ids if the database does not. */
export function* insertFlowRows(
    target: WriteTarget,
    rows: readonly Row[],
    suffix: Sql = EMPTY,
): StatementProgram<void> {
    yield* insertRows(
        target,
        target.table.numbersItself ? rows : rows.map(row => ({ id: timeOrderedId(), ...row })),
        suffix,
    );
}

/**
 * The end of an INSERT that ignores rows that already exist by the unique key of `properties`. MySQL's INSERT IGNORE would also ignore values that do not fit.
 */
export function ifNotExists({ table, dialect }: WriteTarget, properties: readonly string[]): Sql {
    const columns = properties.map(property => table.column(property));
    if (dialect.kind === 'mysql') return sql` ON DUPLICATE KEY UPDATE ${columns[0]!} = ${table.name}.${columns[0]!}`;
    return sql` ON CONFLICT (${join(columns)}) DO NOTHING`;
}

/** Text that every database can store: PostgreSQL does not accept NUL. */
export function storable(text: string): string {
    return text.replaceAll('\0', '\uFFFD');
}

/** The maximum length of a message, or of its facts, because every database limits the size of a statement. */
const LONGEST = 1_000_000;

/** The stored message of a log line. If a script passed a value that is not a text, it is not shown, since only texts are searched for secrets. */
export function storableMessage(message: unknown): string {
    if (typeof message !== 'string') return `[the message is not a text but of type ${typeof message}]`;
    const text = storable(message);
    if (text.length <= LONGEST) return text;
    return `${text.slice(0, LONGEST)}… (${text.length - LONGEST} more characters are not stored)`;
}

/** The stored facts of a log line. A text replaces values that JSON cannot represent. */
export function storableFacts(facts: JsonObject | null): JsonObject | null {
    if (facts === null) return null;
    try {
        const text = JSON.stringify(facts, toJson()) as string | undefined;
        if (text === undefined) return { notStored: `facts of type ${typeof facts}` };
        if (text.length > LONGEST) return { notStored: `${text.length} characters of facts; at most ${LONGEST} are` };
        return JSON.parse(text) as JsonObject;
    } catch (thrown) {
        return { notStored: `facts whose reading throws ${thrown instanceof Error ? thrown.name : typeof thrown}` };
    }
}

/** The replacement of a value for JSON.stringify. */
function toJson(): (this: unknown, key: string, value: unknown) => unknown {
    const within: unknown[] = [];
    return function (_key, value) {
        if (typeof value === 'bigint') return '[BigInt]';
        if (typeof value !== 'object' || value === null) return value;
        while (within.length > 0 && within.at(-1) !== this) within.pop();
        if (within.includes(value)) return '[circular]';
        within.push(value);
        return value;
    };
}

let lastMs = 0;
let sequence = 0;

/** A UUID (version 7) that sorts after all earlier ones of this process: log lines and effects are read in the order of their ids. */
export function timeOrderedId(now: number = Date.now()): string {
    if (now > lastMs) {
        lastMs = now;
        sequence = 0;
    } else if (++sequence > 0xfff) {
        lastMs++;
        sequence = 0;
    }
    const ms = lastMs.toString(16).padStart(12, '0');
    const tail = randomBytes(8);
    tail[0] = (tail[0]! & 0x3f) | 0x80;
    const end = tail.toString('hex');
    return `${ms.slice(0, 8)}-${ms.slice(8)}-7${sequence.toString(16).padStart(3, '0')}-${end.slice(0, 4)}-${end.slice(4)}`;
}

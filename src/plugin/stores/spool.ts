import type { Script } from '../../core/adapter/loader';
import type { JsonValue } from '../../core/value/json';
import type {
    HeldBatch,
    HeldMemo,
    HeldPart,
    HeldRecord,
    HeldTrip,
    Position,
    ReleasedBatch,
    SpoolStore,
} from '../../core/ports/ports';
import { name, post, select, send, type Sql, sql } from '../../database/statement';
import { type Id, insertRows, type Row } from '../../database/write';
import { unlessThere } from './insert';
import { type RunIdentity, type StoreEnv, targetOf } from './store-env';

/** The step key of what a batch has to know; no step is called so. */
export const TRIP = '';
/** The approximate maximum of characters in a piece, unless it is a single record. */
const CHARS_A_PIECE = 1 << 19;

const KEY = ['runId', 'sourceKey', 'batchNo', 'stepKey', 'visit', 'piece'] as const;

/** The records that steps of a run hold, in a separate table (ADR 8). */
export class Spool implements SpoolStore {
    constructor(
        private readonly env: StoreEnv,
        private readonly identity: Pick<RunIdentity, 'runId'>,
    ) {}

    async next(sourceKey: string, behind: number): Promise<ReleasedBatch | undefined> {
        return this.env.database.run(() => this.reading(sourceKey, behind));
    }

    async held(): Promise<ReadonlyMap<string, number>> {
        const { held } = this.env.tables;
        const rows = await this.env.database.run(() =>
            select<{ stepKey: string; records: number | string }>(sql`
            SELECT ${held.column('stepKey')} AS ${name('stepKey')}, SUM(${held.column('records')}) AS ${name('records')} FROM ${held.name}
            WHERE ${held.column('runId')} = ${this.identity.runId} AND ${isReleased(this.env, false)} AND ${held.column('stepKey')} <> ${TRIP}
            GROUP BY ${held.column('stepKey')}`),
        );
        return new Map(rows.map(({ stepKey, records }) => [stepKey, Number(records)]));
    }

    private *reading(sourceKey: string, behind: number): Script<ReleasedBatch | undefined> {
        const { held } = this.env.tables;
        const ofSource = sql`${held.column('runId')} = ${this.identity.runId} AND ${held.column('sourceKey')} = ${sourceKey}`;
        const [first] = yield* select<{ batchNo: number }>(sql`
            SELECT ${held.column('batchNo')} AS ${name('batchNo')} FROM ${held.name}
            WHERE ${ofSource} AND ${isReleased(this.env, true)} AND ${held.column('batchNo')} > ${behind}
            ORDER BY ${held.column('batchNo')} LIMIT 1`);
        if (!first) return undefined;
        const { batchNo } = first;
        // Pieces that are not released only show that others wait; their content is not read.
        const content = sql`CASE WHEN ${isReleased(this.env, true)} OR ${held.column('stepKey')} = ${TRIP} THEN ${held.column('content')} END`;
        const rows = yield* select<StoredPiece>(sql`
            SELECT ${held.column('stepKey')} AS ${name('stepKey')}, ${held.column('visit')} AS ${name('visit')}, ${content} AS ${name('content')}
            FROM ${held.name} WHERE ${ofSource} AND ${held.column('batchNo')} = ${batchNo}
            ORDER BY ${held.column('stepKey')}, ${held.column('visit')}, ${held.column('piece')}`);
        const { from, trip } = readTrip(linesOf(rows.filter(({ stepKey }) => stepKey === TRIP)));
        const isHeldElsewhere = rows.some(row => row.content === null);
        return { sourceKey, batchNo, from, trip, parts: partsOf(rows), isHeldElsewhere };
    }
}

interface StoredPiece {
    readonly stepKey: string;
    readonly visit: number;
    /** Null of what is still held. */
    readonly content: string | null;
}

/** Stores what steps hold of some batches of one source, and deletes what has continued. Must be called under the fence; may be repeated. */
export function* storeHeld(
    env: StoreEnv,
    { runId }: Pick<RunIdentity, 'runId'>,
    batches: readonly HeldBatch[],
): Script<void> {
    const [first] = batches;
    if (!first) return;
    const { tables, database } = env;
    const { held } = tables;
    const { sourceKey } = first;
    const numbers = batches.map(({ batchNo }) => batchNo);
    yield* send(sql`
        DELETE FROM ${held.name} WHERE ${held.column('runId')} = ${runId} AND ${held.column('sourceKey')} = ${sourceKey}
        AND ${database.dialect.oneOf(held.column('batchNo'), numbers)} AND (${isReleased(env, true)} OR ${held.column('stepKey')} = ${TRIP})`);
    const target = targetOf(env, 'held');
    const rows = batches.flatMap(batch => [...rowsOf(runId, batch)]);
    yield* insertRows(target, rows, unlessThere(target, KEY));
}

/** Releases the records of a step. Must be called while the run has no worker. */
export function* releaseHeld(env: StoreEnv, runId: Id, stepKey: string): Script<void> {
    const { held } = env.tables;
    yield* send(sql`
        UPDATE ${held.name} SET ${held.column('released')} = ${held.toColumn('released', true)}
        WHERE ${held.column('runId')} = ${runId} AND ${held.column('stepKey')} = ${stepKey}`);
}

/** The number of unreleased records that a step holds. */
export function* heldAt(env: StoreEnv, runId: Id, stepKey: string): Script<number> {
    const { held } = env.tables;
    const [row] = yield* select<{ records: number | string | null }>(sql`
        SELECT SUM(${held.column('records')}) AS ${name('records')} FROM ${held.name}
        WHERE ${held.column('runId')} = ${runId} AND ${held.column('stepKey')} = ${stepKey} AND ${isReleased(env, false)}`);
    return Number(row?.records ?? 0);
}

/** The position from which a source would have to be read to produce all its held records again; undefined without any. */
export function* heldFrom(env: StoreEnv, runId: Id, sourceKey: string): Script<Position | undefined> {
    const { held } = env.tables;
    const [row] = yield* select<{ content: string }>(sql`
        SELECT ${held.column('content')} AS ${name('content')} FROM ${held.name}
        WHERE ${held.column('runId')} = ${runId} AND ${held.column('sourceKey')} = ${sourceKey} AND ${held.column('stepKey')} = ${TRIP}
        AND ${held.column('piece')} = 0 ORDER BY ${held.column('batchNo')} LIMIT 1`);
    return row && readTrip(JSON.parse(row.content) as JsonValue[]).from;
}

/** Whether steps want something remembered beyond the run that waits for held batches. */
export function* hasWaitingMemos(env: StoreEnv, runId: Id): Script<boolean> {
    const { held } = env.tables;
    const rows = yield* select(sql`
        SELECT ${held.column('batchNo')} FROM ${held.name}
        WHERE ${held.column('runId')} = ${runId} AND ${held.column('stepKey')} = ${TRIP} AND ${held.column('records')} > 0 LIMIT 1`);
    return rows.length > 0;
}

export function* forgetHeld({ tables: { held } }: StoreEnv, runId: Id): Script<void> {
    yield* post(sql`DELETE FROM ${held.name} WHERE ${held.column('runId')} = ${runId}`);
}

export function isReleased({ tables: { held } }: StoreEnv, is: boolean): Sql {
    return sql`${held.column('released')} = ${held.toColumn('released', is)}`;
}

function* rowsOf(runId: Id, { sourceKey, batchNo, from, trip, parts }: HeldBatch): Generator<Row> {
    if (!trip) return;
    const key = { runId, sourceKey, batchNo };
    for (const [piece, lines] of inPieces(tripLines(from, trip)).entries()) {
        const records = lines.filter(isMemo).length;
        yield { ...key, stepKey: TRIP, visit: 0, piece, released: false, records, content: listOf(lines) };
    }
    for (const { stepKey, visit, records } of parts) {
        for (const [piece, lines] of inPieces(records.map(textOf)).entries())
            yield { ...key, stepKey, visit, piece, released: false, records: lines.length, content: listOf(lines) };
    }
}

function inPieces(lines: Iterable<string>): readonly string[][] {
    const pieces: string[][] = [];
    let chars = Infinity;
    for (const line of lines) {
        if (chars + line.length > CHARS_A_PIECE) {
            pieces.push([]);
            chars = 0;
        }
        pieces.at(-1)!.push(line);
        chars += line.length;
    }
    return pieces;
}

const textOf = (line: object): string => JSON.stringify(line);
const listOf = (lines: readonly string[]): string => `[${lines.join()}]`;

function linesOf(rows: readonly StoredPiece[]): readonly JsonValue[] {
    return rows.flatMap(({ content }) => JSON.parse(content!) as JsonValue[]);
}

/** The pieces of each visit follow one another. */
function partsOf(rows: readonly StoredPiece[]): readonly HeldPart[] {
    const parts: Array<{ readonly stepKey: string; readonly visit: number; readonly records: HeldRecord[] }> = [];
    for (const row of rows) {
        const { stepKey, visit, content } = row;
        if (stepKey === TRIP || content === null) continue;
        const last = parts.at(-1);
        const isSame = last?.stepKey === stepKey && last.visit === visit;
        const part = isSame ? last : { stepKey, visit, records: [] };
        if (!isSame) parts.push(part);
        part.records.push(...(linesOf([row]) as unknown as HeldRecord[]));
    }
    return parts;
}

/** The facts of a batch from the first of its pieces: all origins. */
export function tripOf(content: string): HeldTrip {
    return readTrip(JSON.parse(content) as JsonValue[]).trip;
}

/** What a batch has to know, in lines of which each is short: where it came from, each step that it has come to, each memo. */
type TripLine =
    | ({ readonly from: Position } & Pick<HeldTrip, 'origins' | 'failed'>)
    | { readonly visited: HeldTrip['visited'][number] }
    | { readonly memo: HeldMemo };

const MEMO = '{"memo":';
const isMemo = (line: string): boolean => line.startsWith(MEMO);

function* tripLines(from: Position, { origins, failed, visited, memos }: HeldTrip): Generator<string> {
    yield textOf({ from, origins, failed } satisfies TripLine);
    for (const visits of visited) yield textOf({ visited: visits } satisfies TripLine);
    for (const memo of memos) yield textOf({ memo } satisfies TripLine);
}

function readTrip(lines: readonly JsonValue[]): { readonly from: Position; readonly trip: HeldTrip } {
    const [{ from, origins, failed }, ...rest] = lines as unknown as [
        Extract<TripLine, { from: Position }>,
        ...Array<Exclude<TripLine, { from: Position }>>,
    ];
    return {
        from: { ...from, token: from.token },
        trip: {
            origins,
            failed,
            visited: rest.flatMap(line => ('visited' in line ? [line.visited] : [])),
            memos: rest.flatMap(line => ('memo' in line ? [line.memo] : [])),
        },
    };
}

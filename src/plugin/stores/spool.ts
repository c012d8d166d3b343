import type { StatementProgram } from '../../core/adapter/loader';
import type { JsonValue } from '../../core/value/json';
import type {
    SpooledBatch,
    SpooledStateEntry,
    SpooledPart,
    SpooledRecord,
    SpooledPass,
    SourceOffset,
    ResumedBatch,
    SpoolStore,
} from '../../core/ports/ports';
import { name, post, select, send, type Sql, sql } from '../../database/statement';
import { type Id, insertRows, type Row } from '../../database/write';
import { ifNotExists } from './insert';
import { type RunIdentity, type StoreEnv, targetOf } from './store-env';

/** The step key of what a batch has to know; no step is called so. */
export const BATCH_ROW = '';
/** The approximate maximum of characters in a piece, unless it is a single record. */
const CHARS_A_PIECE = 1 << 19;

const KEY = ['runId', 'sourceKey', 'batchNo', 'stepKey', 'visit', 'piece'] as const;

/** The records that steps of a run hold, in a separate table (ADR 8). */
export class Spool implements SpoolStore {
    constructor(
        private readonly env: StoreEnv,
        private readonly identity: Pick<RunIdentity, 'runId'>,
    ) {}

    async next(sourceKey: string, after: number): Promise<ResumedBatch | undefined> {
        return this.env.database.run(() => this.reading(sourceKey, after));
    }

    async held(): Promise<ReadonlyMap<string, number>> {
        const { held } = this.env.tables;
        const rows = await this.env.database.run(() =>
            select<{ stepKey: string; records: number | string }>(sql`
            SELECT ${held.column('stepKey')} AS ${name('stepKey')}, SUM(${held.column('records')}) AS ${name('records')} FROM ${held.name}
            WHERE ${held.column('runId')} = ${this.identity.runId} AND ${isReleased(this.env, false)} AND ${held.column('stepKey')} <> ${BATCH_ROW}
            GROUP BY ${held.column('stepKey')}`),
        );
        return new Map(rows.map(({ stepKey, records }) => [stepKey, Number(records)]));
    }

    private *reading(sourceKey: string, after: number): StatementProgram<ResumedBatch | undefined> {
        const { held } = this.env.tables;
        const ofSource = sql`${held.column('runId')} = ${this.identity.runId} AND ${held.column('sourceKey')} = ${sourceKey}`;
        const [first] = yield* select<{ batchNo: number }>(sql`
            SELECT ${held.column('batchNo')} AS ${name('batchNo')} FROM ${held.name}
            WHERE ${ofSource} AND ${isReleased(this.env, true)} AND ${held.column('batchNo')} > ${after}
            ORDER BY ${held.column('batchNo')} LIMIT 1`);
        if (!first) return undefined;
        const { batchNo } = first;
        // Pieces that are not released only show that others wait; their content is not read.
        const content = sql`CASE WHEN ${isReleased(this.env, true)} OR ${held.column('stepKey')} = ${BATCH_ROW} THEN ${held.column('content')} END`;
        const rows = yield* select<StoredPiece>(sql`
            SELECT ${held.column('stepKey')} AS ${name('stepKey')}, ${held.column('visit')} AS ${name('visit')}, ${content} AS ${name('content')}
            FROM ${held.name} WHERE ${ofSource} AND ${held.column('batchNo')} = ${batchNo}
            ORDER BY ${held.column('stepKey')}, ${held.column('visit')}, ${held.column('piece')}`);
        const { from, trip: batchPass } = readTrip(linesOf(rows.filter(({ stepKey }) => stepKey === BATCH_ROW)));
        const isHeldElsewhere = rows.some(row => row.content === null);
        return { sourceKey, batchNo, from, trip: batchPass, parts: partsOf(rows), isHeldElsewhere };
    }
}

interface StoredPiece {
    readonly stepKey: string;
    readonly visit: number;
    /** Null for records that are still held. */
    readonly content: string | null;
}

/** Stores the records that steps hold of some batches of one source, and deletes those that have continued. Must be called under the fence; may be repeated. */
export function* storeSpooled(
    env: StoreEnv,
    { runId }: Pick<RunIdentity, 'runId'>,
    batches: readonly SpooledBatch[],
): StatementProgram<void> {
    const [first] = batches;
    if (!first) return;
    const { tables, database } = env;
    const { held } = tables;
    const { sourceKey } = first;
    const numbers = batches.map(({ batchNo }) => batchNo);
    yield* send(sql`
        DELETE FROM ${held.name} WHERE ${held.column('runId')} = ${runId} AND ${held.column('sourceKey')} = ${sourceKey}
        AND ${database.dialect.oneOf(held.column('batchNo'), numbers)} AND (${isReleased(env, true)} OR ${held.column('stepKey')} = ${BATCH_ROW})`);
    const target = targetOf(env, 'held');
    const rows = batches.flatMap(batch => [...rowsOf(runId, batch)]);
    yield* insertRows(target, rows, ifNotExists(target, KEY));
}

/** Releases the records of a step. Must be called while the run has no worker. */
export function* releaseSpooled(env: StoreEnv, runId: Id, stepKey: string): StatementProgram<void> {
    const { held } = env.tables;
    yield* send(sql`
        UPDATE ${held.name} SET ${held.column('released')} = ${held.toColumn('released', true)}
        WHERE ${held.column('runId')} = ${runId} AND ${held.column('stepKey')} = ${stepKey}`);
}

/** The number of unreleased records that a step holds. */
export function* spooledCountOf(env: StoreEnv, runId: Id, stepKey: string): StatementProgram<number> {
    const { held } = env.tables;
    const [row] = yield* select<{ records: number | string | null }>(sql`
        SELECT SUM(${held.column('records')}) AS ${name('records')} FROM ${held.name}
        WHERE ${held.column('runId')} = ${runId} AND ${held.column('stepKey')} = ${stepKey} AND ${isReleased(env, false)}`);
    return Number(row?.records ?? 0);
}

/** The position from which a source would have to be read to produce all its held records again; undefined without any. */
export function* spooledStartOf(
    env: StoreEnv,
    runId: Id,
    sourceKey: string,
): StatementProgram<SourceOffset | undefined> {
    const { held } = env.tables;
    const [row] = yield* select<{ content: string }>(sql`
        SELECT ${held.column('content')} AS ${name('content')} FROM ${held.name}
        WHERE ${held.column('runId')} = ${runId} AND ${held.column('sourceKey')} = ${sourceKey} AND ${held.column('stepKey')} = ${BATCH_ROW}
        AND ${held.column('piece')} = 0 ORDER BY ${held.column('batchNo')} LIMIT 1`);
    return row && readTrip(JSON.parse(row.content) as JsonValue[]).from;
}

/** Whether steps want something remembered beyond the run that waits for held batches. */
export function* hasSpooledState(env: StoreEnv, runId: Id): StatementProgram<boolean> {
    const { held } = env.tables;
    const rows = yield* select(sql`
        SELECT ${held.column('batchNo')} FROM ${held.name}
        WHERE ${held.column('runId')} = ${runId} AND ${held.column('stepKey')} = ${BATCH_ROW} AND ${held.column('records')} > 0 LIMIT 1`);
    return rows.length > 0;
}

export function* deleteSpooled({ tables: { held } }: StoreEnv, runId: Id): StatementProgram<void> {
    yield* post(sql`DELETE FROM ${held.name} WHERE ${held.column('runId')} = ${runId}`);
}

export function isReleased({ tables: { held } }: StoreEnv, is: boolean): Sql {
    return sql`${held.column('released')} = ${held.toColumn('released', is)}`;
}

function* rowsOf(runId: Id, { sourceKey, batchNo, from, trip: batchPass, parts }: SpooledBatch): Generator<Row> {
    if (!batchPass) return;
    const key = { runId, sourceKey, batchNo };
    for (const [piece, lines] of inPieces(tripLines(from, batchPass)).entries()) {
        const records = lines.filter(isMemo).length;
        yield { ...key, stepKey: BATCH_ROW, visit: 0, piece, released: false, records, content: listOf(lines) };
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
function partsOf(rows: readonly StoredPiece[]): readonly SpooledPart[] {
    const parts: Array<{ readonly stepKey: string; readonly visit: number; readonly records: SpooledRecord[] }> = [];
    for (const row of rows) {
        const { stepKey, visit, content } = row;
        if (stepKey === BATCH_ROW || content === null) continue;
        const last = parts.at(-1);
        const isSame = last?.stepKey === stepKey && last.visit === visit;
        const part = isSame ? last : { stepKey, visit, records: [] };
        if (!isSame) parts.push(part);
        part.records.push(...(linesOf([row]) as unknown as SpooledRecord[]));
    }
    return parts;
}

/** The facts of a batch from the first of its pieces: all origins. */
export function batchPassOf(content: string): SpooledPass {
    return readTrip(JSON.parse(content) as JsonValue[]).trip;
}

/** What a batch has to know, in lines of which each is short: where it came from, each step that it has come to, each memo. */
type TripLine =
    | ({ readonly from: SourceOffset } & Pick<SpooledPass, 'origins' | 'failed'>)
    | { readonly visited: SpooledPass['visited'][number] }
    | { readonly memo: SpooledStateEntry };

const MEMO = '{"memo":';
const isMemo = (line: string): boolean => line.startsWith(MEMO);

function* tripLines(
    from: SourceOffset,
    { origins, failed, visited, memos: stateEntries }: SpooledPass,
): Generator<string> {
    yield textOf({ from, origins, failed } satisfies TripLine);
    for (const visits of visited) yield textOf({ visited: visits } satisfies TripLine);
    for (const stateEntry of stateEntries) yield textOf({ memo: stateEntry } satisfies TripLine);
}

function readTrip(lines: readonly JsonValue[]): { readonly from: SourceOffset; readonly trip: SpooledPass } {
    const [{ from, origins, failed }, ...rest] = lines as unknown as [
        Extract<TripLine, { from: SourceOffset }>,
        ...Array<Exclude<TripLine, { from: SourceOffset }>>,
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

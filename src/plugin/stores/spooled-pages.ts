import type { StatementProgram } from '../../core/adapter/loader';
import type { SpooledRecord, SpooledPass } from '../../core/ports/ports';
import type { JsonObject } from '../../core/value/json';
import { name, select, type Sql, sql } from '../../database/statement';
import type { GateOfRun } from './gates';
import { spooledCountOf, isReleased, BATCH_ROW, batchPassOf } from './spool';
import type { StoreEnv } from './store-env';

/** A record that a gate holds, in the form that users see. */
export interface SpooledItem {
    readonly sourceKey: string;
    /** Its number in its source; of one that was made of several, that of the first. */
    readonly seq: number;
    /** The place in its source, if that is known. */
    readonly place?: string;
    readonly data: JsonObject;
}

/** The page of records to read. */
export interface SpooledRange {
    readonly skip: number;
    readonly take: number;
}

/** A piece of what a gate holds, without its content. */
interface Piece {
    readonly sourceKey: string;
    readonly batchNo: number;
    readonly visit: number;
    readonly piece: number;
    readonly records: number;
}

/** Reads what gates hold, a page at a time, in the order of the sources and their batches. */
export class SpooledPages {
    constructor(private readonly env: StoreEnv) {}

    /** The number of unreleased records that the gate holds. */
    count({ runId, stepKey }: GateOfRun): Promise<number> {
        return this.env.database.run(() => spooledCountOf(this.env, runId, stepKey));
    }

    /** Reads piece by piece: `taken` is called with each record, and may throw if there are too many to keep in memory. */
    async page(
        gate: GateOfRun,
        { skip, take }: SpooledRange,
        taken: (record: SpooledItem) => void,
    ): Promise<readonly SpooledItem[]> {
        const { database } = this.env;
        // Each piece has a record at least.
        const pieces = await database.run(() => this.jsonFragments(gate, skip + take));
        const items: SpooledItem[] = [];
        let before = 0;
        for (const piece of pieces) {
            const from = Math.max(0, skip - before);
            const to = Math.min(piece.records, skip + take - before);
            before += piece.records;
            if (from >= to) continue;
            const read = await database.run(() => this.reading(gate, piece));
            for (const item of read.slice(from, to)) {
                taken(item);
                items.push(item);
            }
        }
        return items;
    }

    private *jsonFragments({ runId, stepKey }: GateOfRun, limit: number): StatementProgram<readonly Piece[]> {
        const { held } = this.env.tables;
        const of = (property: string): Sql => sql`${held.column(property)} AS ${name(property)}`;
        return yield* select<Piece>(sql`
            SELECT ${of('sourceKey')}, ${of('batchNo')}, ${of('visit')}, ${of('piece')}, ${of('records')} FROM ${held.name}
            WHERE ${held.column('runId')} = ${runId} AND ${held.column('stepKey')} = ${stepKey} AND ${isReleased(this.env, false)}
            ORDER BY ${held.column('sourceKey')}, ${held.column('batchNo')}, ${held.column('visit')}, ${held.column('piece')} LIMIT ${limit}`);
    }

    private *reading({ runId, stepKey }: GateOfRun, jsonFragment: Piece): StatementProgram<readonly SpooledItem[]> {
        const { held } = this.env.tables;
        const { sourceKey, batchNo } = jsonFragment;
        const content = (key: string, visit: number, number: number) =>
            select<{ content: string }>(sql`
                SELECT ${held.column('content')} AS ${name('content')} FROM ${held.name}
                WHERE ${held.column('runId')} = ${runId} AND ${held.column('sourceKey')} = ${sourceKey} AND ${held.column('batchNo')} = ${batchNo}
                AND ${held.column('stepKey')} = ${key} AND ${held.column('visit')} = ${visit} AND ${held.column('piece')} = ${number}`);
        const [records] = yield* content(stepKey, jsonFragment.visit, jsonFragment.piece);
        const [batchPass] = yield* content(BATCH_ROW, 0, 0);
        // It was released in between.
        if (!records || !batchPass) return [];
        const { origins } = batchPassOf(batchPass.content);
        return (JSON.parse(records.content) as SpooledRecord[]).map(record => itemOf(sourceKey, record, origins));
    }
}

function itemOf(
    sourceKey: string,
    { data, origin, place }: SpooledRecord,
    origins: SpooledPass['origins'],
): SpooledItem {
    return { sourceKey, seq: origins[origin]?.[0] ?? 0, ...(place !== undefined && { place }), data };
}

import { Injectable } from '@nestjs/common';
import { type ID, type RequestContext, TransactionalConnection } from '@vendure/core';
import { In } from 'typeorm';
import type { StatementProgram } from '../../core/adapter/loader';
import { pathOfEach } from '../../core/data/path';
import { flowError } from '../../core/errors/flow-error';
import { column, name, select, type Sql, sql } from '../../database/statement';
import type { Id } from '../../database/write';
import { withoutBlobs } from '../responses/lazy-blobs';
import { FlowRecordError, type RecordErrorState } from '../entities/record-error';
import { RunStores } from '../runs/run-stores';
import { type ErrorTable, inAnyState, pageOf, type RecordErrorSelection, selected } from './selection';

/** Rejected records that are wrong in the same way: refused by one step of one pipeline, with one code, for one field. */
export interface RecordErrorGroup {
    readonly id: string;
    readonly stepKey: string;
    readonly code: string;
    /** Elements of lists are not told apart: `lines.*.sku`. */
    readonly path: string | null;
    readonly records: number;
    readonly firstSeenAt: Date;
    readonly lastSeenAt: Date;
    /** What has become of all of this kind, whatever states are asked for. */
    readonly states: ReadonlyArray<{ readonly state: RecordErrorState; readonly records: number }>;
    /** Whose they are, of the states that are asked for; the one of most records first. */
    readonly pipelines: ReadonlyArray<{ readonly pipelineId: ID; readonly records: number }>;
    /** The newest. */
    readonly example: FlowRecordError;
}

/** Groups, a page of them. */
export interface RecordErrorGroups {
    readonly items: readonly RecordErrorGroup[];
    readonly totalItems: number;
    readonly totalRecords: number;
}

/** Which page of them: 50 from the first one on where it is not said. */
export interface GroupPage {
    readonly skip?: number | null;
    readonly take?: number | null;
}

const USUAL = 50;
const MOST = 100;

interface CauseRow extends Totals {
    readonly cause: string;
    readonly records: number | string;
    readonly firstSeen: unknown;
    readonly lastSeen: unknown;
    readonly example: Id;
}

type Part = 'state' | 'pipelineId';

/** How many records of a cause have one state, or are one pipeline's. */
interface PartRow {
    readonly cause: string;
    readonly state: RecordErrorState;
    readonly pipelineId: Id;
    readonly records: number | string;
}

interface Totals {
    readonly causes: number | string;
    readonly total: number | string;
}

/** Groups rejected records by what is wrong with them, by four statements, however many there are. */
@Injectable()
export class RecordErrorGroupings {
    constructor(
        private readonly connection: TransactionalConnection,
        private readonly stores: RunStores,
    ) {}

    /** Those of most records first. Throws INPUT_INVALID for a page that cannot be. */
    async list(ctx: RequestContext, selection: RecordErrorSelection, page: GroupPage = {}): Promise<RecordErrorGroups> {
        const { database } = this.stores.env;
        const { take, skip } = pageAsked(page);
        const from = this.from(ctx);
        const causes = await database.run(() => causesOf(from, selection, pageOf(take, skip)));
        // Behind the last page nobody has counted.
        const [totals] = causes.length > 0 || skip === 0 ? causes : await database.run(() => totalsOf(from, selection));
        const ofPage = { ...selection, groupIds: causes.map(({ cause }) => cause) };
        // By both at once they would be as many rows as the one times the other, gathered in a table of the database's own.
        const [examples, states, pipelines] =
            causes.length === 0
                ? [[], [], []]
                : await Promise.all([
                      this.rows(
                          ctx,
                          causes.map(({ example }) => example),
                      ),
                      database.run(() => partsOf(from, inAnyState(ofPage), 'state')),
                      database.run(() => partsOf(from, ofPage, 'pipelineId')),
                  ]);
        const items = causes.flatMap(row => {
            const example = examples.find(({ id }) => String(id) === String(row.example));
            // It has gone in between.
            return example ? [this.groupOf(row, example, { states, pipelines })] : [];
        });
        return { items, totalItems: Number(totals?.causes ?? 0), totalRecords: Number(totals?.total ?? 0) };
    }

    private from({ channelId }: RequestContext): ErrorTable {
        const { database, tables } = this.stores.env;
        return { table: tables.errors, dialect: database.dialect, channelId };
    }

    private rows(ctx: RequestContext, ids: readonly Id[]): Promise<FlowRecordError[]> {
        const errors = this.connection.getRepository(ctx, FlowRecordError).createQueryBuilder('error');
        return withoutBlobs(errors)
            .where({ id: In([...ids]) })
            .getMany();
    }

    private groupOf(
        { cause, records, firstSeen, lastSeen }: CauseRow,
        example: FlowRecordError,
        { states, pipelines }: Readonly<Record<'states' | 'pipelines', readonly PartRow[]>>,
    ): RecordErrorGroup {
        const { errors } = this.stores.env.tables;
        const moment = (value: unknown): Date => new Date(errors.fromColumn('createdAt', value) as Date);
        const { stepKey, code, path } = example;
        const own = (parts: readonly PartRow[]): ReadonlyArray<PartRow & { readonly records: number }> =>
            parts
                .filter(part => part.cause === cause)
                .map(part => ({ ...part, records: Number(part.records) }))
                .sort((a, b) => b.records - a.records);
        return {
            id: cause,
            stepKey,
            code,
            path: path === null ? null : pathOfEach(path),
            records: Number(records),
            firstSeenAt: moment(firstSeen),
            lastSeenAt: moment(lastSeen),
            states: own(states),
            pipelines: own(pipelines),
            example,
        };
    }
}

function pageAsked({ skip, take }: GroupPage): { readonly skip: number; readonly take: number } {
    const requested = { skip: skip ?? 0, take: take ?? USUAL };
    if (requested.take < 1 || requested.take > MOST)
        throw flowError('INPUT_INVALID', { problem: `take is ${requested.take}; allowed: 1 to ${MOST}` });
    if (requested.skip < 0)
        throw flowError('INPUT_INVALID', { problem: `skip is ${requested.skip}; allowed: 0 or more` });
    return requested;
}

function* causesOf(
    from: ErrorTable,
    selection: RecordErrorSelection,
    page: Sql,
): StatementProgram<readonly CauseRow[]> {
    const { table } = from;
    const of = (alias: string, property: string): Sql => column(alias, table.column(property).name);
    const [cause, records] = [column('g', 'cause'), name('records')];
    return yield* select<CauseRow>(sql`
        SELECT ${name('g')}.*, (
            SELECT ${of('n', 'id')} FROM ${table.name} ${name('n')}
            WHERE ${selected(from, 'n', selection)} AND ${of('n', 'cause')} = ${cause}
            ORDER BY ${of('n', 'createdAt')} DESC, ${of('n', 'id')} DESC LIMIT 1
        ) AS ${name('example')}
        FROM (
            SELECT ${of('e', 'cause')} AS ${name('cause')}, COUNT(*) AS ${records},
                MIN(${of('e', 'createdAt')}) AS ${name('firstSeen')}, MAX(${of('e', 'createdAt')}) AS ${name('lastSeen')},
                COUNT(*) OVER () AS ${name('causes')}, SUM(COUNT(*)) OVER () AS ${name('total')}
            FROM ${table.name} ${name('e')} WHERE ${selected(from, 'e', selection)}
            GROUP BY ${of('e', 'cause')} ORDER BY ${records} DESC, ${of('e', 'cause')}${page}
        ) ${name('g')} ORDER BY ${column('g', 'records')} DESC, ${cause}`);
}

function* totalsOf(from: ErrorTable, selection: RecordErrorSelection): StatementProgram<readonly Totals[]> {
    const { table } = from;
    return yield* select<Totals>(sql`
        SELECT COUNT(*) AS ${name('causes')}, COALESCE(SUM(${column('g', 'records')}), 0) AS ${name('total')} FROM (
            SELECT COUNT(*) AS ${name('records')} FROM ${table.name} ${name('e')}
            WHERE ${selected(from, 'e', selection)} GROUP BY ${column('e', table.column('cause').name)}
        ) ${name('g')}`);
}

function* partsOf(from: ErrorTable, selection: RecordErrorSelection, part: Part): StatementProgram<readonly PartRow[]> {
    const { table } = from;
    const of = (property: string): Sql => column('e', table.column(property).name);
    return yield* select<PartRow>(sql`
        SELECT ${of('cause')} AS ${name('cause')}, ${of(part)} AS ${name(part)}, COUNT(*) AS ${name('records')}
        FROM ${table.name} ${name('e')} WHERE ${selected(from, 'e', selection)}
        GROUP BY ${of(part)}, ${of('cause')}`);
}

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

/** Rejected records with the same problem: rejected by the same step of a pipeline, with the same code, for the same field. */
export interface RecordErrorGroup {
    readonly id: string;
    readonly stepKey: string;
    readonly code: string;
    /** The indexes of list elements are replaced by a star: `lines.*.sku`. */
    readonly path: string | null;
    readonly records: number;
    readonly firstSeenAt: Date;
    readonly lastSeenAt: Date;
    /** The numbers of all records of this kind by state, including states that are not selected. */
    readonly states: ReadonlyArray<{ readonly state: RecordErrorState; readonly records: number }>;
    /** The pipelines of the records in the selected states, the one with the most records first. */
    readonly pipelines: ReadonlyArray<{ readonly pipelineId: ID; readonly records: number }>;
    /** The newest record error. */
    readonly example: FlowRecordError;
}

/** One page of groups. */
export interface RecordErrorGroups {
    readonly items: readonly RecordErrorGroup[];
    readonly totalItems: number;
    readonly totalRecords: number;
}

/** The page of groups. Default: the first 50. */
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

/** How many records of a cause have a state, or belong to a pipeline. */
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

/** Groups rejected records by their problem. Uses four statements, however many records there are. */
@Injectable()
export class RecordErrorGroupings {
    constructor(
        private readonly connection: TransactionalConnection,
        private readonly stores: RunStores,
    ) {}

    /** The groups with the most records first. Throws INPUT_INVALID for an invalid page. */
    async list(ctx: RequestContext, selection: RecordErrorSelection, page: GroupPage = {}): Promise<RecordErrorGroups> {
        const { database } = this.stores.env;
        const { take, skip } = pageAsked(page);
        const from = this.from(ctx);
        const causes = await database.run(() => causesOf(from, selection, pageOf(take, skip)));
        // A page after the last one has no rows that could contain the totals.
        const [totals] = causes.length > 0 || skip === 0 ? causes : await database.run(() => totalsOf(from, selection));
        const ofPage = { ...selection, groupIds: causes.map(({ cause }) => cause) };
        // Grouping by both at once would give the product of the two numbers of rows, collected in a temporary table of the database.
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
            // Missing if it was deleted in the meantime.
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

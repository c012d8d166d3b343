import { Inject, Injectable } from '@nestjs/common';
import { type ID, type RequestContext, TransactionalConnection } from '@vendure/core';
import { In } from 'typeorm';
import type { StatementProgram } from '../../core/adapter/loader';
import { flowError } from '../../core/errors/flow-error';
import type { Database } from '../../database/database';
import { EMPTY, join, name, select, type Sql, sql } from '../../database/statement';
import { type Table, tableOf } from '../../database/table';
import type { Id } from '../../database/write';
import { FlowPipeline } from '../entities/pipeline';
import { FlowRunStatistics } from '../entities/run-statistics';
import { HOUR_MS, SUMS } from '../stores/run-statistics';
import { FLOW_DATABASE } from '../tokens';
import { type DurationRow, Figures, type ResultRow, type RunFigures } from './figures';

/** The length of the periods of a query. Days are in UTC. */
type AnalyticsPeriod = 'HOUR' | 'DAY';
const HOURS: Readonly<Record<AnalyticsPeriod, number>> = { HOUR: 1, DAY: 24 };
const DAY_MS = 86_400_000;
const MOST_DAYS: Readonly<Record<AnalyticsPeriod, number>> = { HOUR: 31, DAY: 3_660 };

/** A query about the runs of the active channel that ended within a time range. */
export interface AnalyticsQuestion {
    readonly from: Date;
    /** Default: now. */
    readonly to?: Date | null;
    readonly pipelineId?: ID | null;
    readonly period?: AnalyticsPeriod | null;
}

/** Statistics of runs: in total, by pipeline and by period. Pipelines and periods in which no run ended are omitted. */
export interface RunAnalytics {
    /** The start of the hour of `from`, and the end of the hour of `to`: statistics are kept per hour. */
    readonly from: Date;
    readonly to: Date;
    readonly total: RunFigures;
    readonly pipelines: ReadonlyArray<{ readonly pipeline: FlowPipeline; readonly figures: RunFigures }>;
    readonly periods: ReadonlyArray<{ readonly start: Date; readonly figures: RunFigures }>;
}

/** Statistics of the runs that ended on one day. */
export interface DayFigures {
    readonly start: Date;
    readonly figures: RunFigures;
}

/** Hours since 1970, without the last one. */
interface Window {
    readonly first: number;
    readonly end: number;
    readonly period: AnalyticsPeriod;
}

interface OfPart {
    readonly part: string | number;
}

/** Reads the statistics of runs, which are counted when runs end. Needs a few parallel statements, however many runs there were. */
@Injectable()
export class Analytics {
    constructor(
        private readonly connection: TransactionalConnection,
        @Inject(FLOW_DATABASE) private readonly database: Database,
    ) {}

    /** Throws INPUT_INVALID for a time range that ends before it begins or is too long for its periods, and PIPELINE_NOT_FOUND. */
    async of({ channelId }: RequestContext, question: AnalyticsQuestion): Promise<RunAnalytics> {
        const window = windowOf(question);
        if (question.pipelineId != null) await this.checkPipeline(question.pipelineId, channelId);
        const table = tableOf(this.connection.rawConnection, FlowRunStatistics);
        const [pipelineId, hour] = [table.column('pipelineId'), table.column('hour')];
        const ofPipeline = question.pipelineId == null ? EMPTY : sql` AND ${pipelineId} = ${question.pipelineId}`;
        const where = sql`${table.column('channelId')} = ${channelId}
            AND ${hour} >= ${window.first} AND ${hour} < ${window.end}${ofPipeline}`;
        // Whole periods are subtracted, because databases round divisions differently.
        const start = window.period === 'HOUR' ? sql`${hour}` : sql`${hour} - (${hour} % 24)`;
        const ofPipelines = { table, part: sql`${pipelineId}`, where };
        const ofPeriods = { table, part: start, where };
        // There are many periods: grouping by result and duration at once would multiply the number of rows.
        const [pipelines, results, durations] = await Promise.all([
            this.database.run(() => grouped<ResultRow & DurationRow>(ofPipelines, ['result', 'duration'], SUMS)),
            this.database.run(() => grouped<ResultRow>({ ...ofPeriods, isByHour: true }, ['result'], SUMS)),
            this.database.run(() => grouped<DurationRow>(ofPeriods, ['duration'], ['runs'])),
        ]);
        const byPipeline = partsOf(pipelines, pipelines);
        const byPeriod = partsOf(results, durations);
        const total = new Figures();
        for (const figures of byPipeline.values()) total.addAll(figures);
        return {
            from: new Date(window.first * HOUR_MS),
            to: new Date(window.end * HOUR_MS),
            total: total.told(),
            pipelines: await this.ofPipelines(byPipeline),
            periods: [...byPeriod]
                .map(([part, figures]) => ({ start: new Date(Number(part) * HOUR_MS), figures: figures.told() }))
                .sort((a, b) => a.start.getTime() - b.start.getTime()),
        };
    }

    /** Statistics of the runs of some pipelines of the channel, for each of the last `days` days (UTC). Days without a run are omitted. */
    async daysOf(
        { channelId }: RequestContext,
        pipelineIds: readonly ID[],
        days: number,
    ): Promise<ReadonlyMap<string, readonly DayFigures[]>> {
        const table = tableOf(this.connection.rawConnection, FlowRunStatistics);
        const [pipelineId, hour] = [table.column('pipelineId'), table.column('hour')];
        const first = (Math.floor(Date.now() / DAY_MS) - days + 1) * HOURS.DAY;
        const where = sql`${table.column('channelId')} = ${channelId} AND ${hour} >= ${first}
            AND ${this.database.dialect.oneOf(pipelineId, pipelineIds as readonly Id[])}`;
        const part = sql`${hour} - (${hour} % 24)`;
        const rows = await this.database.run(() =>
            grouped<ResultRow & { readonly pipelineId: ID }>({ table, part, where }, ['pipelineId', 'result'], SUMS),
        );
        const byPipeline = new Map<string, Array<ResultRow & OfPart>>();
        for (const { pipelineId: id, ...row } of rows)
            byPipeline.set(String(id), [...(byPipeline.get(String(id)) ?? []), row]);
        return new Map(
            [...byPipeline].map(([id, own]) => [
                id,
                [...partsOf(own, [])]
                    .map(([day, figures]) => ({ start: new Date(Number(day) * HOUR_MS), figures: figures.told() }))
                    .sort((a, b) => a.start.getTime() - b.start.getTime()),
            ]),
        );
    }

    /** Without this check, a pipeline that does not exist would look like one without runs. */
    private async checkPipeline(id: ID, channelId: ID): Promise<void> {
        const isKnown = await this.connection.rawConnection
            .getRepository(FlowPipeline)
            .exists({ where: { id, channelId } });
        if (!isKnown) throw flowError('PIPELINE_NOT_FOUND', {});
    }

    private async ofPipelines(parts: ReadonlyMap<string, Figures>): Promise<RunAnalytics['pipelines']> {
        if (parts.size === 0) return [];
        const pipelines = await this.connection.rawConnection
            .getRepository(FlowPipeline)
            .find({ where: { id: In([...parts.keys()]) }, order: { code: 'ASC' } });
        return pipelines.map(pipeline => ({ pipeline, figures: parts.get(String(pipeline.id))!.told() }));
    }
}

interface Grouping {
    readonly table: Table;
    readonly part: Sql;
    readonly where: Sql;
    /** Groups by hour first, then by `parts`: the rows are then read from the index in order, without a temporary table. */
    readonly isByHour?: boolean;
}

function* grouped<T>(
    { table, part, where, isByHour = false }: Grouping,
    by: ReadonlyArray<'result' | 'duration' | 'pipelineId'>,
    summed: readonly string[],
): StatementProgram<ReadonlyArray<T & OfPart>> {
    const columns = by.map(property => sql`${table.column(property)} AS ${name(property)}`);
    const sum = (property: string): Sql => sql`SUM(${table.column(property)})`;
    const sums = summed.map(property => sql`${sum(property)} AS ${name(property)}`);
    const keys = by.map(property => table.column(property));
    const ofHours = join([table.column('hour'), ...keys]);
    const sumsOfHours = summed.map(property => sql`${sum(property)} AS ${table.column(property)}`);
    const rows = isByHour
        ? sql`(SELECT ${join([ofHours, ...sumsOfHours])} FROM ${table.name} WHERE ${where} GROUP BY ${ofHours}) ${name('hours')}`
        : sql`${table.name} WHERE ${where}`;
    return yield* select(sql`
        SELECT ${join([sql`${part} AS ${name('part')}`, ...columns, ...sums])}
        FROM ${rows} GROUP BY ${join([part, ...keys])}`);
}

function partsOf(
    results: ReadonlyArray<ResultRow & OfPart>,
    durations: ReadonlyArray<DurationRow & OfPart>,
): ReadonlyMap<string, Figures> {
    const parts = new Map<string, Figures>();
    for (const { part, ...row } of results) {
        const figures = parts.get(String(part)) ?? new Figures();
        parts.set(String(part), figures);
        figures.addResult(row);
    }
    // A run that ended between the two statements is in only one of the results.
    for (const { part, ...row } of durations) parts.get(String(part))?.addDuration(row);
    return parts;
}

function windowOf({ from, to, period }: AnalyticsQuestion): Window {
    const [begin, finish] = [from.getTime(), (to ?? new Date()).getTime()];
    const unit = period ?? 'DAY';
    const refuse = (problem: string): Error => flowError('INPUT_INVALID', { problem });
    if (finish < begin)
        throw refuse(`to is ${new Date(finish).toISOString()}; allowed: from (${from.toISOString()}) or later`);
    const [first, end] = [Math.floor(begin / HOUR_MS), Math.floor(finish / HOUR_MS) + 1];
    const most = MOST_DAYS[unit];
    if (end - first > most * HOURS.DAY + 1)
        throw refuse(
            `from to to are ${Math.ceil((end - first) / HOURS.DAY)} days; allowed by ${unit}: at most ${most}`,
        );
    return { first, end, period: unit };
}

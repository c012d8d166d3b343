import { Injectable } from '@nestjs/common';
import { type ID, type RequestContext, TransactionalConnection } from '@vendure/core';
import { MoreThan } from 'typeorm';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/data/json';
import { flowError } from '../../core/errors/flow-error';
import { tableOf } from '../../platform/sql/table';
import { FlowPipeline } from '../entities/pipeline';
import { FlowRecordError } from '../entities/record-error';
import { FlowPipelineRevision } from '../entities/revision';
import { FlowPipelineRun } from '../entities/run';
import { isRowId } from '../stores/row-id';
import { cellOf, lineOf } from './cell';

/** Why the record was rejected. A file that is uploaded again with it is read as any other: it is one column more. */
export const REASON = 'Flow: reason';

const PAGE = 500;
/** Records of so many different fields have no common layout. */
const MAX_COLUMNS = 10_000;

/** Rejected records as a file. */
export interface RejectsFile {
    readonly filename: string;
    readonly lines: AsyncIterable<string>;
}

/** How the source writes its tables, as far as its step says. */
interface Layout {
    readonly delimiter: string;
    readonly hasHeader: boolean;
    readonly groupBy: string | undefined;
}

/**
 * The rejected records of a run as CSV in the layout of their source, with the reason in a column more, so that they can be corrected and
 * uploaded again.
 */
@Injectable()
export class RejectsCsv {
    constructor(private readonly connection: TransactionalConnection) {}

    /** Those of one source where its step is named. Throws RUN_NOT_FOUND, and INPUT_INVALID for a source that the run does not have. */
    async of(ctx: RequestContext, runId: ID, sourceKey: string | undefined): Promise<RejectsFile> {
        const isId = isRowId(tableOf(this.connection.rawConnection, FlowPipelineRun), runId);
        const run = isId ? await this.connection.getRepository(ctx, FlowPipelineRun).findOne({ where: { id: runId, channelId: ctx.channelId } }) : null;
        if (!run) throw flowError('RUN_NOT_FOUND', { id: runId });
        const [pipeline, revision] = await Promise.all([
            this.connection.getRepository(ctx, FlowPipeline).findOne({ where: { id: run.pipelineId } }),
            this.connection.getRepository(ctx, FlowPipelineRevision).findOne({ where: { id: run.revisionId } }),
        ]);
        const layout = layoutOf(revision?.definition ?? {}, sourceKey);
        const errors = (): AsyncGenerator<FlowRecordError, void, void> => this.errors(ctx, run, sourceKey);
        return { filename: `${pipeline?.code ?? 'run'}-${run.id}-rejected.csv`, lines: linesOf(errors, layout) };
    }

    private async *errors(ctx: RequestContext, { id: runId, channelId }: FlowPipelineRun, sourceKey: string | undefined): AsyncGenerator<FlowRecordError, void, void> {
        const repository = this.connection.getRepository(ctx, FlowRecordError);
        const of = { runId, channelId, ...(sourceKey !== undefined && { sourceKey }) };
        for (let last: ID | undefined; ;) {
            const page = await repository.find({ where: { ...of, ...(last !== undefined && { id: MoreThan(last) }) }, order: { id: 'ASC' }, take: PAGE });
            yield* page;
            if (page.length < PAGE) return;
            last = page.at(-1)!.id;
        }
    }
}

function layoutOf({ steps }: JsonObject, sourceKey: string | undefined): Layout {
    const sources = (Array.isArray(steps) ? (steps as readonly JsonValue[]) : []).filter(isJsonObject).filter(({ kind }) => kind === 'EXTRACT');
    const source = sourceKey === undefined ? sources[0] : sources.find(({ key }) => key === sourceKey);
    if (sourceKey !== undefined && !source) {
        throw flowError('INPUT_INVALID', { problem: `sourceKey is "${sourceKey}"; allowed: ${sources.map(({ key }) => String(key)).join(', ')}` });
    }
    const config = isJsonObject(source?.['config']) ? source['config'] : {};
    const { delimiter, hasHeader, groupBy } = config;
    return {
        delimiter: typeof delimiter === 'string' && delimiter.length === 1 ? delimiter : ',',
        hasHeader: hasHeader !== false,
        groupBy: typeof groupBy === 'string' ? groupBy : undefined,
    };
}

/** Twice through the records: the columns are known only when all have been seen. */
async function* linesOf(errors: () => AsyncIterable<FlowRecordError>, { delimiter, hasHeader, groupBy }: Layout): AsyncGenerator<string, void, void> {
    const columns = new Set<string>();
    for await (const error of errors()) {
        for (const row of rowsOf(error, groupBy)) for (const name of Object.keys(row)) columns.add(name);
        if (columns.size > MAX_COLUMNS) throw flowError('INPUT_INVALID', { problem: `The rejected records have more than ${MAX_COLUMNS} different fields, which make no table` });
    }
    columns.delete(REASON);
    const names = [...columns];
    // A spreadsheet tells UTF-8 by it.
    yield '\ufeff';
    if (hasHeader) yield lineOf([...names.map(cellOf), REASON], delimiter);
    for await (const error of errors()) {
        const [first, ...others] = rowsOf(error, groupBy);
        yield lineOf([...names.map(name => cellOf(first![name])), cellOf(error.message)], delimiter);
        for (const row of others) yield lineOf([...names.map(name => cellOf(row[name])), ''], delimiter);
    }
}

/** As the source has it: of rows that were grouped, each for itself. */
function rowsOf({ source, payload }: FlowRecordError, groupBy: string | undefined): readonly JsonObject[] {
    const record = source ?? payload;
    const rows = groupBy === undefined ? undefined : record['rows'];
    const isGroup = Array.isArray(rows) && rows.length > 0 && (rows as readonly JsonValue[]).every(isJsonObject);
    return isGroup ? (rows as readonly JsonObject[]) : [record];
}

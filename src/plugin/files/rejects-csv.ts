import { Injectable } from '@nestjs/common';
import { type ID, type RequestContext, TransactionalConnection } from '@vendure/core';
import { MoreThan } from 'typeorm';
import type { PipelineDefinition } from '../../core/pipeline/definition';
import { isSourceReference } from '../../core/adapter/source-reference';
import { withInputFiles } from '../../core/pipeline/input-source';
import type { JsonObject } from '../../core/value/json';
import { readsRecords } from '../../core/steps/kinds';
import { flowError } from '../../core/errors/flow-error';
import { tableOf } from '../../database/table';
import { isDelimiter } from '../../io/formats/delimiters';
import { FlowPipeline } from '../entities/pipeline';
import { FlowRecordError } from '../entities/record-error';
import { FlowPipelineRevision } from '../entities/revision';
import { FlowPipelineRun } from '../entities/run';
import { PipelineVisibility } from '../pipelines/pipeline-visibility';
import { isRowId } from '../stores/row-id';
import { PublicIds } from '../../platform/public-ids';
import { Files } from './files';
import { type Layout, rejectsLines } from './rejects-lines';
import { sourceColumns } from './source-columns';

const PAGE = 500;

/** Rejected records as a file. */
interface RejectsFile {
    readonly filename: string;
    readonly lines: AsyncIterable<string>;
}

/**
 * The rejected records of a run as CSV in the layout of their source, with the reason in an additional column, so that users can correct
 * and upload them again. The csv extractor removes what was added.
 */
@Injectable()
export class RejectsCsv {
    constructor(
        private readonly connection: TransactionalConnection,
        private readonly files: Files,
        private readonly ids: PublicIds,
        private readonly visibility: PipelineVisibility,
    ) {}

    /**
     * The rejected records of the run with this public id, of one source if its step is given. Throws RUN_NOT_FOUND, and INPUT_INVALID for
     * a source that the run does not have.
     */
    async of(ctx: RequestContext, publicId: string, sourceKey: string | undefined): Promise<RejectsFile> {
        const runId = this.ids.decode(publicId);
        const runs = tableOf(this.connection.rawConnection, FlowPipelineRun);
        const isId = runId !== undefined && isRowId(runs, runId);
        const run = isId
            ? await this.connection
                  .getRepository(ctx, FlowPipelineRun)
                  .createQueryBuilder('run')
                  .addSelect('run.definition')
                  .where({ id: runId, channelId: ctx.channelId })
                  .getOne()
            : null;
        if (!run || !(await this.visibility.seesRun(ctx, run))) throw flowError('RUN_NOT_FOUND', {});
        const [pipeline, revision] = await Promise.all([
            this.connection.getRepository(ctx, FlowPipeline).findOne({ where: { id: run.pipelineId } }),
            run.revisionId === null
                ? null
                : this.connection.getRepository(ctx, FlowPipelineRevision).findOne({ where: { id: run.revisionId } }),
        ]);
        const config = configOf(run, run.definition ?? revision?.definition, sourceKey);
        const layout = layoutOf(config, await sourceColumns(config, this.files.forRun(run)));
        const errors = (): AsyncGenerator<FlowRecordError, void, void> => this.errors(ctx, run, sourceKey);
        return {
            filename: `${pipeline?.code ?? 'run'}-${this.ids.encode(run.id)}-rejected.csv`,
            lines: rejectsLines(errors, layout),
        };
    }

    private async *errors(
        ctx: RequestContext,
        { id: runId, channelId }: FlowPipelineRun,
        sourceKey: string | undefined,
    ): AsyncGenerator<FlowRecordError, void, void> {
        const repository = this.connection.getRepository(ctx, FlowRecordError);
        const of = { runId, channelId, severity: 'ERROR' as const, ...(sourceKey !== undefined && { sourceKey }) };
        for (let last: ID | undefined; ;) {
            const page = await repository.find({
                where: { ...of, ...(last !== undefined && { id: MoreThan(last) }) },
                order: { id: 'ASC' },
                take: PAGE,
            });
            yield* page;
            if (page.length < PAGE) return;
            last = page.at(-1)!.id;
        }
    }
}

/** How the records were read. Records that the run was given come from its trigger and have no layout. */
function configOf(
    { triggerKey, sourceReference }: FlowPipelineRun,
    stored: JsonObject | null | undefined,
    sourceKey: string | undefined,
): JsonObject {
    if (!stored || sourceKey === triggerKey) return {};
    const definition = stored as unknown as PipelineDefinition;
    const { steps } =
        sourceReference && !isSourceReference(sourceReference)
            ? withInputFiles(definition, triggerKey, sourceReference)
            : definition;
    const sources = steps.filter(({ kind }) => readsRecords(kind));
    const source = sourceKey === undefined ? sources[0] : sources.find(({ key }) => key === sourceKey);
    if (sourceKey !== undefined && !source) {
        const allowed = sources.map(({ key }) => key).join(', ');
        throw flowError('INPUT_INVALID', { problem: `sourceKey is "${sourceKey}"; allowed: ${allowed}` });
    }
    return source?.config ?? {};
}

function layoutOf({ delimiter, hasHeader, groupBy }: JsonObject, columns: readonly string[]): Layout {
    return {
        delimiter: typeof delimiter === 'string' && isDelimiter(delimiter) ? delimiter : ',',
        hasHeader: hasHeader !== false,
        isGrouped: groupBy !== undefined,
        columns,
    };
}

import { Inject, Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { type ID, Logger, type RequestContext, TransactionalConnection } from '@vendure/core';
import { LessThan } from 'typeorm';
import type { StatementProgram } from '../../core/adapter/loader';
import { isFlowError } from '../../core/errors/flow-error';
import type { DefinitionInput } from '../../core/pipeline/definition';
import { isTerminal } from '../../core/progress/state';
import type { Database } from '../../database/database';
import type { Id } from '../../database/write';
import { FlowImportDraft } from '../entities/import-draft';
import { FlowPipeline } from '../entities/pipeline';
import { PipelineRows } from '../pipelines/pipeline-rows';
import { Pipelines } from '../pipelines/pipelines';
import { WorkingCopies } from '../pipelines/working-copies';
import { RunCanceller } from '../runs/run-canceller';
import { Runs } from '../runs/runs';
import { FLOW_DATABASE, LOG_CONTEXT } from '../tokens';

const CODE_BYTES = 8;
const MAX_NAME = 255;
const HOUR_MS = 3_600_000;
/** Pipelines that are deleted in one pass. */
const PURGED = 200;

/** The pipelines on which unfinished imports are checked. Lists leave them out until the import creates them. */
@Injectable()
export class HiddenPipelines {
    constructor(
        private readonly connection: TransactionalConnection,
        private readonly pipelines: Pipelines,
        private readonly copies: WorkingCopies,
        private readonly runs: Runs,
        private readonly canceller: RunCanceller,
        @Inject(FLOW_DATABASE) private readonly database: Database,
    ) {}

    /** Stores the definition of a check: in the pipeline of the draft, or in a new one. Throws what saving a definition throws. */
    async store(
        ctx: RequestContext,
        pipelineId: ID | null,
        given: { readonly name: string; readonly definition: DefinitionInput },
    ): Promise<FlowPipeline> {
        const name = given.name.slice(0, MAX_NAME);
        const known = pipelineId === null ? null : await this.pipelines.find(ctx, { id: pipelineId });
        if (known?.hidden)
            return this.copies.update(ctx, {
                id: known.id,
                version: known.version,
                name,
                definition: given.definition,
            });
        const code = `import-${randomBytes(CODE_BYTES).toString('hex')}`;
        return this.copies.create(ctx, { code, name, definition: given.definition }, { isHidden: true });
    }

    /** Cancels a check that has not ended. */
    async cancelCheck(ctx: RequestContext, runId: ID | null): Promise<void> {
        const run = runId === null ? null : await this.runs.find(ctx, runId);
        if (!run || isTerminal(run.status)) return;
        try {
            await this.canceller.cancel(ctx, run);
        } catch (error) {
            // It has ended in this moment.
            if (!isFlowError(error) || error.code !== 'RUN_STATE_CONFLICT') throw error;
        }
    }

    /** Cancels the check and deletes the pipeline. A pipeline whose check has not ended yet is deleted later. */
    async discard(
        ctx: RequestContext,
        { pipelineId, runId }: { readonly pipelineId: ID; readonly runId: ID | null },
    ): Promise<void> {
        await this.cancelCheck(ctx, runId);
        await this.database.transaction(() => this.removal({ id: pipelineId as Id, channelId: ctx.channelId as Id }));
    }

    /** Deletes hidden pipelines whose draft no longer exists. */
    async purge(): Promise<void> {
        const { rawConnection } = this.connection;
        const old = await rawConnection
            .getRepository(FlowPipeline)
            .createQueryBuilder('pipeline')
            .select(['pipeline.id', 'pipeline.channelId'])
            .leftJoin(FlowImportDraft, 'draft', 'draft.pipelineId = pipeline.id')
            .where({ hidden: true, updatedAt: LessThan(new Date(Date.now() - HOUR_MS)) })
            .andWhere('draft.id IS NULL')
            .take(PURGED)
            .getMany();
        for (const { id, channelId } of old)
            await this.database.transaction(() => this.removal({ id: id as Id, channelId: channelId as Id }));
        if (old.length > 0) Logger.verbose(`Deleted ${old.length} pipelines of unfinished imports.`, LOG_CONTEXT);
    }

    private *removal({ id, channelId }: { readonly id: Id; readonly channelId: Id }): StatementProgram<void> {
        const rows = new PipelineRows(this.connection.rawConnection, this.database);
        const pipeline = yield* rows.locked(id, channelId);
        if (!pipeline?.hidden || (yield* rows.newest(id)) || (yield* rows.openRun(id))) return;
        yield* rows.remove(id);
    }
}

import { Inject, Injectable } from '@nestjs/common';
import { type ID, type RequestContext, TransactionalConnection } from '@vendure/core';
import type { Extractor } from '../../core/adapter/extractor';
import type { StatementProgram } from '../../core/adapter/loader';
import { flowError } from '../../core/errors/flow-error';
import { parsingDefinition } from '../../core/pipeline/parse';
import { parseConfig } from '../../core/steps/parse-config';
import { stateKey } from '../../core/progress/state-entries';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { show } from '../../core/value/show';
import type { Database } from '../../database/database';
import type { Id } from '../../database/write';
import { FlowPipelineRevision } from '../entities/revision';
import type { FlowSetup } from '../setup';
import { completedCheckpoints, deleteCheckpoints, setCheckpoint, type StoredCheckpoint } from '../stores/checkpoints';
import { storeEnv } from '../stores/store-env';
import { FLOW_DATABASE, FLOW_SETUP } from '../tokens';
import { ProcessTaskQueue } from '../process-task-queue';
import { PipelineRows, type PipelineState } from './pipeline-rows';
import { readTextInput, requiredText } from './text-input';

/** A source of a pipeline, and the reason for the change. */
export interface PositionRequest {
    readonly pipelineId: ID;
    readonly stepKey: string;
    readonly comment?: string | null;
}

/** The values of the row after which the next run is to start. */
export interface PositionValues {
    readonly trackingValue: string;
    readonly primaryKey: string;
}

/** The position of a source after the last completed run, as the API returns it. */
export interface SavedPosition extends Pick<StoredCheckpoint, 'stepKey' | 'runId' | 'movedAt'> {
    readonly trackingValue: string | null;
    readonly primaryKey: string | null;
}

/** A step whose positions are rows. */
interface PlacedStep {
    readonly key: string;
    readonly extractor: Extractor;
    readonly config: JsonObject;
}

const MAX_VALUE = 1_000;

/** Shows and changes the positions of sources after a pipeline's completed runs. */
@Injectable()
export class SourcePositions {
    constructor(
        private readonly connection: TransactionalConnection,
        private readonly taskQueue: ProcessTaskQueue,
        @Inject(FLOW_DATABASE) private readonly database: Database,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    /** One position for each step. Throws PIPELINE_NOT_FOUND. */
    async list(ctx: RequestContext, pipelineId: ID): Promise<readonly SavedPosition[]> {
        const places = await this.database.transaction(() => this.listing(ctx, pipelineId));
        const newest = places.filter(({ stepKey }, i) => places.findIndex(place => place.stepKey === stepKey) === i);
        return newest.map(({ from, ...place }) => ({ ...place, ...valuesOf(from) }));
    }

    /** The steps whose position can be set to a row, even if none is saved. Throws PIPELINE_NOT_FOUND. */
    async settable(ctx: RequestContext, pipelineId: ID): Promise<readonly string[]> {
        return (await this.placed(ctx, pipelineId)).map(({ key }) => key);
    }

    /** The next run starts at the beginning. Throws PIPELINE_NOT_FOUND, and INPUT_INVALID if no position of the step is saved. */
    async reset(ctx: RequestContext, request: PositionRequest): Promise<void> {
        const comment = readTextInput('comment', request.comment);
        await this.database.transaction(() => this.resetting(ctx, { ...request, comment }));
    }

    /** The next run starts after a row. Throws PIPELINE_NOT_FOUND, and INPUT_INVALID if the step is not such a source. */
    async reseed(ctx: RequestContext, order: PositionRequest & PositionValues): Promise<void> {
        const comment = readTextInput('comment', order.comment);
        const values = [
            requiredText('trackingValue', order.trackingValue, MAX_VALUE),
            requiredText('primaryKey', order.primaryKey, MAX_VALUE),
        ] as const;
        const place = await this.placeBehind(ctx, order, values);
        await this.database.transaction(() => this.setting(ctx, { ...order, comment }, { ...place, values }));
    }

    private *listing(ctx: RequestContext, pipelineId: ID): StatementProgram<readonly StoredCheckpoint[]> {
        const { id } = yield* this.own(ctx, pipelineId);
        return yield* completedCheckpoints(this.env, id);
    }

    private *resetting(
        ctx: RequestContext,
        { pipelineId, stepKey, comment = null }: PositionRequest,
    ): StatementProgram<void> {
        const { id } = yield* this.own(ctx, pipelineId);
        if (!(yield* deleteCheckpoints(this.env, { pipelineId: id, stepKey }))) {
            const saved = [...new Set((yield* completedCheckpoints(this.env, id)).map(place => place.stepKey))];
            const allowed = saved.length === 0 ? 'none, since no position of this pipeline is saved' : saved.join(', ');
            throw flowError('INPUT_INVALID', { problem: `stepKey is ${show(stepKey)}; allowed: ${allowed}` });
        }
        yield* this.record(ctx, { id, action: 'POSITION_RESET', comment: said(`Step ${stepKey}.`, comment) });
    }

    private *setting(
        ctx: RequestContext,
        { pipelineId, stepKey, comment = null }: PositionRequest,
        { key, from, values }: { readonly key: string; readonly from: JsonValue; readonly values: readonly string[] },
    ): StatementProgram<void> {
        const { id } = yield* this.own(ctx, pipelineId);
        yield* setCheckpoint(this.env, { pipelineId: id, stepKey, key: stateKey('completed', key) }, from);
        const what = `Step ${stepKey}: after ${values.map(value => show(value)).join(', ')}.`;
        yield* this.record(ctx, { id, action: 'POSITION_SET', comment: said(what, comment) });
    }

    /** The pipeline, locked until the transaction ends. */
    private *own(ctx: RequestContext, pipelineId: ID): StatementProgram<PipelineState> {
        const state = yield* this.rows.locked(pipelineId as Id, ctx.channelId as Id);
        if (!state) throw flowError('PIPELINE_NOT_FOUND', {});
        return state;
    }

    private *record(
        ctx: RequestContext,
        {
            id,
            action,
            comment,
        }: { readonly id: Id; readonly action: 'POSITION_RESET' | 'POSITION_SET'; readonly comment: string },
    ): StatementProgram<void> {
        const actorId = (ctx.activeUserId ?? null) as Id | null;
        yield* this.rows.record({ pipelineId: id, action, actorId, revisionId: null, comment });
    }

    /** The position for the step's configuration in the live revision. */
    private async placeBehind(
        ctx: RequestContext,
        { pipelineId, stepKey }: PositionRequest,
        values: readonly [string, string],
    ): Promise<{ readonly key: string; readonly from: JsonValue }> {
        const placed = await this.placed(ctx, pipelineId);
        const step = placed.find(({ key }) => key === stepKey);
        if (step)
            return step.extractor.placeBehind!(
                parseConfig(stepKey, step.extractor.config, step.config) as never,
                values,
            );
        const allowed =
            placed.length === 0
                ? 'none, since no source of the published pipeline reads changed rows'
                : placed.map(({ key }) => key).join(', ');
        throw flowError('INPUT_INVALID', { problem: `stepKey is ${show(stepKey)}; allowed: ${allowed}` });
    }

    /** The steps of the live revision whose positions are rows. */
    private async placed(ctx: RequestContext, pipelineId: ID): Promise<readonly PlacedStep[]> {
        const { selectedRevisionId } = await this.database.transaction(() => this.own(ctx, pipelineId));
        const { registry } = this.setup;
        const revision =
            selectedRevisionId === null
                ? null
                : await this.connection.rawConnection
                      .getRepository(FlowPipelineRevision)
                      .findOne({ where: { id: selectedRevisionId } });
        const definition = revision && (await this.taskQueue.done(parsingDefinition(revision.definition, registry)));
        const steps = definition?.steps.filter(({ kind }) => kind === 'EXTRACT') ?? [];
        return steps.flatMap(({ key, config: { adapterCode, ...config } }) => {
            const extractor = registry.find('extractor', String(adapterCode));
            return extractor?.placeBehind ? [{ key, extractor, config }] : [];
        });
    }

    /** Its tables are known once the data source is connected. */
    private get rows(): PipelineRows {
        return new PipelineRows(this.connection.rawConnection, this.database);
    }

    private get env() {
        return storeEnv(this.connection.rawConnection, this.database);
    }
}

function said(what: string, comment: string | null): string {
    return comment === null ? what : `${what} ${comment}`;
}

/** The values of a source whose positions are pairs. */
function valuesOf(from: JsonValue | undefined): Pick<SavedPosition, 'trackingValue' | 'primaryKey'> {
    const after = isJsonObject(from) ? from['behind'] : undefined;
    if (!Array.isArray(after) || after.length !== 2) return { trackingValue: null, primaryKey: null };
    const [trackingValue, primaryKey] = (after as readonly JsonValue[]).map(value =>
        typeof value === 'string' ? value : JSON.stringify(value),
    );
    return { trackingValue: trackingValue!, primaryKey: primaryKey! };
}

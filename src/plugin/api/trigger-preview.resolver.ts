import { Inject, UseFilters } from '@nestjs/common';
import { Query, Resolver } from '@nestjs/graphql';
import { Allow, Ctx, type ID, type RequestContext } from '@vendure/core';
import { flowError } from '../../core/errors/flow-error';
import { triggerText } from '../../core/triggers/trigger-text';
import { isJsonObject, type JsonValue } from '../../core/value/json';
import { flowPipelinePermission } from '../permissions';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP } from '../tokens';
import { apiError } from './api-error';
import { ExpectedErrorsFilter } from './expected-errors.filter';
import { DataLoaders } from '../runs/data-loaders';
import { DecodedArgs } from './decoded-args';
import { type WebhookAddress, webhookAddress } from './overview.resolver';

/** What a trigger would wait for, as the API shows it. */
export interface TriggerPreview {
    readonly text: string;
    readonly webhook: WebhookAddress | null;
}

/** Shows what triggers of unpublished definitions would do. */
@Resolver()
@UseFilters(ExpectedErrorsFilter)
export class TriggerPreviewResolver {
    constructor(
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
        private readonly dataLoaders: DataLoaders,
    ) {}

    @Query()
    @Allow(flowPipelinePermission.Read)
    async flowTriggerPreview(
        @Ctx() ctx: RequestContext,
        @DecodedArgs() { pipelineId, config }: { pipelineId: ID; config: JsonValue },
    ): Promise<TriggerPreview | null> {
        const pipeline = await this.dataLoaders.pipeline(ctx, pipelineId);
        if (!pipeline) throw apiError(flowError('PIPELINE_NOT_FOUND', {}));
        if (!isJsonObject(config) || typeof config.type !== 'string') return null;
        const { type, ...settings } = config;
        const trigger = this.setup.registry.find('trigger', String(type));
        if (!trigger?.config.safeParse(settings).success) return null;
        return { text: triggerText(config), webhook: webhookAddress(ctx, pipeline, config) };
    }
}

import { UseFilters } from '@nestjs/common';
import { Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Allow, Ctx, type ID, type Permission, RequestContext } from '@vendure/core';
import { triggerText } from '../../core/triggers/trigger-text';
import { webhook, type WebhookConfig } from '../../core/triggers/webhook';
import { webhookCurl } from '../../core/triggers/webhook-curl';
import type { JsonObject } from '../../core/value/json';
import type { DayFigures, RunAnalytics } from '../analytics/analytics';
import type { FlowPipeline } from '../entities/pipeline';
import { type Overview, Overviews } from '../overview/overview';
import { PipelineSummaries } from '../overview/pipeline-summaries';
import { type TriggerWarning, TriggerWarnings } from '../overview/trigger-warnings';
import { flowPipelinePermission, readFlowRunPermission } from '../permissions';
import type { RecordErrorGroup } from '../record-errors/groups';
import { DataLoaders } from '../runs/data-loaders';
import type { TriggerOfRevision } from '../triggers/triggers';
import { withApiErrors } from './api-error';
import { ExpectedErrorsFilter } from './expected-errors.filter';

/** Resolves the overview page. */
@Resolver()
@UseFilters(ExpectedErrorsFilter)
export class OverviewResolver {
    constructor(private readonly overviews: Overviews) {}

    @Query()
    @Allow(readFlowRunPermission.Permission)
    flowOverview(@Ctx() ctx: RequestContext): Promise<Overview> {
        return withApiErrors(() => this.overviews.of(ctx));
    }
}

/** The parts of an overview that are resolved together. */
@Resolver('FlowOverview')
export class OverviewFieldResolver {
    @ResolveField()
    openRecordErrors(@Parent() { errors }: Overview): number {
        return errors.totalRecords;
    }

    @ResolveField()
    causes(@Parent() { errors }: Overview): readonly RecordErrorGroup[] {
        return errors.items;
    }

    @ResolveField()
    lastDay(@Parent() { day }: Overview): RunAnalytics['total'] {
        return day.total;
    }

    @ResolveField()
    hours(@Parent() { day }: Overview): RunAnalytics['periods'] {
        return day.periods;
    }
}

/** The pipeline of a warning. */
@Resolver('FlowTriggerWarning')
export class TriggerWarningFieldResolver {
    constructor(private readonly dataLoaders: DataLoaders) {}

    @ResolveField()
    pipeline(@Ctx() ctx: RequestContext, @Parent() { pipelineId }: TriggerWarning): Promise<FlowPipeline | null> {
        return this.dataLoaders.pipeline(ctx, pipelineId);
    }
}

/** The fields of a pipeline that lists show. */
@Resolver('FlowPipeline')
export class PipelineSummaryFieldResolver {
    constructor(private readonly summaries: PipelineSummaries) {}

    @ResolveField()
    async openErrors(@Ctx() ctx: RequestContext, @Parent() { id }: FlowPipeline): Promise<number | null> {
        return mayReadRuns(ctx) ? this.summaries.openErrors(ctx, id) : null;
    }

    @ResolveField()
    async days(@Ctx() ctx: RequestContext, @Parent() { id }: FlowPipeline): Promise<readonly DayFigures[] | null> {
        return mayReadRuns(ctx) ? this.summaries.days(ctx, id) : null;
    }
}

/** The address at which a webhook accepts requests, and a command to try it. */
export interface WebhookAddress {
    readonly path: string;
    readonly url: string;
    readonly authentication: string;
    readonly curl: string;
}

/** The fields of a trigger that are not part of its step. */
@Resolver('FlowTrigger')
export class TriggerFieldResolver {
    constructor(
        private readonly dataLoaders: DataLoaders,
        private readonly found: TriggerWarnings,
    ) {}

    @ResolveField()
    text(@Parent() { config }: TriggerOfRevision): string {
        return triggerText(config);
    }

    @ResolveField()
    config(@Ctx() ctx: RequestContext, @Parent() { config }: TriggerOfRevision): JsonObject | null {
        return mayReadPipelines(ctx) ? config : null;
    }

    @ResolveField()
    async webhook(
        @Ctx() ctx: RequestContext,
        @Parent() { config, pipelineId }: TriggerOfRevision,
    ): Promise<WebhookAddress | null> {
        if (config.type !== webhook.code || !mayReadPipelines(ctx)) return null;
        const pipeline = await this.dataLoaders.pipeline(ctx, pipelineId);
        return pipeline && webhookAddress(ctx, pipeline, config);
    }

    @ResolveField()
    async warnings(
        @Ctx() ctx: RequestContext,
        @Parent() { key, pipelineId, revisionId }: TriggerOfRevision,
    ): Promise<readonly TriggerWarning[]> {
        return (await this.found.of(ctx)).filter(
            warning =>
                warning.triggerKey === key &&
                isSame(warning.pipelineId, pipelineId) &&
                isSame(warning.revisionId, revisionId),
        );
    }
}

/**
 * The address of a webhook with this configuration. A configuration that an earlier version has published and that is no longer valid
 * rejects all requests.
 */
export function webhookAddress(
    ctx: RequestContext,
    { code }: Pick<FlowPipeline, 'code'>,
    { type, ...settings }: JsonObject,
): WebhookAddress | null {
    const parsed = webhook.config.safeParse(settings);
    if (type !== webhook.code || !parsed.success) return null;
    const path = `/flow/webhook/${code}`;
    const url = `${originOf(ctx)}${path}`;
    const config = parsed.data as WebhookConfig;
    return { path, url, authentication: config.authentication, curl: webhookCurl(url, config) };
}

function originOf({ req }: RequestContext): string {
    return req ? `${req.protocol}://${req.get('host') ?? ''}` : '';
}

function isSame(one: ID, other: ID): boolean {
    return String(one) === String(other);
}

function mayReadRuns(ctx: RequestContext): boolean {
    return ctx.userHasPermissions([readFlowRunPermission.Permission]);
}

function mayReadPipelines(ctx: RequestContext): boolean {
    return ctx.userHasPermissions([flowPipelinePermission.Read as Permission]);
}

import { UseFilters } from '@nestjs/common';
import { Args, Query, Resolver } from '@nestjs/graphql';
import { Allow, Ctx, RequestContext } from '@vendure/core';
import { Analytics, type AnalyticsQuestion, type RunAnalytics } from '../analytics/analytics';
import { readFlowRunPermission } from '../permissions';
import { withApiErrors } from './api-error';
import { ExpectedErrorsFilter } from './expected-errors.filter';

/** The query for the statistics of runs. */
@Resolver()
@UseFilters(ExpectedErrorsFilter)
export class AnalyticsResolver {
    constructor(private readonly analytics: Analytics) {}

    @Query()
    @Allow(readFlowRunPermission.Permission)
    flowAnalytics(@Ctx() ctx: RequestContext, @Args() question: AnalyticsQuestion): Promise<RunAnalytics> {
        return withApiErrors(() => this.analytics.of(ctx, question));
    }
}

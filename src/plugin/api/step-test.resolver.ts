import { UseFilters } from '@nestjs/common';
import { Mutation, Resolver } from '@nestjs/graphql';
import { Allow, Ctx, RequestContext } from '@vendure/core';
import { flowPipelinePermission } from '../permissions';
import type { StepTest } from '../test-runs/step-test';
import { type StepTestInput, StepTests } from '../test-runs/step-tests';
import { withApiErrors } from './api-error';
import { ExpectedErrorsFilter } from './expected-errors.filter';
import { DecodedArgs } from './decoded-args';

/** Tests steps with a few records. It is a mutation, because it may send requests to other systems. */
@Resolver()
@UseFilters(ExpectedErrorsFilter)
export class StepTestResolver {
    constructor(private readonly tests: StepTests) {}

    @Mutation()
    @Allow(flowPipelinePermission.Update)
    testFlowStep(@Ctx() ctx: RequestContext, @DecodedArgs() { input }: { input: StepTestInput }): Promise<StepTest> {
        return withApiErrors(() => this.tests.test(ctx, input));
    }
}

import { UseFilters } from '@nestjs/common';
import { Mutation, Resolver } from '@nestjs/graphql';
import { Allow, Ctx, RequestContext } from '@vendure/core';
import { flowPipelinePermission } from '../permissions';
import type { StepTest } from '../trials/step-test';
import { type StepTestInput, StepTests } from '../trials/step-tests';
import { answering } from './api-error';
import { ExpectedErrorsFilter } from './expected-errors.filter';
import { OpenedArgs } from './opened-args';

/** Tries steps on a few records. A mutation, since it may ask other systems. */
@Resolver()
@UseFilters(ExpectedErrorsFilter)
export class StepTestResolver {
    constructor(private readonly tests: StepTests) {}

    @Mutation()
    @Allow(flowPipelinePermission.Update)
    testFlowStep(@Ctx() ctx: RequestContext, @OpenedArgs() { input }: { input: StepTestInput }): Promise<StepTest> {
        return answering(() => this.tests.test(ctx, input));
    }
}

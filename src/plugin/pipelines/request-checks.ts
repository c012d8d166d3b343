import { Injectable } from '@nestjs/common';
import { type RequestContext, RequestContextCacheService } from '@vendure/core';
import { digesting } from '../../core/pipeline/digest';
import type { CheckResult } from '../../core/pipeline/parse';
import { readingInput } from '../../core/pipeline/read-input';
import { OncePerOperation } from '../responses/once-per-operation';
import { ProcessTaskQueue } from '../process-task-queue';
import { DefinitionChecks } from './definition-check';

/** The most different definitions that one request may check. */
const MAX_CHECKS = 20;
/** The most definitions that are read to compare them: repeated in the fields of a request, each is a different object with the same parts. */
const MAX_READ = 100;

/** Checks the definitions of a request, each different one once, however often it is repeated. */
@Injectable()
export class RequestChecks {
    constructor(
        private readonly cache: RequestContextCacheService,
        private readonly checks: DefinitionChecks,
        private readonly taskQueue: ProcessTaskQueue,
    ) {}

    /** Throws INPUT_INVALID for one definition too many. */
    check(ctx: RequestContext, definition: unknown): Promise<CheckResult> {
        const { read, made } = this.cache.get(ctx, 'flow-definition-checks', () => ({
            read: new OncePerOperation<CheckResult>(MAX_READ, 'definitions to be checked'),
            made: new OncePerOperation<CheckResult>(MAX_CHECKS, 'checks of definitions'),
        }));
        return read.make(definition, () => this.ofContent(ctx, definition, made));
    }

    private async ofContent(
        { channelId }: RequestContext,
        given: unknown,
        made: OncePerOperation<CheckResult>,
    ): Promise<CheckResult> {
        const { value, issues } = await this.taskQueue.done(readingInput(given, this.checks.limits.maxValues));
        if (!value) return { issues };
        const digest = await this.taskQueue.done(digesting(value));
        return made.make(`digest ${digest}`, () => this.checks.check(channelId, given));
    }
}

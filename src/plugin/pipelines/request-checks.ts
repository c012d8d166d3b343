import { Injectable } from '@nestjs/common';
import { type RequestContext, RequestContextCacheService } from '@vendure/core';
import { digesting } from '../../core/pipeline/digest';
import type { CheckResult } from '../../core/pipeline/parse';
import { readingInput } from '../../core/pipeline/read-input';
import { OncePerOperation } from '../responses/once-per-operation';
import { ProcessTaskQueue } from '../process-task-queue';
import { DefinitionChecks } from './definition-check';

/** Different definitions that one request may have checked. */
const MAX_CHECKS = 20;
/** So many may be read to find out whether they are different: written into the fields of a request, each is another object around the same parts. */
const MAX_READ = 100;

/** Checks definitions that are sent to be checked, each once in a request, however often that asks. */
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

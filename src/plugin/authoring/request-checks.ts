import { Injectable } from '@nestjs/common';
import { type RequestContext, RequestContextCacheService } from '@vendure/core';
import { flowError } from '../../core/errors/flow-error';
import { digesting } from '../../core/pipeline/digest';
import type { CheckResult } from '../../core/pipeline/parse';
import { readingInput } from '../../core/pipeline/read-input';
import { WorkLane } from '../services/work-lane';
import { DefinitionChecks } from './definition-check';

/** Different definitions that one request may have checked: with aliases it could ask for any number. */
const MAX_CHECKS = 20;

interface Checked {
    /** By what was given, and by the digest of what that holds. */
    readonly known: Map<unknown, Promise<CheckResult>>;
    count: number;
}

/** Checks definitions that are sent to be checked, each once in a request, however often that asks. */
@Injectable()
export class RequestChecks {
    constructor(
        private readonly cache: RequestContextCacheService,
        private readonly checks: DefinitionChecks,
        private readonly lane: WorkLane,
    ) {}

    /** Throws INPUT_INVALID for one definition too many. */
    check(ctx: RequestContext, definition: unknown): Promise<CheckResult> {
        const checked = this.cache.get<Checked>(ctx, 'flow-definition-checks', () => ({ known: new Map(), count: 0 }));
        return once(checked.known, definition, () => this.ofContent(ctx, definition, checked));
    }

    private async ofContent({ channelId }: RequestContext, given: unknown, checked: Checked): Promise<CheckResult> {
        const { value, issues } = await this.lane.done(readingInput(given, this.checks.limits.maxValues));
        if (!value) return { issues };
        return once(checked.known, `digest ${await this.lane.done(digesting(value))}`, () => {
            if (++checked.count > MAX_CHECKS) {
                const problem = `The request asks for checks of more than ${MAX_CHECKS} definitions, which are the most that are allowed`;
                throw flowError('INPUT_INVALID', { problem });
            }
            return this.checks.check(channelId, given);
        });
    }
}

async function once<T>(known: Map<unknown, Promise<T>>, key: unknown, make: () => Promise<T>): Promise<T> {
    const existing = known.get(key);
    if (existing) return existing;
    const made = make();
    known.set(key, made);
    return made;
}

import { Inject, Injectable } from '@nestjs/common';
import { ConfigService, type ID } from '@vendure/core';
import type { Registry } from '../../core/adapter/registry';
import type { PipelineDefinition } from '../../core/pipeline/definition';
import { Issues } from '../../core/pipeline/issues';
import {
    checkingDefinition,
    type CheckLimits,
    type CheckResult,
    type CheckScope,
    definitionIssue,
} from '../../core/pipeline/parse';
import type { YieldingTask } from '../../core/concurrency/yielding-task';
import { hostProblemOf } from '../../io/outbound/host-problem';
import type { Id } from '../../database/write';
import { findingUnknownPermissions, knownPermissions } from '../known-permissions';
import type { DefinitionReference } from '../references/definition-references';
import { RunPlatform } from '../run-platform';
import { ReferenceIssues } from '../references/reference-issues';
import { ProcessTaskQueue } from '../process-task-queue';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP } from '../tokens';

/** The most places in which a definition may name connections, secrets and files. Each of them is looked up in the channel. */
const MAX_REFERENCES = 5_000;

/** The issues of a definition by itself, and its references to resources of its channel. */
export interface OwnCheck extends CheckResult {
    readonly references: readonly DefinitionReference[];
}

/** Where a definition comes from, and its adapters if these are not the shop's. */
type Origin = { readonly registry?: Registry | undefined } & Pick<CheckScope, 'isStored' | 'isSent'>;

/** Checks a definition against everything that a run needs: adapters, the channel's secrets and connections, the shop's permissions. */
@Injectable()
export class DefinitionChecks {
    constructor(
        private readonly references: ReferenceIssues,
        private readonly taskQueue: ProcessTaskQueue,
        private readonly platform: RunPlatform,
        private readonly config: ConfigService,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    get limits(): CheckLimits {
        return this.setup.options.definitions;
    }

    /** All issues in one result. References are looked up even if the definition has other issues, as far as they can be read. */
    async check(channelId: ID, definition: unknown, registry?: Registry): Promise<CheckResult> {
        // A definition with a separate registry may be a part of a code-first pipeline.
        const isStored = registry === undefined;
        const { references, ...own } = await this.byItself(definition, { registry, isStored, isSent: true });
        const [found] = await this.references.of([{ channelId: channelId as Id, references }]);
        const issues = new Issues();
        issues.add(...own.issues, ...found!);
        const { definition: sound, ...faulty } = own;
        return { ...faulty, ...(sound && !issues.hasFaults && { definition: sound }), issues: issues.list };
    }

    /** The issues that depend only on the definition, the code and the options of the shop. */
    byItself(definition: unknown, origin: Origin = { isStored: false }): Promise<OwnCheck> {
        return this.taskQueue.done(this.checking(definition, origin));
    }

    /** Throws DEFINITION_MALFORMED or DEFINITION_INVALID with all issues. */
    async sound(channelId: ID, definition: unknown): Promise<PipelineDefinition> {
        const { definition: checked, issues } = await this.check(channelId, definition);
        if (!checked) throw definitionIssue(issues);
        return checked;
    }

    private *checking(given: unknown, { registry = this.setup.registry, ...origin }: Origin): YieldingTask<OwnCheck> {
        const hostProblem = hostProblemOf(this.setup.options.security);
        const scope = { ...this.limits, platform: this.platform.shop, hostProblem, ...origin };
        const checked = yield* checkingDefinition(given, registry, scope);
        if (!checked.written) return { ...checked, references: [] };
        const issues = new Issues();
        issues.add(...checked.issues);
        issues.add(...(yield* findingUnknownPermissions(checked.written, knownPermissions(this.config))));
        const references = yield* this.references.needed(checked.written);
        if (references.length > MAX_REFERENCES) {
            const message = `The definition names connections, secrets and files in ${references.length} places; allowed: at most ${MAX_REFERENCES}`;
            issues.add({ code: 'DEFINITION_TOO_LARGE', path: '', message });
        }
        const { definition, ...others } = checked;
        return {
            ...others,
            ...(definition && !issues.hasFaults && { definition }),
            issues: issues.list,
            references: references.slice(0, MAX_REFERENCES),
        };
    }
}

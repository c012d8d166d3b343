import { Inject, Injectable } from '@nestjs/common';
import { ConfigService, type ID } from '@vendure/core';
import type { PipelineDefinition } from '../../core/pipeline/definition';
import { Issues } from '../../core/pipeline/issues';
import { type CheckResult, checkDefinition, definitionFault } from '../../core/pipeline/parse';
import { knownPermissions, unknownPermissions } from '../known-permissions';
import { ReferenceIssues } from '../resources/reference-issues';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP } from '../tokens';

/** Checks a definition against all that a run will need: adapters, the channel's secrets and connections, the shop's permissions. */
@Injectable()
export class DefinitionChecks {
    constructor(
        private readonly references: ReferenceIssues,
        private readonly config: ConfigService,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    /** All that is wrong with it in one answer: what it refers to is looked up wherever its faults leave that to be read. */
    async check(channelId: ID, definition: unknown, registry = this.setup.registry): Promise<CheckResult> {
        const checked = checkDefinition(definition, registry);
        if (!checked.written) return checked;
        const issues = new Issues();
        issues.add(
            ...checked.issues,
            ...unknownPermissions(checked.written, knownPermissions(this.config)),
            ...(await this.references.of(channelId, checked.written)),
        );
        const { definition: sound, ...faulty } = checked;
        return { ...faulty, ...(sound && !issues.hasFaults && { definition: sound }), issues: issues.list };
    }

    /** Throws DEFINITION_MALFORMED or DEFINITION_INVALID, with all issues. */
    async sound(channelId: ID, definition: unknown): Promise<PipelineDefinition> {
        const { definition: checked, issues } = await this.check(channelId, definition);
        if (!checked) throw definitionFault(issues);
        return checked;
    }
}

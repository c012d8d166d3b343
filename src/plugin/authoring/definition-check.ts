import { Inject, Injectable } from '@nestjs/common';
import { ConfigService, type ID } from '@vendure/core';
import type { PipelineDefinition } from '../../core/pipeline/definition';
import { isFault } from '../../core/pipeline/issues';
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

    /** What it refers to is only looked up in a definition that is sound by itself. */
    async check(channelId: ID, definition: unknown, registry = this.setup.registry): Promise<CheckResult> {
        const checked = checkDefinition(definition, registry);
        if (!checked.definition) return checked;
        const permissions = unknownPermissions(checked.definition, knownPermissions(this.config));
        const issues = [
            ...checked.issues,
            ...permissions,
            ...(await this.references.of(channelId, checked.definition)),
        ];
        return issues.some(isFault) ? { issues } : { ...checked, issues };
    }

    /** Throws DEFINITION_MALFORMED or DEFINITION_INVALID, with all issues. */
    async sound(channelId: ID, definition: unknown): Promise<PipelineDefinition> {
        const { definition: checked, issues } = await this.check(channelId, definition);
        if (!checked) throw definitionFault(issues);
        return checked;
    }
}

import { Inject, Injectable } from '@nestjs/common';
import type { ID, RequestContext } from '@vendure/core';
import { providedRecords } from '../../core/adapter/provided-records';
import type { Registry } from '../../core/adapter/registry';
import { TEST_RUN_CHARS } from '../../core/adapter/test-run-limits';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { show } from '../../core/value/show';
import { sizeOfValue } from '../../core/data/weight';
import { flowError } from '../../core/errors/flow-error';
import type { PipelineDefinition } from '../../core/pipeline/definition';
import type { Issue } from '../../core/pipeline/issues';
import { definitionIssue } from '../../core/pipeline/parse';
import { type DefinitionPart, partOf } from '../../core/pipeline/part';
import { DefinitionChecks } from '../pipelines/definition-check';
import { readingDraft } from '../pipelines/draft';
import { assertMayEditCode } from '../pipelines/inline-code';
import { Documents } from '../pipelines/documents';
import { parseWith } from '../../core/schema/issues';
import { puttingRealEnumValues } from '../../core/pipeline/enum-aliases';
import { startsRuns } from '../../core/steps/kinds';
import { runAtOnce, type YieldingTask } from '../../core/concurrency/yielding-task';
import { manageFlowFilesPermission, readFlowFilesPermission, readFlowRecordPermission } from '../permissions';
import { definitionReferences } from '../references/definition-references';
import { requirement, requirementsOf, unmetRequirements } from '../pipelines/requirements';
import { testRunGateway } from '../runs/test-run-gateway';
import { SecretDestinations } from '../secrets/secret-destinations';
import type { ThroughDoor } from '../trigger-preview';
import { ProcessTaskQueue } from '../process-task-queue';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP } from '../tokens';
import { type StepTest, stepTestOf, triggerTestOf } from './step-test';
import { TestRuns } from './test-runs';
import { TriggerPreviews } from './trigger-previews';

/** The API's TestFlowStepInput. */
export interface StepTestInput {
    readonly definition: unknown;
    readonly stepKey: string;
    readonly limit?: number | null;
    readonly records?: readonly unknown[] | null;
    readonly pipelineId?: ID | null;
}

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 1_000;

/** Tests a step with a few records. */
@Injectable()
export class StepTests {
    constructor(
        private readonly checks: DefinitionChecks,
        private readonly documents: Documents,
        private readonly taskQueue: ProcessTaskQueue,
        private readonly trials: TestRuns,
        private readonly previews: TriggerPreviews,
        private readonly destinations: SecretDestinations,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    /**
     * Throws INPUT_INVALID and DEFINITION_MALFORMED like saving the definition does, DEFINITION_INVALID with the issues of the tested steps, FORBIDDEN,
     * SECRET_HOST_NOT_ALLOWED, and errors that prevent a secret or connection from being used. Errors of records are part of the result.
     */
    async test(ctx: RequestContext, input: StepTestInput): Promise<StepTest> {
        // Waits before any other work, so that a rejected request costs nothing.
        const weight = (): number => sizeOfValue(input as unknown as JsonValue, TEST_RUN_CHARS);
        return this.trials.inTurn(weight, () => this.begun(ctx, input));
    }

    private async begun(ctx: RequestContext, input: StepTestInput): Promise<StepTest> {
        const { stepKey } = input;
        const records = input.records == null ? undefined : recordsOf(input.records);
        const limit = limitOf(input.limit, records);
        const preview = await this.previewOf(ctx, input, limit);
        if (preview) return preview;
        const before = input.pipelineId == null ? undefined : await this.documents.definition(ctx, input.pipelineId);
        const part = await this.taskQueue.done(this.partOf(input, records !== undefined));
        // The test would run code before it is saved, so the user needs the permission for it.
        await assertMayEditCode({ lane: this.taskQueue, registry: this.setup.registry }, ctx, {
            before,
            after: part.inPlace,
        });
        const definition = withRecords(await this.sound(ctx, part, records !== undefined), records);
        assertMay(ctx, definition, this.trials.registry);
        await this.destinations.assert(ctx.channelId, definition, part.placed);
        const tried = await this.trials.perform(ctx, { definition, stepKey, limit, outbound: this.throughDoor(ctx) });
        return stepTestOf({ ...tried, definition });
    }

    /** The preview of a trigger that supports it. Undefined for any other step. */
    private async previewOf(ctx: RequestContext, input: StepTestInput, limit: number): Promise<StepTest | undefined> {
        const { stepKey, records } = input;
        const draft = await this.taskQueue.done(readingDraft(input.definition, this.checks.limits));
        const steps = Array.isArray(draft['steps']) ? (draft['steps'] as readonly JsonValue[]) : [];
        const index = steps.findIndex(step => isJsonObject(step) && step['key'] === stepKey);
        const { kind, config } = (index < 0 ? {} : steps[index]) as JsonObject;
        if (!startsRuns(kind) || !isJsonObject(config) || records != null) return undefined;
        const { type, ...given } = config;
        const trigger = this.setup.registry.find('trigger', String(type));
        const look = trigger && this.previews.of(trigger.code);
        if (!look) return undefined;
        const { config: schema, code } = trigger;
        const parsed = parseWith(schema, runAtOnce(puttingRealEnumValues(schema, given)), `steps[${index}].config`);
        if (!parsed.ok)
            throw definitionIssue(parsed.issues.map(issue => ({ code: 'CONFIG_INVALID', stepKey, ...issue })));
        const seeing = requirement(readFlowRecordPermission.Permission, `seeing what a ${code} trigger brings`);
        const missing = unmetRequirements(ctx, [seeing]);
        if (missing) throw flowError('FORBIDDEN', { who: ctx.session?.user?.identifier ?? 'The caller', ...missing });
        const order = { limit, through: this.throughDoor(ctx) };
        return triggerTestOf(stepKey, await look(ctx, parsed.value, order));
    }

    /** The definition is not approved yet, so its requests are restricted. */
    private throughDoor(ctx: RequestContext): ThroughDoor {
        const { requireReview } = this.setup.options.publishing;
        return (gateway, servers) => testRunGateway(gateway, { ctx, requireReview, servers });
    }

    /** A definition that could not be saved is not tested. */
    private *partOf({ definition, stepKey }: StepTestInput, isGiven: boolean): YieldingTask<DefinitionPart> {
        return yield* partOf(yield* readingDraft(definition, this.checks.limits), stepKey, isGiven);
    }

    private async sound(
        { channelId }: RequestContext,
        { definition, placed }: DefinitionPart,
        isGiven: boolean,
    ): Promise<PipelineDefinition> {
        const registry = isGiven ? this.trials.registry : this.setup.registry;
        const checked = await this.checks.check(channelId, definition, registry);
        if (!checked.definition) throw definitionIssue(placed(checked.issues as readonly Issue[]));
        return checked.definition;
    }
}

/** Requires the permissions of a run, and the permission to see records. */
function assertMay(ctx: RequestContext, definition: PipelineDefinition, registry: Registry): void {
    const records = requirement(readFlowRecordPermission.Permission, 'seeing what a step makes of records');
    const mayReadFiles =
        ctx.userHasPermissions([readFlowFilesPermission.Permission]) ||
        ctx.userHasPermissions([manageFlowFilesPermission.Permission]);
    const files =
        mayReadFiles || !readsFile(definition, registry)
            ? []
            : [requirement(readFlowFilesPermission.Permission, 'reading a file')];
    const missing = unmetRequirements(ctx, [records, ...files, ...requirementsOf(definition, registry)]);
    if (missing) throw flowError('FORBIDDEN', { who: ctx.session?.user?.identifier ?? 'The caller', ...missing });
}

function readsFile(definition: PipelineDefinition, registry: Registry): boolean {
    return definitionReferences(definition, registry).some(({ to, isDisabled }) => to === 'file' && !isDisabled);
}

function withRecords(definition: PipelineDefinition, records: readonly JsonObject[] | undefined): PipelineDefinition {
    if (!records) return definition;
    const steps = definition.steps.map(step =>
        step.config['adapterCode'] === providedRecords.code
            ? { ...step, config: { ...step.config, records: [...records] } }
            : step,
    );
    return { ...definition, steps };
}

/** Other values are rejected, never clamped. */
function limitOf(limit: number | null | undefined, records: readonly JsonObject[] | undefined): number {
    if (limit == null) return records ? Math.max(records.length, 1) : DEFAULT_LIMIT;
    if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit;
    throw flowError('INPUT_INVALID', { problem: `limit is ${show(limit)}; allowed: 1 to ${MAX_LIMIT}` });
}

function recordsOf(given: readonly unknown[]): readonly JsonObject[] {
    if (given.length > MAX_LIMIT)
        throw flowError('INPUT_INVALID', {
            problem: `records has ${given.length} elements; allowed: at most ${MAX_LIMIT}`,
        });
    return given.map((record, index) => {
        if (isJsonObject(record as JsonValue)) return record as JsonObject;
        throw flowError('INPUT_INVALID', { problem: `records[${index}] is ${show(record)}; allowed: an object` });
    });
}

import { Inject, Injectable } from '@nestjs/common';
import { type ID, TransactionalConnection } from '@vendure/core';
import { TEST_RUN_CHARS, testRunTooLarge } from '../../core/adapter/test-run-limits';
import { sizeOfValue } from '../../core/data/weight';
import { asFlowError, type FlowError, flowError } from '../../core/errors/flow-error';
import type { PipelineDefinition } from '../../core/pipeline/definition';
import { withoutSpooledSources } from '../../core/pipeline/input-source';
import { parsingDefinition } from '../../core/pipeline/parse';
import type { Reject } from '../../core/ports/ports';
import type { TestRunChange } from '../../core/run/test-run';
import { gateOf, MAX_PREVIEW_COUNT } from '../../core/steps/kinds/gate';
import { show } from '../../core/value/show';
import type { Id } from '../../database/write';
import { FlowPipelineRevision } from '../entities/revision';
import type { FlowPipelineRun } from '../entities/run';
import { requirementsOf } from '../pipelines/requirements';
import { RunPrincipals } from '../runs/run-principals';
import { RunStores } from '../runs/run-stores';
import type { FlowSetup } from '../setup';
import type { SpooledItem, SpooledRange } from '../stores/spooled-pages';
import { FLOW_SETUP } from '../tokens';
import { type TestRunResult, TestRuns } from '../test-runs/test-runs';
import { ProcessTaskQueue } from '../process-task-queue';

/** The page of held records to show. */
export interface GatePreviewInput {
    readonly stepKey: string;
    readonly skip?: number | null;
    readonly take?: number | null;
}

/** A held record, and its planned changes by the steps after the gate. */
export interface PreviewedRecord extends SpooledItem {
    readonly changes: readonly TestRunChange[];
    readonly rejected: readonly Reject[];
}

/** Records that a gate holds. */
export interface GatePreview {
    readonly items: readonly PreviewedRecord[];
    readonly totalItems: number;
    /** The error that prevents planning the steps after the gate. */
    readonly error: { readonly error: FlowError; readonly stepKey: string | undefined } | undefined;
}

const MAX_SKIP = 10_000;

/**
 * Shows the held records of a gate, with their planned changes, to the user who decides. The records of a page pass through the steps after the
 * gate as in a step test, with the permissions of the run. Nothing is written.
 */
@Injectable()
export class GatePreviews {
    constructor(
        private readonly connection: TransactionalConnection,
        private readonly stores: RunStores,
        private readonly trials: TestRuns,
        private readonly runPrincipals: RunPrincipals,
        private readonly taskQueue: ProcessTaskQueue,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    /** Throws INPUT_INVALID, and STEP_TEST_BUSY or STEP_TEST_TOO_LARGE if the preview exceeds what the server allows. */
    async preview(run: FlowPipelineRun, input: GatePreviewInput): Promise<GatePreview> {
        const { id, revisionId } = run;
        const { stepKey } = input;
        const skip = wholeNumber('skip', input.skip ?? 0, { min: 0, max: MAX_SKIP });
        const definition = revisionId === null ? undefined : await this.published(revisionId);
        const gate = definition && gateOf(definition, stepKey);
        if (!gate)
            throw invalid(
                `stepKey is ${show(stepKey)}, which is not a gate of the run; allowed: ${gateKeys(definition).join(', ') || 'none, because the run has no gate'}`,
            );
        const take = wholeNumber('take', input.take ?? gate.previewCount, { min: 1, max: MAX_PREVIEW_COUNT });
        const totalItems = await this.stores.heldPages.count({ runId: id as Id, stepKey });
        const nothing = { items: [], totalItems, error: undefined };
        if (skip >= totalItems) return nothing;
        return this.trials.inTurn(
            () => 0,
            async () => ({ ...(await this.previewed(run, definition, { stepKey, skip, take })), totalItems }),
        );
    }

    private async published(id: ID): Promise<PipelineDefinition | undefined> {
        const revision = await this.connection.rawConnection
            .getRepository(FlowPipelineRevision)
            .findOne({ where: { id } });
        return revision ? this.taskQueue.done(parsingDefinition(revision.definition, this.setup.registry)) : undefined;
    }

    private async previewed(
        run: FlowPipelineRun,
        definition: PipelineDefinition,
        { stepKey, ...places }: SpooledRange & { readonly stepKey: string },
    ): Promise<Omit<GatePreview, 'totalItems'>> {
        const items = await this.page(run.id, stepKey, places);
        try {
            const tried = await this.testRunResult(
                run,
                withoutSpooledSources(
                    definition,
                    stepKey,
                    items.map(({ data }) => data),
                ),
            );
            const { end } = tried;
            const error = end.end === 'stopped' ? { error: end.error, stepKey: end.stepKey } : undefined;
            return { items: withWhatBecomes(items, tried), error };
        } catch (thrown) {
            const error = asFlowError(thrown);
            if (error.code.startsWith('STEP_TEST_') || error.treat === 'transient') throw error;
            return { items: withWhatBecomes(items, undefined), error: { error, stepKey: undefined } };
        }
    }

    private async page(runId: ID, stepKey: string, range: SpooledRange): Promise<readonly SpooledItem[]> {
        let chars = 0;
        return this.stores.heldPages.page({ runId: runId as Id, stepKey }, range, ({ data }) => {
            chars += sizeOfValue(data, TEST_RUN_CHARS);
            if (chars > TEST_RUN_CHARS) throw testRunTooLarge();
        });
    }

    /** As the run would continue: for its user, with the user's current permissions. */
    private async testRunResult(
        { startedByUserId, channelId }: FlowPipelineRun,
        definition: PipelineDefinition,
    ): Promise<TestRunResult> {
        const identity = { userId: startedByUserId ?? undefined, channelId };
        const ctx = await this.runPrincipals.restore(identity, requirementsOf(definition, this.trials.registry));
        return this.trials.perform(ctx, { definition, limit: MAX_PREVIEW_COUNT, outbound: gateway => gateway });
    }
}

function gateKeys(definition: PipelineDefinition | undefined): readonly string[] {
    return definition?.steps.filter(({ kind }) => kind === 'GATE').map(({ key }) => key) ?? [];
}

/** Adds the outcomes to the records, which were read by their positions on the page. */
function withWhatBecomes(
    items: readonly SpooledItem[],
    testRunResult: TestRunResult | undefined,
): readonly PreviewedRecord[] {
    const { changes = [], rejects = [] } = testRunResult?.trial ?? {};
    return items.map((item, index) => ({
        ...item,
        changes: changes.filter(({ seq }) => seq === index).map(change => ({ ...change, seq: item.seq })),
        rejected: rejects.filter(({ seq }) => seq === index),
    }));
}

function wholeNumber(
    field: string,
    value: number,
    { min, max }: { readonly min: number; readonly max: number },
): number {
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    throw invalid(`${field} is ${show(value)}; allowed: ${min.toLocaleString('en')} to ${max.toLocaleString('en')}`);
}

function invalid(problem: string): FlowError {
    return flowError('INPUT_INVALID', { problem });
}

import { Injectable } from '@nestjs/common';
import type { ID, RequestContext } from '@vendure/core';
import type { Script } from '../../core/adapter/loader';
import { isSourceReference } from '../../core/adapter/source-reference';
import { own } from '../../core/data/own';
import type { PipelineDefinition, StepDefinition } from '../../core/pipeline/definition';
import { givenFileIds } from '../../core/pipeline/given-source';
import { countsOf, type StepCounters } from '../../core/progress/counters';
import { readsRecords } from '../../core/steps/kinds';
import { name, select, sql } from '../../database/statement';
import type { Id } from '../../database/write';
import { LargeValues } from '../answers/large-values';
import { FlowPipelineRun } from '../entities/run';
import { PublicIds } from '../../platform/public-ids';
import { Lookups } from './lookups';
import { RunRevisions } from './run-revisions';
import { RunStores } from './run-stores';

/** What a run or a step of it waits for. */
export interface RunWait {
    readonly reason: 'WORKER' | 'EARLIER_RUN' | 'GATE' | 'RESUME' | 'RETRY';
    readonly stepKey?: string | null;
    readonly runId?: ID | null;
    readonly until?: Date | null;
    /** RETRY: why the last try has failed, and which of how many comes. */
    readonly code?: string | null;
    readonly retry?: number | null;
    readonly of?: number | null;
}

/** Where a source is. */
export interface SourceState {
    /** The stored file that it reads, where that is there still. */
    readonly fileId: string | null;
    /** The name of the stored file that it reads, or the path of the file elsewhere that the run is about. */
    readonly filename: string | null;
    readonly place: string | null;
    readonly records: number;
    /** How many records there are, where that is known. */
    readonly total: number | null;
}

/** A step of what a run executes, and what has become of its records. */
export interface RunStep {
    readonly stepKey: string;
    readonly name: string;
    readonly kind: string;
    readonly adapterCode: string | null;
    readonly disabled: boolean;
    readonly counters: StepCounters & { readonly stepKey: string };
    readonly ms: number | null;
    readonly recordsPerSecond: number | null;
    readonly next: ReadonlyArray<{ readonly stepKey: string; readonly branch: string | null }>;
    readonly source: SourceState | null;
    readonly waitsFor: RunWait | null;
}

interface StepOfRun {
    readonly run: FlowPipelineRun;
    readonly step: StepDefinition;
    readonly edges: PipelineDefinition['edges'];
}

const DEFINITION = { entity: FlowPipelineRun, property: 'definition', as: 'FlowPipelineRun.definition' } as const;

/**
 * Reports the progress of a run step by step, from what its worker stored last. It takes one or two statements, so clients may poll it every
 * second.
 */
@Injectable()
export class RunSteps {
    constructor(
        private readonly revisions: RunRevisions,
        private readonly large: LargeValues,
        private readonly lookups: Lookups,
        private readonly stores: RunStores,
        private readonly ids: PublicIds,
    ) {}

    /** In the order of the definition, after the sources of a replay. Empty if the revision was deleted. */
    async of(ctx: RequestContext, run: FlowPipelineRun): Promise<readonly RunStep[]> {
        const definition = await this.definitionOf(ctx, run);
        if (!definition) return [];
        const known = new Set(definition.steps.map(({ key }) => key));
        const replays: readonly StepDefinition[] = Object.keys(run.counters ?? {})
            .filter(key => !known.has(key))
            .map(key => ({ key, kind: 'EXTRACT', config: {} }));
        return Promise.all(
            [...replays, ...definition.steps].map(step => this.stepOf(ctx, { run, step, edges: definition.edges })),
        );
    }

    /** What the run as a whole waits for; null where it is at work or over. */
    async waitOf(run: FlowPipelineRun): Promise<RunWait | null> {
        switch (run.status) {
            case 'PENDING': {
                const earlier = await this.stores.env.database.run(() => this.earlier(run));
                return earlier === undefined ? { reason: 'WORKER' } : { reason: 'EARLIER_RUN', runId: earlier };
            }
            case 'PAUSED':
                if (run.gateStepKey === null) return { reason: 'RESUME' };
                return { reason: 'GATE', stepKey: run.gateStepKey, until: run.gateTimeoutAt };
            case 'RUNNING': {
                const waits = Object.keys(run.signs ?? {}).flatMap(stepKey => retryOf(run, stepKey) ?? []);
                return waits[0] ?? null;
            }
            default:
                return null;
        }
    }

    private async stepOf(ctx: RequestContext, { run, step, edges }: StepOfRun): Promise<RunStep> {
        const { key: stepKey, kind, config } = step;
        const counters = { stepKey, ...countsOf(run.counters ?? {}, stepKey) };
        const ms = own(run.signs ?? {}, stepKey)?.ms ?? null;
        const code = config['adapterCode'] ?? config['type'];
        const isAtGate = run.status === 'PAUSED' && run.gateStepKey === stepKey;
        return {
            stepKey,
            name: step.name ?? stepKey,
            kind,
            adapterCode: typeof code === 'string' ? code : null,
            disabled: step.disabled === true,
            counters,
            ms,
            recordsPerSecond: ms ? Math.round((counters.in * 10_000) / ms) / 10 : null,
            next: edges
                .filter(({ from }) => from === stepKey)
                .map(({ to, branch }) => ({ stepKey: to, branch: branch ?? null })),
            source: readsRecords(kind) ? await this.sourceOf(ctx, { run, step, edges }) : null,
            waitsFor: isAtGate ? { reason: 'GATE', stepKey, until: run.gateTimeoutAt } : retryOf(run, stepKey),
        };
    }

    private async sourceOf(ctx: RequestContext, { run, step, edges }: StepOfRun): Promise<SourceState> {
        const { key, config } = step;
        const fileId = fileOf(run, key) ?? config['fileId'];
        const rowId = typeof fileId === 'string' ? this.ids.decode(fileId) : undefined;
        const file = rowId === undefined ? null : await this.lookups.file(ctx, rowId);
        return {
            fileId: file && typeof fileId === 'string' ? fileId : null,
            filename: file?.filename ?? pathOf({ run, step, edges }) ?? null,
            place: own(run.signs ?? {}, key)?.place ?? null,
            records: countsOf(run.counters ?? {}, key).in,
            total: file?.rows ?? null,
        };
    }

    private async definitionOf(ctx: RequestContext, run: FlowPipelineRun): Promise<PipelineDefinition | undefined> {
        const stored =
            run.revisionId === null
                ? await this.large.of(ctx, DEFINITION, run.id)
                : (await this.revisions.find(run.revisionId))?.definition;
        return (stored ?? undefined) as PipelineDefinition | undefined;
    }

    /** The run for which this one waits: the one in progress, or a paused one that blocks it, else the one that has waited longest. */
    private *earlier({ id, pipelineId }: FlowPipelineRun): Script<Id | undefined> {
        const { runs } = this.stores.env.tables;
        const status = runs.column('status');
        const rows = yield* select<{ id: Id }>(sql`
            SELECT ${runs.column('id')} AS ${name('id')} FROM ${runs.name} WHERE ${runs.column('pipelineId')} = ${pipelineId as Id}
            AND (${status} IN (${'RUNNING'}, ${'PENDING'}) OR (${status} = ${'PAUSED'} AND ${runs.column('holdsBack')} = ${runs.toColumn('holdsBack', true)}))
            ORDER BY CASE WHEN ${status} = ${'PENDING'} THEN 1 ELSE 0 END, ${runs.column('createdAt')}, ${runs.column('id')} LIMIT 1`);
        return String(rows[0]?.id) === String(id) ? undefined : rows[0]?.id;
    }
}

function retryOf({ status, signs }: FlowPipelineRun, stepKey: string): RunWait | null {
    const waits = status === 'RUNNING' ? own(signs ?? {}, stepKey)?.waits : undefined;
    if (!waits) return null;
    const { code, retry, of, until } = waits;
    return { reason: 'RETRY', stepKey: stepKey === '' ? null : stepKey, until: new Date(until), code, retry, of };
}

/** The file that the run was given for a step. */
function fileOf({ sourceReference }: FlowPipelineRun, stepKey: string): string | undefined {
    if (!sourceReference || isSourceReference(sourceReference)) return undefined;
    if (!('files' in sourceReference)) return givenFileIds(sourceReference)[0];
    return sourceReference.files.find(file => file.stepKey === stepKey)?.fileId;
}

/** The remote file of the run: the steps directly after its trigger read it. */
function pathOf({ run: { sourceReference, triggerKey }, step, edges }: StepOfRun): string | undefined {
    if (!sourceReference || !isSourceReference(sourceReference)) return undefined;
    return edges.some(({ from, to }) => from === triggerKey && to === step.key) ? sourceReference.file.path : undefined;
}

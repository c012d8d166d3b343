import { Injectable } from '@nestjs/common';
import { fileExport } from '../../adapters/sinks/file-export';
import type { FlowManagedFile } from '../entities/managed-file';
import { Feeds } from '../exports/feeds';
import { type ID, type RequestContext, RequestContextCacheService } from '@vendure/core';
import DataLoader from 'dataloader';
import { setImmediate as turn } from 'node:timers/promises';
import type { StatementProgram } from '../../core/adapter/loader';
import { isSourceReference } from '../../core/adapter/source-reference';
import { own } from '../../core/data/own-properties';
import type { PipelineDefinition, StepDefinition } from '../../core/pipeline/definition';
import { inputFileIds } from '../../core/pipeline/input-source';
import { countsOf, type StepCounters } from '../../core/progress/counters';
import { readsRecords } from '../../core/steps/kinds';
import type { JsonObject } from '../../core/value/json';
import { column, name, select, type Sql, sql } from '../../database/statement';
import type { Id } from '../../database/write';
import { responseLimitOf } from '../responses/response-limit';
import { LazyBlobs } from '../responses/lazy-blobs';
import { FlowPipelineRun } from '../entities/run';
import { PublicIds } from '../../platform/public-ids';
import { DataLoaders } from './data-loaders';
import { RunRevisions } from './run-revisions';
import { RunStores } from './run-stores';

/** What a run or one of its steps waits for. */
export interface RunWait {
    readonly reason: 'WORKER' | 'EARLIER_RUN' | 'GATE' | 'RESUME' | 'RETRY';
    readonly stepKey?: string | null;
    readonly runId?: ID | null;
    readonly until?: Date | null;
    /** RETRY: why the last attempt failed, and the number of the next one. */
    readonly code?: string | null;
    readonly retry?: number | null;
    readonly of?: number | null;
}

/** The position of a source. */
interface SourceState {
    /** The stored file that it reads, if it still exists. */
    readonly fileId: string | null;
    /** The name of the stored file that it reads, or the path of the remote file that the run is about. */
    readonly filename: string | null;
    readonly place: string | null;
    readonly records: number;
    /** The number of records, if it is known. */
    readonly total: number | null;
}

/** A step that a run executes, and the counts of its records. */
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
    /** The managed file that a completed run has written; called only if it is requested. */
    readonly file: () => Promise<FlowManagedFile | null>;
    readonly waitsFor: RunWait | null;
}

/** The outgoing edges of each step. */
type NextSteps = ReadonlyMap<string, RunStep['next']>;

interface StepOfRun {
    readonly run: FlowPipelineRun;
    readonly step: StepDefinition;
    readonly next: NextSteps;
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
        private readonly large: LazyBlobs,
        private readonly dataLoaders: DataLoaders,
        private readonly stores: RunStores,
        private readonly cache: RequestContextCacheService,
        private readonly ids: PublicIds,
        private readonly feeds: Feeds,
    ) {}

    /** In the order of the definition, after the sources of a replay. Empty if the revision was deleted. */
    async of(ctx: RequestContext, run: FlowPipelineRun): Promise<readonly RunStep[]> {
        const definition = await this.definitionOf(ctx, run);
        if (!definition) return [];
        const known = new Set(definition.steps.map(({ key }) => key));
        const replays: readonly StepDefinition[] = Object.keys(run.counters ?? {})
            .filter(key => !known.has(key))
            .map(key => ({ key, kind: 'EXTRACT', config: {} }));
        const next = nextSteps(definition);
        return Promise.all([...replays, ...definition.steps].map(step => this.stepOf(ctx, { run, step, next })));
    }

    /** What the run as a whole waits for. Null if it is working or has ended. */
    async waitOf(ctx: RequestContext, run: FlowPipelineRun): Promise<RunWait | null> {
        switch (run.status) {
            case 'PENDING': {
                const first = await this.firstRuns(ctx).load(run.pipelineId);
                if (first === undefined || String(first) === String(run.id)) return { reason: 'WORKER' };
                return { reason: 'EARLIER_RUN', runId: first };
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

    private async stepOf(ctx: RequestContext, { run, step, next }: StepOfRun): Promise<RunStep> {
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
            next: next.get(stepKey) ?? [],
            file: () => this.exportOf(ctx, run, step),
            source: readsRecords(kind) ? await this.sourceOf(ctx, { run, step, next }) : null,
            waitsFor: isAtGate ? { reason: 'GATE', stepKey, until: run.gateTimeoutAt } : retryOf(run, stepKey),
        };
    }

    /** An export stores its file at the end of the run, and each export has a code. */
    private async exportOf(
        ctx: RequestContext,
        { status, dryRun, startedAt, finishedAt, pipelineId }: FlowPipelineRun,
        { key, config }: StepDefinition,
    ): Promise<FlowManagedFile | null> {
        if (status !== 'COMPLETED' || dryRun || !startedAt || !finishedAt || !isFileExport(config)) return null;
        const { exportCode } = config;
        const pipeline = await this.dataLoaders.pipeline(ctx, pipelineId);
        if (!pipeline) return null;
        const code = typeof exportCode === 'string' ? exportCode : `${pipeline.code}.${key}`;
        const file = await this.feeds.newestOf(ctx, code);
        return file && file.createdAt >= startedAt && file.createdAt <= finishedAt ? file : null;
    }

    private async sourceOf(ctx: RequestContext, { run, step, next }: StepOfRun): Promise<SourceState> {
        const { key, config } = step;
        const fileId = fileOf(run, key) ?? config['fileId'];
        const rowId = typeof fileId === 'string' ? this.ids.decode(fileId) : undefined;
        const file = rowId === undefined ? null : await this.dataLoaders.file(ctx, rowId);
        return {
            fileId: file && typeof fileId === 'string' ? fileId : null,
            filename: file?.filename ?? pathOf({ run, step, next }) ?? null,
            place: own(run.signs ?? {}, key)?.place ?? null,
            records: countsOf(run.counters ?? {}, key).in,
            total: file?.rows ?? null,
        };
    }

    private async definitionOf(ctx: RequestContext, run: FlowPipelineRun): Promise<PipelineDefinition | undefined> {
        const { id, revisionId } = run;
        // Runs of a page are read one after another, since a definition may have a megabyte and hundreds of steps.
        const readOne = async (): Promise<JsonObject | undefined> => {
            await turn();
            return (await this.revisions.find(revisionId!))?.definition;
        };
        const stored =
            revisionId === null
                ? await this.large.of(ctx, DEFINITION, id)
                : await responseLimitOf(ctx.req).reading('FlowPipelineRun.steps', () => Promise.resolve(0), readOne);
        return (stored ?? undefined) as PipelineDefinition | undefined;
    }

    private firstRuns(ctx: RequestContext): DataLoader<ID, Id | undefined> {
        const { database } = this.stores.env;
        const read = async (ids: readonly ID[]): Promise<ReadonlyArray<Id | undefined>> => {
            const rows = await database.run(() => this.firstOf([...new Set(ids)] as readonly Id[]));
            const found = new Map(rows.map(({ pipelineId, id }) => [String(pipelineId), id ?? undefined]));
            return ids.map(id => found.get(String(id)));
        };
        return this.cache.get(ctx, 'flow-first-runs', () => new DataLoader(read, { cache: false }));
    }

    /** For each pipeline the run that later ones wait for: the running one, or a paused one that blocks them, or the one that has waited longest. */
    private *firstOf(
        pipelineIds: readonly Id[],
    ): StatementProgram<ReadonlyArray<{ readonly pipelineId: Id; readonly id: Id | null }>> {
        const { database, tables } = this.stores.env;
        const { pipelines, runs } = tables;
        const of = (property: string): Sql => column('r', runs.column(property).name);
        const pipelineId = column('p', pipelines.column('id').name);
        const status = of('status');
        return yield* select(sql`
            SELECT ${pipelineId} AS ${name('pipelineId')}, (
                SELECT ${of('id')} FROM ${runs.name} ${name('r')} WHERE ${of('pipelineId')} = ${pipelineId}
                AND (${status} IN (${'RUNNING'}, ${'PENDING'}) OR (${status} = ${'PAUSED'} AND ${of('holdsBack')} = ${runs.toColumn('holdsBack', true)}))
                ORDER BY CASE WHEN ${status} = ${'PENDING'} THEN 1 ELSE 0 END, ${of('createdAt')}, ${of('id')} LIMIT 1
            ) AS ${name('id')}
            FROM ${pipelines.name} ${name('p')} WHERE ${database.dialect.oneOf(pipelineId, pipelineIds)}`);
    }
}

/** Cached, since definitions of revisions stay in memory and a large one has tens of thousands of edges. */
const known = new WeakMap<PipelineDefinition, NextSteps>();

function nextSteps(definition: PipelineDefinition): NextSteps {
    const made = known.get(definition);
    if (made) return made;
    const next = new Map<string, Array<RunStep['next'][number]>>();
    for (const { from, to, branch } of definition.edges) {
        const edge = { stepKey: to, branch: branch ?? null };
        const edges = next.get(from);
        if (edges) edges.push(edge);
        else next.set(from, [edge]);
    }
    known.set(definition, next);
    return next;
}

function retryOf({ status, signs }: FlowPipelineRun, stepKey: string): RunWait | null {
    const waits = status === 'RUNNING' ? own(signs ?? {}, stepKey)?.waits : undefined;
    if (!waits) return null;
    const { code, retry, of, until } = waits;
    return { reason: 'RETRY', stepKey: stepKey === '' ? null : stepKey, until: new Date(until), code, retry, of };
}

/** The input file of the run for a step. */
function fileOf({ sourceReference }: FlowPipelineRun, stepKey: string): string | undefined {
    if (!sourceReference || isSourceReference(sourceReference)) return undefined;
    if (!('files' in sourceReference)) return inputFileIds(sourceReference)[0];
    return sourceReference.files.find(file => file.stepKey === stepKey)?.fileId;
}

/** The remote file that the run is about, for the steps directly after its trigger, which read it. */
function pathOf({ run: { sourceReference, triggerKey }, step, next }: StepOfRun): string | undefined {
    if (!sourceReference || !isSourceReference(sourceReference)) return undefined;
    const isNext = next.get(triggerKey)?.some(({ stepKey }) => stepKey === step.key) ?? false;
    return isNext ? sourceReference.file.path : undefined;
}

/** Whether a step with this configuration stores its records as a managed file. */
function isFileExport({ adapterCode, connectionCode }: StepDefinition['config']): boolean {
    const names: readonly unknown[] = [fileExport.code, ...(fileExport.aliases ?? [])];
    return names.includes(adapterCode) && connectionCode === undefined;
}

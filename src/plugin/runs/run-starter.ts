import { Inject, Injectable } from '@nestjs/common';
import { type ID, type RequestContext, TransactionalConnection, TransactionSubscriber } from '@vendure/core';
import type { EntityManager, QueryRunner } from 'typeorm';
import type { StatementProgram } from '../../core/adapter/loader';
import { flowError } from '../../core/errors/flow-error';
import type { PipelineDefinition } from '../../core/pipeline/definition';
import { parsingDefinition } from '../../core/pipeline/parse';
import type { Database } from '../../database/database';
import { name, select, sql } from '../../database/statement';
import { tableOf } from '../../database/table';
import type { Id, Row } from '../../database/write';
import { JsonText } from '../entities/columns';
import { FlowPipeline } from '../entities/pipeline';
import { FlowPipelineRevision } from '../entities/revision';
import { FlowPipelineRun, type RunCause } from '../entities/run';
import { FlowWorkingCopy } from '../entities/working-copy';
import { SecretDestinations } from '../secrets/secret-destinations';
import { MAX_CAUSES } from './causation-chains';
import { RunInserts } from './run-inserts';
import { RunQueue } from './run-queue';
import { areStoredInChunks, insertRuns, isLargeInput } from './run-rows';
import { checkRunInput, type RunInputRecords, runInputProblem } from './run-input';
import type { FlowSetup } from '../setup';
import { FLOW_DATABASE, FLOW_SETUP } from '../tokens';
import { type TriggerTypeName, triggerToStart, type RequestedTrigger } from '../triggers/triggers';
import { ProcessTaskQueue } from '../process-task-queue';

/** A request to start a run. */
export interface StartRequest extends RequestedTrigger, RunInputRecords {
    readonly pipelineId: ID;
    readonly channelId: ID;
    /** The user who starts the run and for whom it acts; null for the configured superadmin. Default: the publisher of the revision that runs. */
    readonly actor?: ID | null;
    readonly dryRun: boolean;
    /** A published revision of the pipeline, instead of the selected one. */
    readonly revisionId?: ID;
    /** For a dry run: execute the working copy instead of the selected revision. */
    readonly workingCopy?: boolean;
    /** The runs that led to this one, the first one first, so that cycles can be detected. At most 50. */
    readonly causes?: readonly RunCause[];
    /**
     * What the run is started for: a minute of a schedule, a message, a file. A pipeline has at most one run per key until that run is deleted after its
     * retention. 1 to 255 characters.
     */
    readonly occurrenceKey?: string;
}

/** A run of a revision that the caller has just read, with records that it has checked. */
export interface CheckedStartRequest extends Partial<Pick<FlowPipelineRun, BesideIds>> {
    readonly pipelineId: Id;
    readonly channelId: Id;
    readonly revisionId: Id;
    readonly actor: ID | null;
    readonly triggerKey: string;
    readonly triggerType: TriggerTypeName | 'REPLAY';
    readonly seed?: JsonText;
}

/** A run, and whether this call started it. If not, an earlier run has the same occurrence key. */
export interface Started {
    readonly runId: ID;
    readonly isNew: boolean;
}

/** The definition that a run executes. */
interface Chosen {
    readonly executed: PipelineDefinition;
    /** The columns of the run's row that name it. */
    readonly row: Row;
    readonly publishedBy: ID | null;
}

type BesideIds = 'replay' | 'replays' | 'sourceReference' | 'occurrenceKey';
const LONGEST_KEY = 255;

/** The only way to create a run: a PENDING row, which is the outbox of the queue `flow.run` (ADR 2). */
@Injectable()
export class RunStarter {
    private readonly inserts = new RunInserts(rows =>
        areStoredInChunks(rows, this.database)
            ? this.database.transaction(() => this.insertAll(rows))
            : this.database.run(() => this.insertAll(rows)),
    );

    constructor(
        private readonly connection: TransactionalConnection,
        @Inject(FLOW_DATABASE) private readonly database: Database,
        private readonly queue: RunQueue,
        private readonly taskQueue: ProcessTaskQueue,
        private readonly transactions: TransactionSubscriber,
        private readonly destinations: SecretDestinations,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    /**
     * Returns the run's id. Throws INPUT_INVALID for an invalid request, PIPELINE_NOT_FOUND if the channel does not have the pipeline, PIPELINE_NOT_RUNNABLE
     * with the reason, and SECRET_HOST_NOT_ALLOWED for a dry run.
     */
    async start(request: StartRequest): Promise<ID> {
        return (await this.startOnce(request)).runId;
    }

    /** The same as `start`. Also returns whether there was such a run already. */
    async startOnce(request: StartRequest): Promise<Started> {
        const started = await this.startIf(request, anyway);
        if (!started) throw flowError('BUG', { problem: 'a run was not started although nothing prevented it' });
        return started;
    }

    /**
     * Like `startOnce`, but only if `mayStart` returns true while the pipeline is locked against other starts; otherwise returns undefined. Its
     * writes are stored with the run, and also without one.
     */
    async startIf(request: StartRequest, mayStart: () => StatementProgram<boolean>): Promise<Started | undefined> {
        await this.check(request);
        const { manager } = this.connection.rawConnection;
        for (;;) {
            const started = (await earlier(manager, request)) ?? (await this.attempt(manager, request, mayStart));
            // Another user has disabled, archived or published it in between: it is read again.
            if (started === 'changed') continue;
            if (started?.isNew) await this.queue.add(started.runId);
            return started;
        }
    }

    /**
     * Like `startOnce`, within the open transaction of the request: the run exists exactly if that transaction commits. The request waits for no
     * lock. So a pipeline that is disabled at the same moment may still get this run, and a simultaneous run for the same occurrence fails the
     * transaction.
     */
    async startWithin(ctx: RequestContext, request: StartRequest): Promise<Started> {
        const { manager } = this.connection.getRepository(ctx, FlowPipeline);
        const { queryRunner } = manager;
        if (!queryRunner?.isTransactionActive) return this.startOnce(request);
        await this.check(request);
        const known = await earlier(manager, request);
        if (known) return known;
        const { row } = await this.planned(manager, request);
        const runId = await this.database.within(manager, () => this.insert(row));
        void this.addWhenCommitted(queryRunner, runId);
        return { runId, isNew: true };
    }

    /**
     * Starts a run of a revision that was just read. Nothing is read again and nothing is locked, so a pipeline that is disabled at the same moment
     * may still get this run. `beside` writes in the same transaction; if it throws, there is no run. The queue is notified without waiting for it.
     */
    async startRead(
        { pipelineId, actor, ...order }: CheckedStartRequest,
        beside?: (runId: Id) => StatementProgram<void>,
    ): Promise<Id> {
        const row = { pipelineId, ...order, status: 'PENDING', startedByUserId: actor, dryRun: false };
        const runId = beside
            ? await this.database.transaction(() => this.insertBeside(row, beside), { brief: !isLargeInput(row) })
            : await this.inserts.add(row, order.seed?.text.length ?? 0);
        this.queue.addSoon(pipelineId, runId);
        return runId;
    }

    private *insertBeside(row: Row, beside: (runId: Id) => StatementProgram<void>): StatementProgram<Id> {
        const runId = yield* this.insert(row);
        yield* beside(runId);
        return runId;
    }

    private async addWhenCommitted(queryRunner: QueryRunner, runId: ID): Promise<void> {
        try {
            await this.transactions.awaitCommit(queryRunner);
            await this.queue.add(runId);
        } catch {
            // Rolled back, so there is no such run. If the commit succeeded after all, the sweeper finds the run.
        }
    }

    private async check(request: StartRequest): Promise<void> {
        checkOrder(request);
        await this.taskQueue.done(checkRunInput(request));
    }

    private async attempt(
        manager: EntityManager,
        request: StartRequest,
        mayStart: () => StatementProgram<boolean>,
    ): Promise<Started | 'changed' | undefined> {
        const { pipeline, row } = await this.planned(manager, request);
        return this.database.transaction(() => this.store(pipeline, row, mayStart));
    }

    /** The run's row, and the pipeline as it was read for it. */
    private async planned(
        manager: EntityManager,
        request: StartRequest,
    ): Promise<{ readonly pipeline: FlowPipeline; readonly row: Row }> {
        const { pipelineId: id, channelId } = request;
        const pipeline = await manager.getRepository(FlowPipeline).findOne({ where: { id, channelId } });
        if (!pipeline || (pipeline.hidden && !(await isEditor(manager, id, request.actor))))
            throw flowError('PIPELINE_NOT_FOUND', {});
        const refuse = (problem: string): Error => flowError('PIPELINE_NOT_RUNNABLE', { code: pipeline.code, problem });
        if (pipeline.archived) throw refuse('it is archived');
        if (!pipeline.enabled) throw refuse('it is disabled');
        const chosen = await this.chosen(manager, pipeline, request);
        if (typeof chosen === 'string') throw refuse(chosen);
        if (request.dryRun) await this.destinations.assert(channelId, chosen.executed);
        const trigger = triggerToStart(chosen.executed, request);
        if ('problem' in trigger) throw refuse(trigger.problem);
        const problem = runInputProblem(chosen.executed, trigger.key, request);
        if (problem !== undefined) throw refuse(problem);
        const { dryRun, occurrenceKey, causes, seed, source } = request;
        const actor = request.actor === undefined ? chosen.publishedBy : request.actor;
        const row = {
            pipelineId: id,
            channelId,
            status: 'PENDING',
            startedByUserId: actor,
            dryRun,
            ...chosen.row,
            triggerKey: trigger.key,
            triggerType: trigger.type,
            occurrenceKey: occurrenceKey ?? null,
            causes: causes === undefined || causes.length === 0 ? null : causes,
            seed: seed ? new JsonText(JSON.stringify(seed)) : null,
            sourceReference: source ?? null,
        };
        return { pipeline, row };
    }

    /**
     * The definition to execute, and the columns of the run's row that refer to it, or the reason why there is none. Throws DEFINITION_INVALID for
     * an invalid working copy.
     */
    private async chosen(
        manager: EntityManager,
        { id, selectedRevisionId }: FlowPipeline,
        { dryRun, workingCopy = false, revisionId: desired }: StartRequest,
    ): Promise<Chosen | string> {
        if (workingCopy) {
            const copy = await manager.getRepository(FlowWorkingCopy).findOne({ where: { pipelineId: id } });
            if (!copy) return "it comes from the shop's code and has no working copy; leave workingCopy out";
            const executed = await this.taskQueue.done(
                parsingDefinition(copy.definition, this.setup.registry, { isStored: true }),
            );
            return { executed, row: { revisionId: null, definition: executed }, publishedBy: null };
        }
        const revisionId = desired ?? selectedRevisionId;
        const revision =
            revisionId === null
                ? null
                : await manager
                      .getRepository(FlowPipelineRevision)
                      .findOne({ where: { id: revisionId, pipelineId: id } });
        if (!revision) {
            if (revisionId !== selectedRevisionId) return `it has no published revision with the id ${revisionId}`;
            const hint = dryRun ? '; a dry run of its working copy is one with workingCopy: true' : '';
            return `it has no published revision${hint}`;
        }
        const executed = revision.definition as unknown as PipelineDefinition;
        return { executed, row: { revisionId: revision.id }, publishedBy: revision.publishedBy };
    }

    /** Stores nothing if the pipeline has changed since it was read. */
    private *store(
        { id, version }: FlowPipeline,
        row: Row,
        mayStart: () => StatementProgram<boolean>,
    ): StatementProgram<Started | 'changed' | undefined> {
        const { dialect } = this.database;
        const { rawConnection } = this.connection;
        const pipelines = tableOf(rawConnection, FlowPipeline);
        const same = yield* select(sql`
            SELECT ${pipelines.column('id')} FROM ${pipelines.name}
            WHERE ${pipelines.column('id')} = ${id} AND ${pipelines.column('version')} = ${version}${dialect.forUpdate}`);
        if (same.length === 0) return 'changed';
        const runs = tableOf(rawConnection, FlowPipelineRun);
        const { occurrenceKey } = row;
        if (typeof occurrenceKey === 'string') {
            // The pipeline's row is locked, so no other process starts a run of the pipeline meanwhile.
            const [earlier] = yield* select<{ id: Id }>(sql`
                SELECT ${runs.column('id')} AS ${name('id')} FROM ${runs.name}
                WHERE ${runs.column('pipelineId')} = ${id} AND ${runs.column('occurrenceKey')} = ${occurrenceKey}`);
            if (earlier) return { runId: earlier.id, isNew: false };
        }
        if (!(yield* mayStart())) return undefined;
        return { runId: yield* this.insert(row), isNew: true };
    }

    private *insert(row: Row): StatementProgram<Id> {
        const [runId] = yield* this.insertAll([row]);
        return runId!;
    }

    private insertAll(rows: readonly Row[]): StatementProgram<readonly Id[]> {
        const table = tableOf(this.connection.rawConnection, FlowPipelineRun);
        return insertRuns({ table, dialect: this.database.dialect }, rows);
    }
}

// eslint-disable-next-line require-yield -- A program without statements.
function* anyway(): StatementProgram<boolean> {
    return true;
}

/** A hidden pipeline is started by the user of the import alone. */
async function isEditor(manager: EntityManager, pipelineId: ID, userId: ID | null | undefined): Promise<boolean> {
    if (userId == null) return false;
    return manager.getRepository(FlowWorkingCopy).exists({ where: { pipelineId, updatedBy: userId } });
}

/** The run of this occurrence, even if its pipeline has changed since. */
async function earlier(
    manager: EntityManager,
    { pipelineId, channelId, occurrenceKey }: StartRequest,
): Promise<Started | undefined> {
    if (occurrenceKey === undefined) return undefined;
    const where = { pipelineId, channelId, occurrenceKey };
    const run = await manager.getRepository(FlowPipelineRun).findOne({ where, select: { id: true } });
    return run ? { runId: run.id, isNew: false } : undefined;
}

/** Throws INPUT_INVALID. */
function checkOrder({ actor, workingCopy, dryRun, revisionId, occurrenceKey, causes = [] }: StartRequest): void {
    const refuse = (problem: string): Error => flowError('INPUT_INVALID', { problem });
    if (workingCopy === true && actor === undefined)
        throw refuse('workingCopy: a working copy has no publisher. Name the person who starts the run');
    if (workingCopy === true && !dryRun)
        throw refuse('workingCopy is for dry runs; real runs use the selected revision');
    if (workingCopy === true && revisionId !== undefined)
        throw refuse('workingCopy and revisionId are both set; a run uses one of them');
    if (occurrenceKey !== undefined && (occurrenceKey === '' || occurrenceKey.length > LONGEST_KEY))
        throw refuse(`occurrenceKey has ${occurrenceKey.length} characters; allowed: 1 to ${LONGEST_KEY}`);
    if (causes.length > MAX_CAUSES)
        throw refuse(`causes names ${causes.length} runs that led to this one; allowed: at most ${MAX_CAUSES}`);
}

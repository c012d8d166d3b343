import { Inject, Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { type ID, Logger, type RequestContext, TransactionalConnection } from '@vendure/core';
import type { StatementProgram } from '../../core/adapter/loader';
import { type FlowError, flowError } from '../../core/errors/flow-error';
import type { Database } from '../../database/database';
import type { Sql } from '../../database/statement';
import type { Id, Row } from '../../database/write';
import type { FlowPipeline } from '../entities/pipeline';
import type { PipelineAction } from '../entities/pipeline-event';
import type { AllowedByPublishing } from '../secrets/secret-destinations';
import { Pipelines } from './pipelines';
import { nowTimestamp } from '../stores/database-clock';
import { FLOW_DATABASE, LOG_CONTEXT } from '../tokens';
import { ActiveTriggers } from '../triggers/active-triggers';
import { type Newest, PipelineRows, type PipelineState } from './pipeline-rows';
import type { CopyContent } from './stored-checks';

/** The pipeline to change, and the participle that names the action in errors: "edited", "published" … */
export interface ChangeRequest {
    readonly id: ID;
    readonly action: string;
    /** The version that the caller has read. Omitted if the request does not depend on changes by others. */
    readonly version?: number;
    /** An archived pipeline can only be restored and deleted. */
    readonly evenArchived?: boolean;
}

/** A revision to create. */
interface NewRevision {
    /** A PipelineDefinition, in its normal form. */
    readonly copy: CopyContent;
    readonly digest: string;
    readonly message: string | null;
    readonly submittedBy: ID | null;
}

/** One change of a pipeline, applied completely or not at all. */
interface PipelineChange {
    readonly action: PipelineAction;
    /** Columns of the pipeline. SQL is inserted as it is. */
    readonly set: Row;
    /** The working copy that the user wrote. */
    readonly copy?: CopyContent;
    /** The new revision gets a number and is selected, and the working copy becomes its definition. */
    readonly revision?: NewRevision;
    /** For the history, if `revision` is not given. */
    readonly revisionId?: ID;
    readonly comment?: string | null;
    /** Hosts that secrets may now be sent to. They get a separate line in the history. */
    readonly allowed?: AllowedByPublishing | undefined;
}

/** The result of a change. */
export interface Changed {
    readonly pipeline: FlowPipeline;
    /** Set if a revision was published. */
    readonly published?: { readonly id: Id; readonly number: number };
}

/** Columns of a pipeline that decide whether its triggers are active. */
const DECIDE_ON_TRIGGERS: ReadonlyArray<keyof FlowPipeline> = ['enabled', 'archived', 'selectedRevisionId'];

/** The limit for the code of a pipeline. */
const LONGEST_CODE = 64;
/** The length of the random suffix of a suggested code; each byte gives two letters. */
const SUFFIX_BYTES = 2;

/** What a change has stored. */
interface Stored {
    readonly published: Changed['published'];
    /** True if other triggers may be active now. */
    readonly isInForce: boolean;
}

type Decide = (state: PipelineState, newest: Newest | undefined) => PipelineChange | undefined;

/**
 * The only way in which users change a pipeline: one transaction writes the pipeline's row, if it still has the version that was read, together with the
 * working copy, the revision and the history.
 */
@Injectable()
export class PipelineChanges {
    /** The value for columns with the time of an event. */
    readonly now: Sql;
    private opened: PipelineRows | undefined;

    constructor(
        private readonly connection: TransactionalConnection,
        private readonly pipelines: Pipelines,
        private readonly triggers: ActiveTriggers,
        @Inject(FLOW_DATABASE) private readonly database: Database,
    ) {
        this.now = nowTimestamp(database.dialect);
    }

    /** The pipeline to change. Throws PIPELINE_NOT_FOUND, CODE_FIRST_READ_ONLY, REVISION_CONFLICT, PIPELINE_STATE_CONFLICT. */
    async open(ctx: RequestContext, request: ChangeRequest): Promise<FlowPipeline> {
        return admitted(await this.pipelines.find(ctx, { id: request.id }), request);
    }

    /** Creates a pipeline with its working copy. Throws CODE_TAKEN. */
    async create(ctx: RequestContext, row: Row & { readonly code: string }, copy: CopyContent): Promise<FlowPipeline> {
        const id = await this.withCode(row.code, () => this.creating(ctx, row, copy));
        return this.stored(ctx, id);
    }

    /**
     * Locks a pipeline and applies the change that `decide` returns. Nothing is written if it returns undefined. `code` is the code that the pipeline will get.
     * Throws the errors of `open`, and CODE_TAKEN.
     */
    async change(
        ctx: RequestContext,
        request: ChangeRequest & { readonly code?: string },
        decide: Decide,
    ): Promise<Changed> {
        const script = (): StatementProgram<Stored> => this.changing(ctx, request, decide);
        const { published, isInForce } =
            request.code === undefined
                ? await this.database.transaction(script)
                : await this.withCode(request.code, script);
        if (isInForce) await this.readTriggers();
        return { pipeline: await this.stored(ctx, request.id), ...(published && { published }) };
    }

    /** Deletes a pipeline that was never published, with its dry runs, all of which must have ended. Throws the errors of `open`. */
    async remove(ctx: RequestContext, request: ChangeRequest): Promise<void> {
        await this.database.transaction(() => this.removing(ctx, request));
    }

    private *creating(
        ctx: RequestContext,
        row: Row & { readonly code: string },
        copy: CopyContent,
    ): StatementProgram<Id> {
        const { rows } = this;
        const actorId = ctx.activeUserId ?? null;
        if (yield* rows.hasCode(row.code)) throw codeTaken(row.code);
        const pipelineId = yield* rows.insert(row, { ...copy, updatedBy: actorId });
        yield* rows.record({ pipelineId, action: 'CREATED', actorId, revisionId: null, comment: null });
        return pipelineId;
    }

    private *changing(
        ctx: RequestContext,
        request: ChangeRequest & { readonly code?: string },
        decide: Decide,
    ): StatementProgram<Stored> {
        const { rows } = this;
        const state = admitted(yield* this.locked(ctx, request.id), request);
        const newest = yield* rows.newest(state.id);
        const change = decide(state, newest);
        if (!change) return { published: undefined, isInForce: false };
        if (request.code !== undefined && request.code !== state.code && (yield* rows.hasCode(request.code)))
            throw codeTaken(request.code);
        const actorId = ctx.activeUserId ?? null;
        const number = (newest?.number ?? 0) + 1;
        const revisionId =
            change.revision && (yield* this.publish(state, { ...change.revision, number, publishedBy: actorId }));
        const set = {
            // What others have to decide on or what runs is listed.
            ...(state.hidden && change.action !== 'EDITED' && { hidden: false }),
            ...change.set,
            ...(revisionId !== undefined && { selectedRevisionId: revisionId }),
        };
        // Invariant: the row is locked, so its version is the one that was looked at.
        if (!(yield* rows.update(state, set))) throw conflict(state, request.version ?? state.version);
        if (change.copy) yield* rows.updateCopy(state.id, { ...change.copy, updatedBy: actorId });
        yield* rows.record({
            pipelineId: state.id,
            action: change.action,
            actorId,
            revisionId: revisionId ?? change.revisionId ?? null,
            comment: change.comment ?? null,
        });
        if (change.allowed) {
            yield* change.allowed.store();
            const { comment } = change.allowed;
            const action = 'SECRET_HOSTS_ALLOWED';
            yield* rows.record({
                pipelineId: state.id,
                action,
                actorId,
                revisionId: revisionId ?? change.revisionId ?? null,
                comment,
            });
        }
        const isInForce = DECIDE_ON_TRIGGERS.some(property => property in set);
        return { published: revisionId === undefined ? undefined : { id: revisionId, number }, isInForce };
    }

    /** Undefined for a pipeline of another user's unfinished import, too. */
    private *locked(ctx: RequestContext, id: ID): StatementProgram<PipelineState | undefined> {
        const state = yield* this.rows.locked(id, ctx.channelId);
        return state?.hidden && !(yield* this.rows.isEditor(state.id, ctx.activeUserId)) ? undefined : state;
    }

    private *publish(
        { id: pipelineId }: PipelineState,
        { copy, ...revision }: NewRevision & { readonly number: number; readonly publishedBy: ID | null },
    ): StatementProgram<Id> {
        yield* this.rows.updateCopy(pipelineId, copy);
        return yield* this.rows.insertRevision({ pipelineId, ...revision, definition: copy.definition });
    }

    private *removing(ctx: RequestContext, request: ChangeRequest): StatementProgram<void> {
        const { rows } = this;
        const { id, code } = admitted(yield* this.locked(ctx, request.id), request);
        if (yield* rows.newest(id))
            throw transitionConflict(code, request.action, 'it has been published; archive it instead');
        const status = yield* rows.openRun(id);
        if (status) {
            const problem = `a dry run of it is ${status}; cancel it, or wait until it has ended`;
            throw transitionConflict(code, request.action, problem);
        }
        yield* rows.remove(id);
    }

    /** If another channel or the shop's code takes the same code at the same moment, the unique index rejects this one. */
    private async withCode<T>(code: string, script: () => StatementProgram<T>): Promise<T> {
        try {
            return await this.database.transaction(script);
        } catch (error) {
            const isRefused = (error as FlowError).code === 'RECORD_REFUSED';
            if (isRefused && (await this.database.run(() => this.rows.hasCode(code)))) throw codeTaken(code);
            throw error;
        }
    }

    /** The change is stored already, so errors are ignored: the regular refresh reads the triggers later. */
    private async readTriggers(): Promise<void> {
        try {
            await this.triggers.refresh();
        } catch (error) {
            Logger.warn(`The triggers in force are those of before for now: ${String(error)}`, LOG_CONTEXT);
        }
    }

    private async stored(ctx: RequestContext, id: ID): Promise<FlowPipeline> {
        const pipeline = await this.pipelines.find(ctx, { id });
        if (!pipeline) throw flowError('PIPELINE_NOT_FOUND', {});
        return pipeline;
    }

    /** Its tables are known once the data source is connected. */
    private get rows(): PipelineRows {
        return (this.opened ??= new PipelineRows(this.connection.rawConnection, this.database));
    }
}

function admitted<P extends Pick<PipelineState, 'code' | 'codeFirst' | 'version' | 'archived'>>(
    pipeline: P | null | undefined,
    request: ChangeRequest,
): P {
    if (!pipeline) throw flowError('PIPELINE_NOT_FOUND', {});
    const { code } = pipeline;
    if (pipeline.codeFirst) throw flowError('CODE_FIRST_READ_ONLY', { what: 'Pipeline', code });
    if (request.version !== undefined && request.version !== pipeline.version)
        throw conflict(pipeline, request.version);
    if (pipeline.archived && !request.evenArchived)
        throw transitionConflict(code, request.action, 'it is archived; restore it first');
    return pipeline;
}

function conflict({ code, version: current }: Pick<PipelineState, 'code' | 'version'>, given: number): FlowError {
    return flowError('REVISION_CONFLICT', { what: 'Pipeline', code, current, given }, { details: { current, given } });
}

/**
 * Codes are unique over all channels, so the pipeline with this code may belong to another channel. The message does not name the owner, and the suggestion is
 * random, so that it does not show which other codes are in use.
 */
function codeTaken(code: string): FlowError {
    const suffix = randomBytes(SUFFIX_BYTES).toString('hex');
    const suggestion = `${code.slice(0, LONGEST_CODE - suffix.length - 1).replace(/-$/, '')}-${suffix}`;
    const problem = `not available; use another one, for example "${suggestion}"`;
    return flowError('CODE_TAKEN', { code, problem }, { details: { suggestion } });
}

/** Why the requested change of state is not possible. */
export function transitionConflict(code: string, action: string, problem: string): FlowError {
    return flowError('PIPELINE_STATE_CONFLICT', { code, action, problem });
}

import { Injectable } from '@nestjs/common';
import { type ID, type RequestContext, TransactionalConnection } from '@vendure/core';
import { flowError, isFlowError } from '../../core/errors/flow-error';
import { isReplayable } from '../../core/errors/remedies';
import type { PipelineDefinition } from '../../core/pipeline/definition';
import { replaySource } from '../../core/pipeline/input-source';
import { isJsonObject, type JsonObject } from '../../core/value/json';
import type { Id } from '../../database/write';
import { JsonText } from '../entities/columns';
import { FlowPipeline } from '../entities/pipeline';
import { FlowPipelineRevision } from '../entities/revision';
import type { ReplayedPart } from '../entities/run';
import { PublishingRights } from '../pipelines/publishing-rights';
import { RunStarter } from '../runs/run-starter';
import { RunStores } from '../runs/run-stores';
import { reserveForReplay, type ReplayedErrors } from '../stores/replays';
import { type Candidate, candidates, countOf, type Load, loadsOf, openPayloads } from './candidates';
import { type Edited, editing, type RecordEdit } from './edits';
import type { ErrorTable, RecordErrorSelection } from './selection';

/** Which revision replays a record: the live one, or the one that rejected it. */
export type ReplayRevision = 'CURRENT' | 'ORIGINAL';

/** The records to replay. */
interface RetryRequest {
    readonly selection: RecordErrorSelection;
    /** Corrected records, by the ids of their errors. */
    readonly corrections?: ReadonlyMap<string, JsonObject>;
    readonly edits?: readonly RecordEdit[] | null;
    readonly revision?: ReplayRevision | null;
}

/** Records that cannot be replayed, and why. */
interface RetryRejection {
    readonly pipelineCode: string;
    readonly stepKey: string;
    readonly records: number;
    readonly reason: string;
}

/** The result of a replay. */
export interface RecordRetry {
    readonly runIds: readonly ID[];
    /** The number of records that are replayed. */
    readonly records: number;
    /** Records that were named but are not open. */
    readonly notOpen: number;
    readonly refused: readonly RetryRejection[];
    /** Open records beyond the limit of one call. */
    readonly remaining: number;
}

/** The most records that one call replays. */
export const MAX_RETRIED = 10_000;

/** Where the records of a load are sent. */
interface Target {
    readonly code: string;
    readonly revisionId: Id;
    readonly definition: PipelineDefinition;
}

/** A record that goes into a run. */
interface Given {
    readonly candidate: Candidate;
    readonly record: JsonObject;
    readonly isChanged: boolean;
}

/** Replays rejected records: each in a run of its pipeline that starts at the step that rejected it. */
@Injectable()
export class RecordRetries {
    constructor(
        private readonly connection: TransactionalConnection,
        private readonly stores: RunStores,
        private readonly starter: RunStarter,
        private readonly rights: PublishingRights,
    ) {}

    /**
     * A second call for the same records finds them no longer open. Throws INPUT_INVALID for invalid edits and corrections. A problem of one pipeline does not
     * prevent the records of others from being replayed.
     */
    async retry(ctx: RequestContext, request: RetryRequest): Promise<RecordRetry> {
        const { database, tables } = this.stores.env;
        const { selection, corrections = new Map(), edits } = request;
        const edited = editing(edits ?? []);
        for (const [id, payload] of corrections)
            if (!isJsonObject(payload))
                throw flowError('INPUT_INVALID', {
                    problem: `corrections: the payload of ${id} is not a record; allowed: an object`,
                });
        const from = { table: tables.errors, dialect: database.dialect, channelId: ctx.channelId };
        const isOriginal = request.revision === 'ORIGINAL';
        const limit = MAX_RETRIED;
        const found = await database.run(() =>
            candidates(from, { selection, limit, ...(isOriginal && { runs: tables.runs }) }),
        );
        const open =
            found.length < limit
                ? found.length
                : await database.run(() => countOf(from, { ...selection, states: ['OPEN'] }));
        const retry = new Retry(from, { corrections, edited });
        for (const load of loadsOf(found)) await this.start(ctx, retry, { load, isOriginal });
        const named = new Set(selection.ids?.map(String)).size;
        return { ...retry.answer, notOpen: retry.lost + Math.max(0, named - open), remaining: open - found.length };
    }

    private async start(
        ctx: RequestContext,
        retry: Retry,
        { load, isOriginal }: { readonly load: Load; readonly isOriginal: boolean },
    ): Promise<void> {
        const target = await this.targetOf(ctx, load, isOriginal);
        if ('reason' in target) return retry.refuse(target.code, load.records, target.reason);
        const missing = this.rights.missing(ctx, target.definition);
        if (missing)
            return retry.refuse(
                target.code,
                load.records,
                `replaying it needs the permission ${missing.permission} (${missing.what})`,
            );
        const steps = new Map(target.definition.steps.map(step => [step.key, step]));
        const records = load.records.filter(({ code }) => isReplayable(code));
        const files = load.records.filter(({ code }) => !isReplayable(code));
        retry.refuse(
            target.code,
            files,
            'a file could not be read, so there is no record to replay. Correct the file or the settings of the step, and upload the file again',
        );
        const goes = records.filter(({ stepKey }) => steps.get(stepKey)?.disabled !== true && steps.has(stepKey));
        const stays = records.filter(record => !goes.includes(record));
        retry.refuse(target.code, stays, 'the revision that would replay it has no such enabled step');
        for (let rest = goes; rest.length > 0;) {
            const payloads = await this.stores.env.database.run(() =>
                openPayloads(
                    retry.from,
                    rest.map(({ id }) => id),
                ),
            );
            retry.lost += rest.length - payloads.size;
            rest = rest.filter(({ id }) => payloads.has(String(id)));
            const given = retry.givenOf(target.code, rest, payloads);
            if (given.length === 0) return;
            const runId = await this.startRun(ctx, { load, target, given });
            if (runId !== undefined) return retry.started(runId, given.length);
        }
    }

    /** Undefined if another request has already replayed one of them. */
    private async startRun(
        ctx: RequestContext,
        { load, target, given }: { readonly load: Load; readonly target: Target; readonly given: readonly Given[] },
    ): Promise<ID | undefined> {
        const { env } = this.stores;
        const parts = partsOf(given);
        const records = parts.flat();
        const replay = parts.map((part): ReplayedPart => ({
            stepKey: part[0]!.candidate.stepKey,
            places: part.map(({ candidate: { place } }) => place),
        }));
        const actor = (ctx.activeUserId ?? null) as Id | null;
        const order = {
            pipelineId: load.pipelineId,
            channelId: ctx.channelId as Id,
            revisionId: target.revisionId,
            actor,
            triggerKey: 'replay',
            triggerType: 'REPLAY',
            seed: new JsonText(JSON.stringify(records.map(({ record }) => record))),
            replay,
            replays: records.length,
        } as const;
        const replayed = parts.flatMap((part, place) => replayedOf(part, replaySource(target.definition, place)));
        try {
            return await this.starter.startRead(order, runId => reserveForReplay(env, { runId, actor }, replayed));
        } catch (error) {
            if (isFlowError(error) && error.code === 'RECORD_ERROR_NOT_OPEN') return undefined;
            throw error;
        }
    }

    private async targetOf(
        { channelId }: RequestContext,
        { pipelineId, revisionId: original }: Load,
        isOriginal: boolean,
    ): Promise<Target | { readonly code: string; readonly reason: string }> {
        const { rawConnection } = this.connection;
        const pipeline = await rawConnection
            .getRepository(FlowPipeline)
            .findOne({ where: { id: pipelineId, channelId } });
        if (!pipeline) return { code: String(pipelineId), reason: 'its pipeline is not there any more' };
        const { code, archived, enabled, selectedRevisionId } = pipeline;
        if (archived) return { code, reason: 'its pipeline is archived' };
        if (!enabled) return { code, reason: 'its pipeline is disabled' };
        const desired = isOriginal ? original : selectedRevisionId;
        const revision =
            desired === null
                ? null
                : await rawConnection
                      .getRepository(FlowPipelineRevision)
                      .findOne({ where: { id: desired, pipelineId } });
        if (!revision)
            return {
                code,
                reason: isOriginal
                    ? 'the run that rejected it was deleted after its retention period, so its revision is unknown'
                    : 'its pipeline has no published revision',
            };
        return {
            code,
            revisionId: revision.id as Id,
            definition: revision.definition as unknown as PipelineDefinition,
        };
    }
}

/** One call with its results so far. */
class Retry {
    lost = 0;
    private readonly runIds: ID[] = [];
    private records = 0;
    private readonly rejections = new Map<string, RetryRejection>();

    constructor(
        readonly from: ErrorTable,
        private readonly change: { readonly corrections: ReadonlyMap<string, JsonObject>; readonly edited: Edited },
    ) {}

    get answer(): Omit<RecordRetry, 'notOpen' | 'remaining'> {
        return { runIds: this.runIds, records: this.records, refused: [...this.rejections.values()] };
    }

    started(runId: ID, records: number): void {
        this.runIds.push(runId);
        this.records += records;
    }

    refuse(pipelineCode: string, rejected: ReadonlyArray<Pick<Candidate, 'stepKey'>>, reason: string): void {
        for (const { stepKey } of rejected) {
            const key = JSON.stringify([pipelineCode, stepKey, reason]);
            const records = (this.rejections.get(key)?.records ?? 0) + 1;
            this.rejections.set(key, { pipelineCode, stepKey, records, reason });
        }
    }

    /** The records of the run: corrected first, then edited. A record that an edit cannot be applied to is rejected. */
    givenOf(
        pipelineCode: string,
        all: readonly Candidate[],
        payloads: ReadonlyMap<string, JsonObject>,
    ): readonly Given[] {
        const { corrections, edited } = this.change;
        return all.flatMap(candidate => {
            const key = String(candidate.id);
            const payload = payloads.get(key)!;
            try {
                const record = edited(corrections.get(key) ?? payload);
                return [{ candidate, record, isChanged: record !== payload }];
            } catch (error) {
                if (!isFlowError(error) || error.treat !== 'record') throw error;
                this.refuse(pipelineCode, [candidate], error.message.replace(/\.$/, ''));
                return [];
            }
        });
    }
}

/** The records of each step, in order. */
function partsOf(given: readonly Given[]): ReadonlyArray<readonly Given[]> {
    const parts = new Map<string, Given[]>();
    for (const one of given) {
        const { stepKey } = one.candidate;
        parts.set(stepKey, [...(parts.get(stepKey) ?? []), one]);
    }
    return [...parts.values()];
}

function replayedOf(part: readonly Given[], replaySourceKey: string): readonly ReplayedErrors[] {
    return part.map(({ candidate: { id }, record, isChanged }, replaySeq) => ({
        id,
        replaySourceKey,
        replaySeq,
        correction: isChanged ? record : null,
    }));
}

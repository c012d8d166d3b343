import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import type { StatementProgram } from '../../core/adapter/loader';
import { flowError, isFlowError } from '../../core/errors/flow-error';
import type { MessageConfig } from '../../core/triggers/message';
import { select, sql } from '../../database/statement';
import type { Id } from '../../database/write';
import type { ReceivedMessage } from '../../io/broker/message-source';
import type { RecordsText } from '../../io/formats/json-body';
import { JsonText } from '../entities/columns';
import { RunStarter } from '../runs/run-starter';
import { RunStores } from '../runs/run-stores';
import type { ActiveTrigger } from '../triggers/active-triggers';

/** A message with its records. */
export interface ValidMessage {
    readonly message: ReceivedMessage;
    readonly records: RecordsText;
}

/** Attempts, in case another process stores the same messages at the same moment. */
const TRIES = 3;

/** Stores runs with the records of messages, each message once. */
@Injectable()
export class MessageReceiver {
    constructor(
        private readonly starter: RunStarter,
        private readonly stores: RunStores,
    ) {}

    /**
     * When it resolves, a run with all messages that were not received before is stored. Throws RECORD_REFUSED if the database rejects their records,
     * PIPELINE_NOT_RUNNABLE if the trigger is no longer active, and errors of the database. In these cases nothing is stored.
     */
    async store(trigger: ActiveTrigger, messages: readonly ValidMessage[]): Promise<void> {
        await this.assertInForce(trigger);
        const told = messages.map(each => ({ ...each, scope: scopeOf(trigger, each.message) }));
        const scopes = told.flatMap(({ scope }) => scope ?? []);
        for (let tries = 1; ; tries++) {
            const { known, expired } = await this.stores.receivedMessages.find(scopes);
            const seen = new Set(known);
            // A sender may have sent the same message twice in a row.
            const fresh = told.filter(({ scope }) => scope === undefined || (!seen.has(scope) && seen.add(scope)));
            if (fresh.length === 0) return;
            try {
                await this.start(trigger, fresh, expired);
                return;
            } catch (error) {
                const mayBeKnown = isFlowError(error) && error.code === 'RECORD_REFUSED' && scopes.length > 0;
                if (!mayBeKnown || tries === TRIES) throw error;
            }
        }
    }

    /** The number of runs of the pipeline that have not started yet, counted up to `most`. */
    waiting({ pipelineId }: ActiveTrigger, most: number): Promise<number> {
        const { database, tables } = this.stores.env;
        const { runs } = tables;
        const counting = function* (): StatementProgram<number> {
            const rows = yield* select(sql`
                SELECT ${runs.column('id')} FROM ${runs.name}
                WHERE ${runs.column('pipelineId')} = ${pipelineId} AND ${runs.column('status')} = ${'PENDING'} LIMIT ${most}`);
            return rows.length;
        };
        return database.run(counting);
    }

    private async start(
        { pipelineId, channelId, revisionId, publishedBy, stepKey }: ActiveTrigger,
        fresh: ReadonlyArray<ValidMessage & { readonly scope: string | undefined }>,
        expired: readonly string[],
    ): Promise<void> {
        const order = {
            pipelineId: pipelineId as Id,
            channelId: channelId as Id,
            revisionId: revisionId as Id,
            actor: publishedBy,
            triggerKey: stepKey,
            triggerType: 'MESSAGE',
            seed: new JsonText(joined(fresh)),
        } as const;
        const scopes = fresh.flatMap(({ scope }) => scope ?? []);
        if (scopes.length === 0) await this.starter.startRead(order);
        else await this.starter.startRead(order, runId => this.stores.receivedMessages.give(scopes, expired, runId));
    }

    /** Reads the database, since another process may have changed the pipeline a moment ago. */
    private async assertInForce({ pipelineId, pipelineCode, revisionId }: ActiveTrigger): Promise<void> {
        const { database, tables } = this.stores.env;
        const { pipelines } = tables;
        const inForce = function* (): StatementProgram<boolean> {
            const rows = yield* select(sql`
                SELECT ${pipelines.column('id')} FROM ${pipelines.name} WHERE ${pipelines.column('id')} = ${pipelineId}
                AND ${pipelines.column('selectedRevisionId')} = ${revisionId}
                AND ${pipelines.column('enabled')} = ${pipelines.toColumn('enabled', true)}
                AND ${pipelines.column('archived')} = ${pipelines.toColumn('archived', false)}`);
            return rows.length > 0;
        };
        if (await database.run(inForce)) return;
        throw flowError('PIPELINE_NOT_RUNNABLE', {
            code: pipelineCode,
            problem: 'it was disabled, archived or published again',
        });
    }
}

/** The identity of a message, whichever revision takes it. Undefined if it has none. */
function scopeOf(
    { pipelineId, stepKey, config }: ActiveTrigger,
    { identity, body }: ReceivedMessage,
): string | undefined {
    if (identity === undefined) return undefined;
    const { connectionCode, queueName } = (config as unknown as MessageConfig).message;
    return createHash('sha256')
        .update(JSON.stringify([String(pipelineId), stepKey, connectionCode, queueName, identity]))
        .update(body)
        .digest('hex');
}

function joined(messages: readonly ValidMessage[]): string {
    const lists = messages
        .filter(({ records }) => records.count > 0)
        .map(({ records }) => records.text.trim().slice(1, -1));
    return `[${lists.join(',')}]`;
}

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

/** A message with what it brings. */
export interface ValidMessage {
    readonly message: ReceivedMessage;
    readonly records: RecordsText;
}

/** For messages that somebody else has stored at the same moment. */
const TRIES = 3;

/** Stores runs with the records of messages, none of them twice. */
@Injectable()
export class MessageReceiver {
    constructor(
        private readonly starter: RunStarter,
        private readonly stores: RunStores,
    ) {}

    /**
     * When it resolves, a run with all that have not come before is stored. Throws RECORD_REFUSED where the database takes them not as they are,
     * PIPELINE_NOT_RUNNABLE where the trigger is in force no more, and what the database throws; nothing is stored then.
     */
    async store(trigger: ActiveTrigger, messages: readonly ValidMessage[]): Promise<void> {
        await this.assertInForce(trigger);
        const told = messages.map(each => ({ ...each, scope: scopeOf(trigger, each.message) }));
        const scopes = told.flatMap(({ scope }) => scope ?? []);
        for (let tries = 1; ; tries++) {
            const { known, expired } = await this.stores.receivedMessages.find(scopes);
            const seen = new Set(known);
            // A sender may have sent one twice in a row.
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

    /** How many runs of the pipeline have not begun yet; counted up to `most`. */
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

    /** As the database has it now: another process may have changed the pipeline a moment ago. */
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
            problem: 'it was disabled, archived or published anew',
        });
    }
}

/** What a message is known by, whichever revision takes it; undefined where it cannot be known. */
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

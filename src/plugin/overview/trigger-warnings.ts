import { Injectable } from '@nestjs/common';
import { type ID, type RequestContext, RequestContextCacheService, TransactionalConnection } from '@vendure/core';
import { In, IsNull } from 'typeorm';
import { type LogFacts, type LogText, logText } from '../../core/log/log-text';
import { message, type MessageConfig } from '../../core/triggers/message';
import { webhook, webhookSecretCodes, type WebhookConfig } from '../../core/triggers/webhook';
import type { JsonObject } from '../../core/value/json';
import { FlowEventTriggerOutbox } from '../entities/event-trigger-outbox';
import { FlowSecret } from '../entities/secret';
import type { WatchNote } from '../entities/watched-file';
import { MAX_WATCHERS, watchedTriggers } from '../file-triggers/file-watcher';
import { nameOfTrigger } from '../messages/message-consumer';
import { RunStores } from '../runs/run-stores';
import { Scheduler } from '../schedules/scheduler';
import { type ActiveTrigger, ActiveTriggers } from '../triggers/active-triggers';
import { TRIGGER_TYPES } from '../../core/steps/kinds/trigger';

/** What may be wrong with an active trigger. */
type TriggerWarningCode =
    | 'WEBHOOK_OPEN'
    | 'SECRET_MISSING'
    | 'EVENTS_GIVEN_UP'
    | 'SCHEDULE_RESTS'
    | 'MESSAGES_STOPPED'
    | 'MESSAGES_REFUSED'
    | 'TRIGGER_INVALID'
    | 'FILES_NOT_WATCHED'
    | WatchNote['code'];

/** A trigger that needs attention. */
export interface TriggerWarning {
    readonly pipelineId: ID;
    readonly revisionId: ID;
    readonly triggerKey: string;
    readonly code: TriggerWarningCode;
    readonly message: string;
    /** What the message consists of. */
    readonly facts: JsonObject;
}

interface GivenUp {
    readonly pipelineId: ID;
    readonly triggerKey: string;
    readonly count: number | string;
}

/** How long the warning about rejected messages is shown. */
const TOLD_MS = 24 * 3_600_000;

/** Finds what may be wrong with the triggers, with at most four statements. The active triggers themselves are in memory. */
@Injectable()
export class TriggerWarnings {
    constructor(
        private readonly connection: TransactionalConnection,
        private readonly triggers: ActiveTriggers,
        private readonly scheduler: Scheduler,
        private readonly stores: RunStores,
        private readonly cache: RequestContextCacheService,
    ) {}

    /** The warnings of the active channel, found once per request. */
    of(ctx: RequestContext): Promise<readonly TriggerWarning[]> {
        return this.cache.get(ctx, 'flow-trigger-warnings', () => this.find(ctx));
    }

    private async find(ctx: RequestContext): Promise<readonly TriggerWarning[]> {
        const isOwn = ({ channelId }: Pick<ActiveTrigger, 'channelId'>): boolean =>
            String(channelId) === String(ctx.channelId);
        const own = TRIGGER_TYPES.flatMap(type =>
            this.triggers
                .of(type)
                .filter(isOwn)
                .map(trigger => ({ ...trigger, type })),
        );
        const webhooks = own.filter(({ type }) => type === webhook.code);
        const taking = own.filter(({ type }) => type === message.code).map(nameOfTrigger);
        const [missing, givenUp, messages, folders] = await Promise.all([
            this.missingSecrets(ctx, webhooks),
            this.givenUp(ctx),
            this.stores.messageTriggers.find(taking),
            this.folderWarnings(isOwn),
        ]);
        const rejected = this.triggers
            .refused()
            .filter(isOwn)
            .map(({ problem, stepKey: triggerKey, pipelineId, revisionId }): TriggerWarning => {
                return { pipelineId, revisionId, triggerKey, ...explain('TRIGGER_INVALID', { problem }) };
            });
        const inForce = own.flatMap(trigger => {
            const { pipelineId, revisionId, stepKey: triggerKey, type } = trigger;
            const found: TriggerWarning[] = [];
            const warn = <C extends TriggerWarningCode>(code: C, facts: LogFacts<C>): unknown =>
                found.push({ pipelineId, revisionId, triggerKey, ...explain(code, facts) });
            if (type === 'WEBHOOK') {
                const config = trigger.config as unknown as WebhookConfig;
                if (config.authentication === 'NONE') warn('WEBHOOK_OPEN', {});
                for (const secret of webhookSecretCodes(config).filter(one => missing.has(one)))
                    warn('SECRET_MISSING', { secret });
            }
            if (type === 'SCHEDULE' && this.scheduler.isResting(pipelineId)) warn('SCHEDULE_RESTS', {});
            const state = type === 'MESSAGE' ? messages.get(nameOfTrigger(trigger)) : undefined;
            if (state && state.problem !== null) warn('MESSAGES_STOPPED', { problem: state.problem });
            if (state?.refusedAgoMs != null && state.refusedAgoMs < TOLD_MS)
                warn('MESSAGES_REFUSED', { count: state.refused, fate: fateOfRefused(trigger) });
            const count = givenUp.get(`${pipelineId} ${triggerKey}`) ?? 0;
            if (count > 0) warn('EVENTS_GIVEN_UP', { count });
            return found;
        });
        return [...inForce, ...folders, ...rejected];
    }

    /** The warnings about watched folders, whichever process polls them. */
    private async folderWarnings(isOwn: (trigger: ActiveTrigger) => boolean): Promise<readonly TriggerWarning[]> {
        const { watched, tooMany } = watchedTriggers(this.triggers.of('FILE'));
        const ours = watched.filter(isOwn);
        const polled = await this.stores.watchedFiles.watches(ours.map(({ pipelineId }) => pipelineId));
        const remarks = ours.flatMap(({ pipelineId, revisionId, stepKey: triggerKey }) => {
            const watch = polled.find(
                one =>
                    one.stepKey === triggerKey &&
                    String(one.pipelineId) === String(pipelineId) &&
                    String(one.revisionId) === String(revisionId),
            );
            return (watch?.remarks ?? []).map(remark => ({ pipelineId, revisionId, triggerKey, ...remark }));
        });
        const unwatched = tooMany
            .filter(isOwn)
            .map(({ pipelineId, revisionId, stepKey: triggerKey }): TriggerWarning => {
                const told = explain('FILES_NOT_WATCHED', { most: MAX_WATCHERS });
                return { pipelineId, revisionId, triggerKey, ...told };
            });
        return [...remarks, ...unwatched];
    }

    /** The codes that the webhooks name and that no secret has. */
    private async missingSecrets(
        ctx: RequestContext,
        webhooks: readonly ActiveTrigger[],
    ): Promise<ReadonlySet<string>> {
        const named = new Set(webhooks.flatMap(({ config }) => webhookSecretCodes(config as unknown as WebhookConfig)));
        if (named.size === 0) return named;
        const secrets = await this.connection.getRepository(ctx, FlowSecret).find({
            where: { channelId: ctx.channelId, code: In([...named]), enabled: true },
            select: { id: true, code: true },
        });
        for (const { code } of secrets) named.delete(code);
        return named;
    }

    private async givenUp(ctx: RequestContext): Promise<ReadonlyMap<string, number>> {
        const rows = await this.connection
            .getRepository(ctx, FlowEventTriggerOutbox)
            .createQueryBuilder('event')
            .select('event.pipelineId', 'pipelineId')
            .addSelect('event.triggerKey', 'triggerKey')
            .addSelect('COUNT(*)', 'count')
            .where({ channelId: ctx.channelId, dueAt: IsNull() })
            .groupBy('event.pipelineId')
            .addGroupBy('event.triggerKey')
            .getRawMany<GivenUp>();
        return new Map(rows.map(({ pipelineId, triggerKey, count }) => [`${pipelineId} ${triggerKey}`, Number(count)]));
    }
}

function explain<C extends TriggerWarningCode>(code: C, given: LogFacts<C>) {
    const { message, facts } = logText(code, given);
    return { code, message, facts };
}

function fateOfRefused({ config }: ActiveTrigger): LogText {
    const { deadLetterQueue: queue } = (config as unknown as MessageConfig).message;
    return queue === undefined ? logText('MESSAGES_DROPPED', {}) : logText('MESSAGES_KEPT', { queue });
}

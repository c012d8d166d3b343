import { Inject, Injectable } from '@nestjs/common';
import { ChannelService, Logger } from '@vendure/core';
import { createHash } from 'node:crypto';
import { type FlowError, flowError, isFlowError } from '../../core/errors/flow-error';
import { webhookSecretCodes } from '../../core/triggers/webhook';
import { MinuteRateLimiter } from '../../core/concurrency/minute-rate-limiter';
import { SingleFlight } from '../../core/concurrency/single-flight';
import { MemoryQuota } from '../../core/concurrency/memory-quota';
import { ConcurrencyLimiter } from '../../core/concurrency/concurrency-limiter';
import { databaseError } from '../../database/database-errors';
import type { Id } from '../../database/write';
import { recordsOfBody, type RecordsText } from '../../io/formats/json-body';
import { bodyDigest } from '../../io/webhooks/signatures';
import {
    authenticate,
    singleHeader,
    secretStrengthProblem,
    type WebhookGuard,
    type WebhookPost,
    processBody,
} from '../../io/webhooks/verify';
import { JsonText } from '../entities/columns';
import { RunStarter } from '../runs/run-starter';
import { RunStores } from '../runs/run-stores';
import { type OpenedSecrets, Secrets } from '../secrets/secrets';
import type { KnownKey, RememberedPost } from '../stores/webhook-keys';
import { PublicIds } from '../../platform/public-ids';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP, LOG_CONTEXT } from '../tokens';
import { ProcessTaskQueue } from '../process-task-queue';
import { type ActiveWebhook, WebhookLookup } from './webhook-lookup';
import { WebhookRates } from './webhook-rates';

/** A post to `/flow/webhook/{code}`. */
interface ReceivedPost extends WebhookPost {
    readonly code: string;
    /** The sender's address, according to the shop's `trustProxy`. */
    readonly address: string;
}

/** The response to an accepted post. */
export interface WebhookResponse {
    readonly accepted: true;
    /** True if the post was received before: no run was started for it, and the run is that of the first post. */
    readonly duplicate: boolean;
    /** In the form of GraphQL. */
    readonly runId: string;
    readonly pipelineCode: string;
    readonly recordCount: number;
}

/** An idempotency key as it is stored, and the digest of the body that it came with. */
interface Key {
    readonly scope: string;
    readonly bodyDigest: string;
}

/** Fewer than the default pool sizes of database drivers, so that many posts leave connections to the shop. */
const AT_WORK = 6;
const WAITING = 1_000;
const WAIT_MS = 3_000;
const RETRY_MS = 2_000;
const LONGEST_KEY = 256;
/** The number of attempts for a post with a key. */
const TRIES = 5;

/** Accepts posts: authenticates them, finds repeated ones, parses their records, and starts a run for each. */
@Injectable()
export class Webhooks {
    private readonly limiter = new ConcurrencyLimiter({
        working: AT_WORK,
        waiting: WAITING,
        waitMs: WAIT_MS,
        held: new MemoryQuota(Infinity),
    });
    private readonly opened = new SingleFlight<OpenedSecrets>();
    /** By pipeline, and with an empty key for errors without one. Limits the log lines. */
    private readonly told = new MinuteRateLimiter(1, Date.now);

    constructor(
        private readonly lookup: WebhookLookup,
        private readonly rates: WebhookRates,
        private readonly secrets: Secrets,
        private readonly channels: ChannelService,
        private readonly starter: RunStarter,
        private readonly stores: RunStores,
        private readonly taskQueue: ProcessTaskQueue,
        private readonly ids: PublicIds,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    /** Throws RATE_LIMITED for an address whose posts were rejected too often. */
    checkAddress(address: string): void {
        this.rates.checkAddress(address);
    }

    /**
     * Throws WEBHOOK_REFUSED (the same for every reason of a rejection), RATE_LIMITED, INPUT_INVALID for key and body, RECORD_LIMIT, IDEMPOTENCY_CONFLICT, and
     * WEBHOOK_UNAVAILABLE if the run could not be stored.
     */
    async receive(post: ReceivedPost): Promise<WebhookResponse> {
        const busy = (): Error => unavailable('more posts wait than the server takes at a time');
        try {
            return await this.limiter.through({ busy }, () => this.take(post));
        } catch (error) {
            throw this.faultOf(error);
        }
    }

    private async take(post: ReceivedPost): Promise<WebhookResponse> {
        // Others of the same address may have failed while it waited. Sending them all at once must not circumvent the limit.
        this.rates.checkAddress(post.address);
        const webhook = await this.lookup.find(post.code);
        const isIn = await authenticate(post, await this.guard(webhook), this.taskQueue);
        if (!isIn || !webhook) {
            this.rates.countFailure(post.address);
            throw flowError('WEBHOOK_REFUSED', {});
        }
        this.rates.takePost(webhook);
        return this.start(webhook, post);
    }

    /** Reads secrets even if there is no webhook, so that the response time does not show whether it exists. */
    private async guard(webhook: ActiveWebhook | undefined): Promise<WebhookGuard | undefined> {
        const channel = webhook?.channel ?? (await this.channels.getDefaultChannel());
        const codes = webhook ? webhookSecretCodes(webhook.config) : ['-'];
        const key = `${channel.id}/${codes.join('/')}`;
        const { secrets, problems } = await this.opened.of(key, () => this.secrets.openThere(channel, codes));
        if (!webhook) return undefined;
        const { config, pipelineCode } = webhook;
        const unfit = secrets.flatMap(secret => {
            const problem = secretStrengthProblem(config, secret);
            return problem === undefined ? [] : [`The secret "${secret.code}" accepts no requests: ${problem}.`];
        });
        const all = [...problems, ...unfit];
        if (all.length > 0 && this.told.take(pipelineCode) === undefined)
            Logger.error(`Webhook of pipeline "${pipelineCode}": ${all.join(' ')}`, LOG_CONTEXT);
        return {
            config,
            secrets: secrets.filter(secret => secretStrengthProblem(config, secret) === undefined),
            nowMs: Date.now(),
        };
    }

    private async start(webhook: ActiveWebhook, post: ReceivedPost): Promise<WebhookResponse> {
        const key = await this.keyOf(webhook, post);
        let known = key && (await this.stores.webhookKeys.find(key.scope));
        let records: RecordsText | undefined;
        for (let tries = 1; ; tries++) {
            if (key && known && known !== 'expired') return this.answerAgain(webhook, key, known);
            records ??= await processBody(
                post.body,
                this.taskQueue,
                recordsOfBody(textOf(post.body), this.setup.options.webhooks.maxRecords),
            );
            try {
                const runId = await this.store(webhook, records, key && { ...key, known });
                const { pipelineCode } = webhook;
                return {
                    accepted: true,
                    duplicate: false,
                    runId: this.ids.encode(runId),
                    pipelineCode,
                    recordCount: records.count,
                };
            } catch (error) {
                // Another post may have stored the same key at this moment and can now be found. Or the database was busy or unavailable: then the key shows
                // whether the post was stored after all.
                const mayRepeat =
                    isFlowError(error) && (error.code === 'RECORD_REFUSED' || error.treat === 'transient');
                if (!key || !mayRepeat || tries === TRIES) throw error;
                known = await this.stores.webhookKeys.find(key.scope);
            }
        }
    }

    private store(
        { config, channel, pipelineCode: _, ...order }: ActiveWebhook,
        { text, count }: RecordsText,
        key: (Key & { readonly known: KnownKey }) | undefined,
    ): Promise<Id> {
        const ordered = {
            ...order,
            channelId: channel.id as Id,
            triggerType: 'WEBHOOK',
            seed: new JsonText(text),
        } as const;
        if (!key) return this.starter.startRead(ordered);
        const { bodyDigest: digest, ...given } = key;
        return this.starter.startRead(ordered, runId =>
            this.stores.webhookKeys.give(
                { ...given, ttlSec: config.idempotencyTtlSec },
                { bodyDigest: digest, runId, recordCount: count },
            ),
        );
    }

    private async keyOf(
        { pipelineId, triggerKey, config }: ActiveWebhook,
        post: ReceivedPost,
    ): Promise<Key | undefined> {
        const { authentication, idempotencyKeyHeader, requireIdempotencyKey } = config;
        const header = authentication === 'STANDARD' ? 'webhook-id' : idempotencyKeyHeader;
        const sent = post.headers[header.toLowerCase()];
        if (sent === undefined && !requireIdempotencyKey) return undefined;
        const key = singleHeader(post, header);
        if (key === undefined || key.length > LONGEST_KEY) {
            const is =
                sent === undefined ? 'missing' : sent.length > 1 ? 'there twice' : `of ${sent[0]!.length} characters`;
            throw flowError('INPUT_INVALID', {
                problem: `The header ${header} is ${is}; allowed: one idempotency key of 1 to ${LONGEST_KEY} characters`,
            });
        }
        const scope = createHash('sha256')
            .update(JSON.stringify([String(pipelineId), triggerKey, key]))
            .digest('hex');
        const digest = await processBody(post.body, this.taskQueue, bodyDigest(post.body));
        return { scope, bodyDigest: digest.toString('hex') };
    }

    /** The error for the sender. Database errors are only logged; in that case nothing has been stored. */
    private faultOf(error: unknown): FlowError {
        const issue = databaseError(error);
        if (issue.treat === 'request' || issue.treat === 'bug') return issue;
        if (this.told.take('') === undefined)
            Logger.error(`A post to a webhook could not be stored: ${issue.message}`, LOG_CONTEXT);
        return unavailable('the run could not be stored', issue);
    }

    private answerAgain({ pipelineCode }: ActiveWebhook, key: Key, known: RememberedPost): WebhookResponse {
        if (known.bodyDigest !== key.bodyDigest) throw flowError('IDEMPOTENCY_CONFLICT', {});
        const { runId, recordCount } = known;
        return { accepted: true, duplicate: true, runId: this.ids.encode(runId), pipelineCode, recordCount };
    }
}

function textOf(body: Uint8Array): string {
    try {
        return new TextDecoder('utf-8', { fatal: true }).decode(body);
    } catch (error) {
        throw flowError('INPUT_INVALID', { problem: 'The body is not UTF-8' }, { cause: error });
    }
}

/** For a post that the sender may retry: nothing of it has been stored. */
export function unavailable(problem: string, cause?: unknown): FlowError {
    return flowError('WEBHOOK_UNAVAILABLE', { problem, seconds: RETRY_MS / 1_000 }, { waitMs: RETRY_MS, cause });
}

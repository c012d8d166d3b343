import type { Message, SQSClient } from '@aws-sdk/client-sqs';
import type { OutboundHttp, OutboundMethod, OutboundResponse } from '../../core/adapter/http';
import { type FlowError, flowError, isFlowError } from '../../core/errors/flow-error';
import { staticHeaderProblem } from '../../core/schema/static-headers';
import { onAbort } from '../../core/concurrency/abort';
import {
    deathOf,
    type MessageSource,
    type ReceivedMessage,
    type MessageOutcome,
    type SourceSettings,
} from './message-source';
import { type SignedRequest, sqsClient, type SqsSettings } from './sqs-client';

type Sdk = typeof import('@aws-sdk/client-sqs');

/** What calls need. */
interface SqsDeps {
    readonly sdk: Sdk;
    readonly http: OutboundHttp;
    readonly signal: AbortSignal;
}

/** The maximum number of messages, or of their handles, in one request. */
const MOST = 10;
/** SQS waits no longer for messages to come. */
const LONGEST_WAIT_SEC = 20;
const TIMEOUT_MS = 45_000;
/** Of a message; two are needed to say why it is a dead letter. */
const ATTRIBUTES = 10;
/** Statuses that the client interprets itself. */
const ANSWERS = Array.from({ length: 200 }, (_, i) => 300 + i).filter(status => ![408, 429].includes(status));

/** A client of SQS whose requests pass the gateway, once each. */
export class SqsCalls {
    readonly client: SQSClient;
    private readonly host: string;
    private failure: FlowError | undefined;

    constructor(
        private readonly settings: SqsSettings,
        private readonly deps: SqsDeps,
    ) {
        this.host = new URL(settings.endpoint).host;
        this.client = sqsClient(settings, deps.sdk, request => this.send(request));
    }

    /** Calls the client. Throws the gateway's errors, and REMOTE_REFUSED or REMOTE_BUSY with the service's message. */
    async ask<T>(work: (client: SQSClient) => Promise<T>): Promise<T> {
        this.failure = undefined;
        try {
            return await work(this.client);
        } catch (thrown) {
            this.deps.signal.throwIfAborted();
            throw this.failure ?? this.rejection(thrown);
        }
    }

    private rejection(thrown: unknown): Error {
        if (isFlowError(thrown)) return thrown;
        const { name, message } = thrown as Error;
        const reason = [name, message]
            .filter(Boolean)
            .join(': ')
            .replace(/[.\s]+$/, '');
        const options = { cause: thrown };
        return /Throttl|OverLimit|Unavailable|InternalError|InternalFailure/i.test(name)
            ? flowError('REMOTE_BUSY', { host: this.host, problem: `answered: ${reason}`, attempts: 1 }, options)
            : flowError('REMOTE_REFUSED', { host: this.host, problem: `answered: ${reason}` }, options);
    }

    private async send({ url, method, headers, signed, body, abort }: SignedRequest): Promise<OutboundResponse> {
        const { http, signal } = this.deps;
        const over = new AbortController();
        const leaves = [signal, ...(abort ? [abort] : [])].map(one => {
            if (one.aborted) over.abort(one.reason);
            return onAbort(one, () => over.abort(one.reason));
        });
        try {
            return await http.send({
                url,
                method: method as OutboundMethod,
                headers: Object.fromEntries(
                    headers.filter(([name, value]) => staticHeaderProblem(name, value) === undefined),
                ),
                signed: () => signed,
                originLock: new URL(this.settings.endpoint).origin,
                body,
                timeoutMs: TIMEOUT_MS,
                attempts: 1,
                expected: ANSWERS,
                signal: over.signal,
            });
        } catch (thrown) {
            if (isFlowError(thrown)) this.failure = thrown;
            throw thrown;
        } finally {
            for (const leave of leaves) leave();
        }
    }
}

/** The number of requested messages, and the request options. */
interface Asked {
    readonly count: number;
    /** So long the service waits for the first one. */
    readonly waitSec: number;
    readonly stop: AbortSignal;
    /** The time in which no other consumer gets them. Default: the setting of the queue. */
    readonly visibilitySec?: number;
}

/** Takes messages from a queue of SQS, ten at a time. */
export class SqsSource implements MessageSource {
    private readonly calls: SqsCalls;
    private readonly sdk: Sdk;
    private url: string | undefined;
    private hasRedrive = false;
    private readonly unsettled = new Map<string, Message>();
    private received = 0;

    constructor(
        server: SqsSettings,
        private readonly settings: SourceSettings,
        deps: SqsDeps,
    ) {
        this.calls = new SqsCalls(server, deps);
        this.sdk = deps.sdk;
    }

    async receive(stop: AbortSignal): Promise<readonly ReceivedMessage[]> {
        const { batchSize, maxWaitMs } = this.settings;
        // The first request does not wait, which shows early that the queue exists.
        const isFirst = this.url === undefined;
        if (isFirst) await this.open();
        const found = [...(await this.read({ count: batchSize, waitSec: isFirst ? 0 : LONGEST_WAIT_SEC, stop }))];
        const end = performance.now() + maxWaitMs;
        while (found.length > 0 && found.length < batchSize && !stop.aborted) {
            const leftMs = end - performance.now();
            if (leftMs < 0) break;
            const more = await this.read({
                count: batchSize - found.length,
                waitSec: Math.min(LONGEST_WAIT_SEC, Math.floor(leftMs / 1_000)),
                stop,
            });
            if (more.length === 0 && leftMs < 1_000) break;
            found.push(...more);
        }
        return found.map(message => this.taken(message));
    }

    async acknowledge(messages: readonly ReceivedMessage[]): Promise<void> {
        for (let from = 0; from < messages.length; from += MOST) {
            const part = messages.slice(from, from + MOST);
            const Entries = part.map(({ handle }, i) => ({
                Id: String(i),
                ReceiptHandle: this.unsettled.get(handle)!.ReceiptHandle!,
            }));
            // A message that was not deleted, because its visibility timeout had expired, is delivered again, and is recognised then.
            await this.calls.ask(client =>
                client.send(new this.sdk.DeleteMessageBatchCommand({ QueueUrl: this.url, Entries })),
            );
            for (const { handle } of part) this.unsettled.delete(handle);
        }
    }

    async refuse(message: ReceivedMessage, reason: string): Promise<MessageOutcome> {
        const { deadLetterQueue } = this.settings;
        const raw = this.unsettled.get(message.handle)!;
        if (deadLetterQueue !== undefined) {
            await this.bury(raw, deadLetterQueue, reason);
            await this.acknowledge([message]);
            return 'dead-lettered';
        }
        if (!this.hasRedrive) {
            await this.acknowledge([message]);
            return 'dropped';
        }
        // It is delivered again, until the queue's own redrive policy removes it.
        this.unsettled.delete(message.handle);
        return 'rejected';
    }

    /** Uses one request with a visibility timeout of 0; a second request would return the same messages. It counts as a receipt of each. */
    async peek(count: number): Promise<readonly ReceivedMessage[]> {
        await this.open();
        const never = new AbortController();
        const found = await this.read({ count, waitSec: 0, stop: never.signal, visibilitySec: 0 });
        return found.map(shown);
    }

    /** Makes unsettled messages available to every consumer at once. */
    async close(): Promise<void> {
        const handles = [...this.unsettled.values()].map(({ ReceiptHandle }) => ReceiptHandle!);
        this.unsettled.clear();
        for (let from = 0; from < handles.length; from += MOST) {
            const Entries = handles
                .slice(from, from + MOST)
                .map((ReceiptHandle, i) => ({ Id: String(i), ReceiptHandle, VisibilityTimeout: 0 }));
            const command = new this.sdk.ChangeMessageVisibilityBatchCommand({ QueueUrl: this.url, Entries });
            // Otherwise they are delivered again after their visibility timeout.
            await this.calls.ask(client => client.send(command)).catch(() => undefined);
        }
        this.calls.client.destroy();
    }

    private async open(): Promise<void> {
        const url = await this.urlOf(this.settings.queueName);
        const command = new this.sdk.GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['RedrivePolicy'] });
        // Who may not look at a queue may still read it.
        const attributes = await this.calls
            .ask(client => client.send(command))
            .then(({ Attributes }) => Attributes ?? {})
            .catch((error: unknown) => {
                if (isFlowError(error) && error.code === 'REMOTE_REFUSED') return {};
                throw error;
            });
        this.hasRedrive = 'RedrivePolicy' in attributes;
        this.url = url;
    }

    private async urlOf(QueueName: string): Promise<string> {
        const { QueueUrl } = await this.calls.ask(client =>
            client.send(new this.sdk.GetQueueUrlCommand({ QueueName })),
        );
        return QueueUrl!;
    }

    private async read({ count, waitSec, stop, visibilitySec }: Asked): Promise<readonly Message[]> {
        const command = new this.sdk.ReceiveMessageCommand({
            QueueUrl: this.url,
            MaxNumberOfMessages: Math.min(count, MOST),
            WaitTimeSeconds: waitSec,
            MessageAttributeNames: ['All'],
            MessageSystemAttributeNames: ['MessageGroupId'],
            ...(visibilitySec !== undefined && { VisibilityTimeout: visibilitySec }),
        });
        try {
            const { Messages = [] } = await this.calls.ask(client => client.send(command, { abortSignal: stop }));
            return Messages;
        } catch (thrown) {
            if (stop.aborted) return [];
            throw thrown;
        }
    }

    /** The service may deliver a message twice, with the same id both times: the id is not a handle. */
    private taken(message: Message): ReceivedMessage {
        const handle = String(++this.received);
        this.unsettled.set(handle, message);
        return { ...shown(message), handle };
    }

    private async bury(
        { Body, MessageId, MessageAttributes = {} }: Message,
        queue: string,
        reason: string,
    ): Promise<void> {
        const QueueUrl = await this.urlOf(queue);
        const death = Object.entries({ ...deathOf(reason, this.settings), 'x-flow-id': MessageId! });
        const kept = Object.entries(MessageAttributes).slice(0, ATTRIBUTES - death.length);
        const told = death.map(([name, StringValue]) => [name, { DataType: 'String', StringValue }] as const);
        const command = new this.sdk.SendMessageCommand({
            QueueUrl,
            MessageBody: Body,
            MessageAttributes: Object.fromEntries([...kept, ...told]),
            ...(queue.endsWith('.fifo') && { MessageGroupId: 'flow', MessageDeduplicationId: MessageId }),
        });
        await this.calls.ask(client => client.send(command));
    }
}

function shown({ MessageId, Body = '', MessageAttributes = {} }: Message): ReceivedMessage {
    const headers = Object.entries(MessageAttributes).flatMap(([name, { StringValue }]) =>
        StringValue === undefined ? [] : [[name, StringValue] as const],
    );
    return {
        handle: MessageId!,
        id: MessageId,
        identity: MessageId,
        body: Buffer.from(Body),
        headers: Object.fromEntries(headers),
    };
}

import type { SQSClient } from '@aws-sdk/client-sqs';
import { createHash } from 'node:crypto';
import type { OutboundResponse } from '../../core/adapter/http';
import { type Outcome, TAKEN } from '../../core/adapter/loader';
import { flowError } from '../../core/errors/flow-error';
import { type MessageQueue, type QueueMessage, unacknowledged } from './message-queue';
import { type SignedRequest, sqsClient, type SqsSettings } from './sqs-client';

type Sdk = Pick<typeof import('@aws-sdk/client-sqs'), 'SQSClient' | 'GetQueueUrlCommand' | 'SendMessageBatchCommand'>;

interface Parts {
    readonly sdk: Sdk;
    readonly queueName: string;
    send(request: SignedRequest): Promise<OutboundResponse>;
    /** A call of the client; throws what is about no message. */
    ask<T>(work: () => Promise<T>): Promise<T>;
}

/** The maximum number of messages, and of bytes, in one request. */
const MOST = { entries: 10, bytes: 1_048_576 };
/** Of the attributes of a message, which count as its body does. */
const ATTRIBUTES = 10;

/** Sends to a queue of SQS, ten messages at a time. */
export class SqsQueue implements MessageQueue {
    private readonly client: SQSClient;
    private url: string | undefined;

    constructor(
        private readonly settings: SqsSettings,
        private readonly parts: Parts,
    ) {
        this.client = sqsClient(settings, parts.sdk, request => parts.send(request));
    }

    async publish(messages: readonly QueueMessage[]): Promise<readonly Outcome[]> {
        const { sdk, queueName, ask } = this.parts;
        this.url ??= (await ask(() => this.client.send(new sdk.GetQueueUrlCommand({ QueueName: queueName })))).QueueUrl;
        const outcomes: Outcome[] = [];
        for (const part of inRequests(messages)) {
            if (part.length === 1 && bytesOf(part[0]!) > MOST.bytes) outcomes.push(tooLarge());
            else outcomes.push(...(await this.send(part)));
        }
        return outcomes;
    }

    private async send(part: readonly QueueMessage[]): Promise<readonly Outcome[]> {
        const { sdk, queueName, ask } = this.parts;
        const isFifo = queueName.endsWith('.fifo');
        const Entries = part.map(({ id, deliveryId, group, headers, payload }, i) => ({
            Id: String(i),
            MessageBody: payload,
            MessageAttributes: Object.fromEntries(
                Object.entries({ 'x-flow-message-id': id, ...headers })
                    .slice(0, ATTRIBUTES)
                    .map(([name, value]) => [name, { DataType: 'String', StringValue: value }] as const),
            ),
            ...(isFifo && { MessageGroupId: groupOf(group), MessageDeduplicationId: deliveryId }),
        }));
        const command = new sdk.SendMessageBatchCommand({ QueueUrl: this.url, Entries });
        const { Failed = [], Successful = [] } = await ask(() => this.client.send(command));
        const taken = new Set(Successful.map(({ Id }) => Id));
        const { host } = new URL(this.settings.endpoint);
        return part.map((_, i) => {
            if (taken.has(String(i))) return TAKEN;
            const failed = Failed.find(({ Id }) => Id === String(i));
            if (!failed) return unacknowledged(host, 'said nothing of a message');
            const reason = [failed.Code, failed.Message].filter(Boolean).join(': ');
            if (failed.SenderFault !== true) return unacknowledged(host, `did not take a message: ${reason}`);
            return { ok: false, error: flowError('TARGET_REFUSED', { problem: reason.replace(/[.\s]+$/, '') }) };
        });
    }
}

function* inRequests(messages: readonly QueueMessage[]): Generator<readonly QueueMessage[]> {
    let part: QueueMessage[] = [];
    let bytes = 0;
    for (const message of messages) {
        const size = bytesOf(message);
        if (part.length === MOST.entries || (part.length > 0 && bytes + size > MOST.bytes)) {
            yield part;
            [part, bytes] = [[], 0];
        }
        part.push(message);
        bytes += size;
    }
    if (part.length > 0) yield part;
}

function bytesOf({ id, headers, payload }: QueueMessage): number {
    const attributes = Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length + 6, 0);
    return Buffer.byteLength(payload) + attributes + id.length + 32;
}

/** Groups have fewer letters than ids of records may have. */
function groupOf(group = 'flow'): string {
    return /^[\x21-\x7e]{1,128}$/.test(group) ? group : createHash('sha256').update(group).digest('hex');
}

function tooLarge(): Outcome {
    const problem = `it makes a message of more than ${MOST.bytes} bytes, which the queue does not take`;
    return { ok: false, error: flowError('TARGET_REFUSED', { problem }) };
}

import { Inject, Injectable } from '@nestjs/common';
import { logText, type LogText } from '../../core/log/log-text';
import type { RequestContext } from '@vendure/core';
import { Redactor } from '../../core/adapter/redactor';
import { TEST_RUN_CHARS, testRunTooLarge } from '../../core/adapter/test-run-limits';
import { isFlowError } from '../../core/errors/flow-error';
import type { MessageSettings } from '../../core/triggers/message';
import type { JsonObject } from '../../core/value/json';
import type { ReceivedMessage } from '../../io/broker/message-source';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP } from '../tokens';
import { type LookOrder, type TriggerPreviewResult, withinTestTimeout } from '../trigger-preview';
import { ProcessTaskQueue } from '../process-task-queue';
import { recordsOfMessage } from './message-records';
import { MessageSources } from './message-sources';

/** Previews the messages of a queue, which stay in the queue. */
@Injectable()
export class MessagePreviews {
    constructor(
        private readonly sources: MessageSources,
        private readonly taskQueue: ProcessTaskQueue,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    /**
     * The records of the next messages, up to the given number and without the secrets in them, and which messages would become dead letters. Throws
     * STEP_TEST_TIMEOUT, STEP_TEST_TOO_LARGE, OUTBOUND_BLOCKED and what keeps messages from arriving.
     */
    async of(
        { channelId }: RequestContext,
        settings: MessageSettings,
        { limit, through }: LookOrder,
    ): Promise<TriggerPreviewResult> {
        const redactor = new Redactor();
        const ms = this.setup.options.runtime.stepTestMs;
        const desired = { channelId, scope: 'step-test', consumer: 'flow-step-test', settings, redactor, through };
        return withinTestTimeout(ms, async signal => {
            const messages = await this.sources.with({ ...desired, signal }, source => source.peek(limit));
            return this.shown(messages, limit, redactor);
        });
    }

    private async shown(
        messages: readonly ReceivedMessage[],
        limit: number,
        redactor: Redactor,
    ): Promise<TriggerPreviewResult> {
        if (messages.reduce((sum, { body }) => sum + body.byteLength, 0) > TEST_RUN_CHARS) throw testRunTooLarge();
        const records: JsonObject[] = [];
        const remarks: LogText[] = [];
        for (const message of messages) {
            try {
                const { text } = await this.taskQueue.done(recordsOfMessage(message));
                records.push(...(JSON.parse(text) as readonly JsonObject[]));
            } catch (thrown) {
                if (!isFlowError(thrown) || thrown.code !== 'INPUT_INVALID') throw thrown;
                remarks.push(
                    message.id === undefined
                        ? logText('NAMELESS_MESSAGE_REFUSED', { error: thrown })
                        : logText('MESSAGE_REFUSED', { id: JSON.stringify(message.id), error: thrown }),
                );
            }
        }
        return {
            records: records.slice(0, limit).map(record => redactor.json(record)),
            remarks: redactor.json(remarks),
        };
    }
}

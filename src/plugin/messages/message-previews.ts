import { Inject, Injectable } from '@nestjs/common';
import type { RequestContext } from '@vendure/core';
import { Redactor } from '../../core/adapter/redactor';
import { TRIAL_CHARS, tooMuchTried } from '../../core/adapter/trial-limits';
import { flowError, isFlowError } from '../../core/errors/flow-error';
import type { MessageSettings } from '../../core/triggers/message';
import type { JsonObject } from '../../core/value/json';
import type { ReceivedMessage } from '../../io/broker/message-source';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP } from '../tokens';
import { WorkLane } from '../work-lane';
import { recordsOfMessage } from './message-records';
import { MessageSources } from './message-sources';

/** What the messages that are next would bring. */
export interface PreviewedMessages {
    readonly records: readonly JsonObject[];
    /** Of those that would become dead letters, in sentences. */
    readonly refused: readonly string[];
}

/** Looks at the messages of a queue, which stay where they are. */
@Injectable()
export class MessagePreviews {
    constructor(
        private readonly sources: MessageSources,
        private readonly lane: WorkLane,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    /** So many records at most, without the secrets in them. Throws STEP_TEST_TIMEOUT, STEP_TEST_TOO_LARGE and what keeps messages from coming in. */
    async of({ channelId }: RequestContext, settings: MessageSettings, limit: number): Promise<PreviewedMessages> {
        const redactor = new Redactor();
        const ms = this.setup.options.runtime.stepTestMs;
        const over = new AbortController();
        const timer = setTimeout(() => over.abort(flowError('STEP_TEST_TIMEOUT', { ms })), ms);
        const wanted = {
            channelId,
            scope: 'step-test',
            consumer: 'flow-step-test',
            settings,
            redactor,
            signal: over.signal,
        };
        try {
            const messages = await this.sources.with(wanted, source => source.peek(limit));
            return await this.shown(messages, limit, redactor);
        } catch (thrown) {
            throw over.signal.aborted ? (over.signal.reason as Error) : thrown;
        } finally {
            clearTimeout(timer);
        }
    }

    private async shown(
        messages: readonly ReceivedMessage[],
        limit: number,
        redactor: Redactor,
    ): Promise<PreviewedMessages> {
        if (messages.reduce((sum, { body }) => sum + body.byteLength, 0) > TRIAL_CHARS) throw tooMuchTried();
        const records: JsonObject[] = [];
        const refused: string[] = [];
        for (const message of messages) {
            try {
                const { text } = await this.lane.done(recordsOfMessage(message));
                records.push(...(JSON.parse(text) as readonly JsonObject[]));
            } catch (thrown) {
                if (!isFlowError(thrown) || thrown.code !== 'INPUT_INVALID') throw thrown;
                const id =
                    message.id === undefined ? 'A message without an id' : `The message ${JSON.stringify(message.id)}`;
                refused.push(redactor.text(`${id} would start no run: ${thrown.message}`));
            }
        }
        return { records: records.slice(0, limit).map(record => redactor.json(record)), refused };
    }
}

import { Logger } from '@vendure/core';
import { Redactor } from '../../core/adapter/redactor';
import { asFlowError, isFlowError } from '../../core/errors/flow-error';
import type { MessageConfig, MessageSettings } from '../../core/triggers/message';
import { onAbort } from '../../core/concurrency/abort';
import type { TaskQueue } from '../../core/concurrency/task-queue';
import type { MessageSource, ReceivedMessage, MessageOutcome } from '../../io/broker/message-source';
import { LOG_CONTEXT } from '../tokens';
import type { ActiveTrigger } from '../triggers/active-triggers';
import type { MessageTriggers } from '../stores/message-triggers';
import type { MessageReceiver, ValidMessage } from './message-receiver';
import { MAX_MESSAGE_CHARS, recordsOfMessage } from './message-records';
import type { MessageSources } from './message-sources';

/** What a consumer needs. */
export interface ConsumerDeps {
    readonly sources: Pick<MessageSources, 'with'>;
    readonly intake: Pick<MessageReceiver, 'store' | 'waiting'>;
    readonly states: Pick<MessageTriggers, 'tell' | 'refused'>;
    readonly lane: TaskQueue;
    /** Called when the trigger may no longer be active. */
    outdated(): void;
}

/** The wait before the connection is opened again. It doubles after each failure, with some random jitter. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
const JITTER = 0.2;
/** After this time the queue is opened again, with the connection and secrets as they are then. */
const LIFE_MS = 10 * 60_000;
/**
 * While this number of runs of the pipeline wait, further messages stay in the queue, which is what a broker is made for. Checked after each `LOOK_EVERY`
 * batches.
 */
const MOST_WAITING = 1_000;
const LOOK_EVERY = 100;
const FULL_WAIT_MS = 1_000;
/** Errors that are not caused by the broker: the trigger is no longer active, or it was changed. */
const OUT_OF_DATE: ReadonlySet<string> = new Set(['PIPELINE_NOT_RUNNABLE', 'PIPELINE_NOT_FOUND']);

/** The key under which a trigger's state is stored. */
export function nameOfTrigger({ pipelineId, stepKey }: Pick<ActiveTrigger, 'pipelineId' | 'stepKey'>): string {
    return `${pipelineId}/${stepKey}`;
}

/** Takes the messages of one trigger, batch by batch, and opens the queue again whenever it is lost. */
export class MessageConsumer {
    private readonly settings: MessageSettings;
    private readonly name: string;
    private readonly title: string;
    private failures = 0;
    /** Batches since the waiting runs were last counted. */
    private batches = LOOK_EVERY;
    /** The problem that was reported last: why no messages arrive. */
    private told: string | null | undefined;

    constructor(
        readonly trigger: ActiveTrigger,
        private readonly deps: ConsumerDeps,
    ) {
        this.settings = (trigger.config as unknown as MessageConfig).message;
        this.name = nameOfTrigger(trigger);
        this.title = `Messages "${trigger.stepKey}" of pipeline "${trigger.pipelineCode}"`;
    }

    /** Runs until it is stopped. Messages that were received by then are stored and acknowledged, or returned to the queue. Does not throw. */
    async run(stop: AbortSignal): Promise<void> {
        while (!stop.aborted) {
            const redactor = new Redactor();
            try {
                await this.open(redactor, stop);
            } catch (thrown) {
                if (!stop.aborted) await this.failed(thrown, redactor, stop);
            }
        }
    }

    private open(redactor: Redactor, stop: AbortSignal): Promise<void> {
        const { channelId, pipelineId, pipelineCode, stepKey } = this.trigger;
        // People read the name of a group's consumer.
        const desired = {
            channelId,
            scope: String(pipelineId),
            consumer: `flow-${pipelineCode}-${stepKey}`,
            settings: this.settings,
            redactor,
        };
        return this.deps.sources.with(desired, async source => {
            const end = performance.now() + LIFE_MS;
            while (!stop.aborted && performance.now() < end) {
                await this.room(stop);
                const messages = await source.receive(stop);
                this.failures = 0;
                await this.tell(null);
                await this.take(source, messages, { redactor, stop });
            }
        });
    }

    private async room(stop: AbortSignal): Promise<void> {
        if (this.batches < LOOK_EVERY) return;
        const isFull = async (): Promise<boolean> =>
            (await this.deps.intake.waiting(this.trigger, MOST_WAITING)) >= MOST_WAITING;
        while (!stop.aborted && (await isFull())) await pause(FULL_WAIT_MS, stop);
        this.batches = 0;
    }

    private async take(source: MessageSource, messages: readonly ReceivedMessage[], at: At): Promise<void> {
        const sound: ValidMessage[] = [];
        const poison: Array<{ readonly message: ReceivedMessage; readonly problem: string }> = [];
        for (const message of messages) {
            try {
                sound.push({ message, records: await this.deps.lane.done(recordsOfMessage(message)) });
            } catch (thrown) {
                if (!isFlowError(thrown) || thrown.code !== 'INPUT_INVALID') throw thrown;
                poison.push({ message, problem: thrown.message });
            }
        }
        // Valid messages first: they are stored even if dead letters cannot be sent.
        for (const part of parts(sound)) {
            this.batches++;
            await this.store(source, part, at);
        }
        for (const { message, problem } of poison) await this.refuse(source, message, problem);
    }

    /** If the database rejects one message, the others are stored all the same. */
    private async store(source: MessageSource, part: readonly ValidMessage[], at: At): Promise<void> {
        for (let retries = 0; ; retries++) {
            try {
                await this.deps.intake.store(this.trigger, part);
                return await source.acknowledge(part.map(({ message }) => message));
            } catch (thrown) {
                const error = asFlowError(thrown);
                if (error.treat !== 'record') throw error;
                if (part.length > 1) break;
                if (retries === this.settings.maxRetries)
                    return this.refuse(source, part[0]!.message, at.redactor.text(error.message));
                await pause(waitOf(retries), at.stop);
                if (at.stop.aborted) throw error;
            }
        }
        for (const one of part) await this.store(source, [one], at);
    }

    private async refuse(source: MessageSource, message: ReceivedMessage, problem: string): Promise<void> {
        const rejected = await source.refuse(message, problem);
        const id = message.id === undefined ? 'A message without an id' : `The message ${JSON.stringify(message.id)}`;
        Logger.warn(`${this.title}: ${id} starts no run and ${this.fateOf(rejected)}: ${problem}`, LOG_CONTEXT);
        await this.deps.states.refused(this.name);
    }

    private fateOf(rejected: MessageOutcome): string {
        switch (rejected) {
            case 'dead-lettered':
                return `was moved to "${this.settings.deadLetterQueue}"`;
            case 'rejected':
                return 'was rejected';
            case 'dropped':
                return 'is not delivered again';
        }
    }

    private async failed(thrown: unknown, redactor: Redactor, stop: AbortSignal): Promise<void> {
        const isKnown = isFlowError(thrown);
        const problem = redactor.text(thrown instanceof Error ? thrown.message : String(thrown));
        if (isKnown && OUT_OF_DATE.has(thrown.code)) this.deps.outdated();
        else {
            if (this.told !== problem) {
                if (isKnown) Logger.warn(`${this.title} do not come in: ${problem}`, LOG_CONTEXT);
                else Logger.error(`${this.title}: ${problem}`, LOG_CONTEXT, (thrown as Error | undefined)?.stack);
            }
            await this.tell(problem);
        }
        const waitMs = Math.max(waitOf(this.failures++), (isKnown && thrown.waitMs) || 0);
        await pause(Math.min(waitMs, LONGEST_WAIT_MS) * (1 + JITTER * (Math.random() - 0.5)), stop);
    }

    /** Reports each problem once, and once when it is over. An unavailable database is not reported here, since every other component reports it. */
    private async tell(problem: string | null): Promise<void> {
        if (this.told === problem) return;
        const wasAway = typeof this.told === 'string';
        this.told = problem;
        if (wasAway && problem === null) Logger.info(`${this.title} come in again.`, LOG_CONTEXT);
        try {
            await this.deps.states.tell(this.name, problem);
        } catch (error) {
            this.told = undefined;
            Logger.debug(`${this.title}: its state could not be written down: ${String(error)}`, LOG_CONTEXT);
        }
    }
}

interface At {
    readonly redactor: Redactor;
    readonly stop: AbortSignal;
}

/** The messages in order, in parts that are at most as large as the input of one run. */
function* parts(messages: readonly ValidMessage[]): Generator<readonly ValidMessage[]> {
    let part: ValidMessage[] = [];
    let chars = 0;
    for (const message of messages) {
        const { length } = message.records.text;
        if (part.length > 0 && chars + length > MAX_MESSAGE_CHARS) {
            yield part;
            [part, chars] = [[], 0];
        }
        part.push(message);
        chars += length;
    }
    if (part.length > 0) yield part;
}

function waitOf(failures: number): number {
    return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures, 10));
}

function pause(ms: number, stop: AbortSignal): Promise<void> {
    if (stop.aborted) return Promise.resolve();
    return new Promise(resolve => {
        const done = (): void => {
            clearTimeout(timer);
            leave();
            resolve();
        };
        const timer = setTimeout(done, ms);
        const leave = onAbort(stop, done);
    });
}

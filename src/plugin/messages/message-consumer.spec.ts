import { Logger } from '@vendure/core';
import { flowError } from '../../core/errors/flow-error';
import type { TaskQueue } from '../../core/concurrency/task-queue';
import { runAtOnce } from '../../core/concurrency/yielding-task';
import type { MessageSource, ReceivedMessage, MessageOutcome } from '../../io/broker/message-source';
import { loggingInto } from '../../../test/fixtures/memory-shop';
import type { ActiveTrigger } from '../triggers/active-triggers';
import { type ConsumerDeps, MessageConsumer } from './message-consumer';

const trigger = (more: object = {}): ActiveTrigger => ({
    pipelineId: 3,
    pipelineCode: 'stock',
    channelId: 1,
    revisionId: 7,
    publishedAt: new Date(0),
    publishedBy: null,
    stepKey: 'in',
    config: {
        enabled: true,
        message: {
            queueType: 'RABBITMQ',
            connectionCode: 'mq',
            queueName: 'stock',
            maxRetries: 2,
            deadLetterQueue: 'dead',
            ...more,
        },
    },
});

/** A queue in memory. Messages that were not settled are delivered again when it is next opened. */
class Queue {
    readonly said: string[] = [];
    waiting: string[];
    /** What receiving throws next. */
    faults: Error[] = [];
    hasDeadLetters = true;
    /** The number of waiting runs, for each time that it is requested. */
    full: number[] = [];
    private opened = 0;

    constructor(
        private readonly stop: AbortController,
        ...bodies: readonly string[]
    ) {
        this.waiting = [...bodies];
    }

    get parts(): ConsumerDeps {
        return {
            sources: {
                with: async (_, work) => {
                    this.said.push('open');
                    const source = this.source(++this.opened);
                    return work(source).finally(() => {
                        this.said.push('close');
                    });
                },
            },
            intake: {
                store: (_, messages) => this.store(messages.map(({ message: { id } }) => id!)),
                waiting: (_, most) => {
                    const many = this.full.shift() ?? 0;
                    if (many > 0) this.said.push(`${many} wait`);
                    return Promise.resolve(Math.min(many, most));
                },
            },
            states: {
                tell: (name, problem) => Promise.resolve(void this.said.push(`${name}: ${problem ?? 'fine'}`)),
                refused: name => Promise.resolve(void this.said.push(`${name}: one more`)),
            },
            lane: { done: work => Promise.resolve(runAtOnce(work)) } as TaskQueue,
            outdated: () => void this.said.push('outdated'),
        };
    }

    store = (ids: readonly string[]): Promise<void> => {
        this.said.push(`store ${ids.join()}`);
        return Promise.resolve();
    };

    private source(_: number): MessageSource {
        const settle = (message: ReceivedMessage): void => {
            this.waiting = this.waiting.filter(body => idOf(body) !== message.id);
        };
        return {
            receive: () => {
                const issue = this.faults.shift();
                if (issue) return Promise.reject(issue);
                if (this.waiting.length === 0) this.stop.abort();
                return Promise.resolve(this.waiting.map(received));
            },
            acknowledge: messages => {
                this.said.push(`acknowledge ${messages.map(({ id }) => id).join()}`);
                messages.forEach(settle);
                return Promise.resolve();
            },
            refuse: (message): Promise<MessageOutcome> => {
                if (!this.hasDeadLetters) return Promise.reject(noQueue);
                this.said.push(`reject ${message.id}`);
                settle(message);
                return Promise.resolve('dead-lettered');
            },
            peek: () => Promise.resolve([]),
            close: () => Promise.resolve(),
        };
    }
}

const idOf = (body: string): string => body.replace(/[^A-Z]/g, '');
const received = (body: string): ReceivedMessage => ({
    handle: body,
    id: idOf(body),
    identity: idOf(body),
    body: Buffer.from(body),
    headers: {},
});
const record = (id: string): string => JSON.stringify({ '': id });
const noQueue = flowError('REMOTE_REFUSED', { host: 'mq', problem: 'has no queue' });
const away = flowError('REMOTE_BUSY', { host: 'mq', problem: 'is away', attempts: 1 });

describe('the consumer of a trigger', () => {
    let stop: AbortController;
    const logged: string[] = [];

    beforeEach(() => {
        jest.useFakeTimers();
        logged.length = 0;
        Logger.useLogger(loggingInto(logged));
        stop = new AbortController();
    });
    afterEach(() => jest.useRealTimers());

    /** Runs until the queue is empty, which stops it. Returns what happened, in order. */
    const run = async (queue: Queue, more: object = {}): Promise<readonly string[]> => {
        const running = new MessageConsumer(trigger(more), queue.parts).run(stop.signal);
        await jest.advanceTimersByTimeAsync(600_000);
        await running;
        return queue.said;
    };

    it('stores a run with all that has come, and acknowledges it then', async () => {
        const queue = new Queue(stop, record('A'), record('B'));
        expect(await run(queue)).toEqual(['open', '3/in: fine', 'store A,B', 'acknowledge A,B', 'close']);
    });

    it('acknowledges nothing that could not be stored, reports why no messages arrive, and opens the queue again', async () => {
        const queue = new Queue(stop, record('A'));
        const store = queue.store;
        const lost = flowError('DATABASE_LOST', { problem: 'it is away' });
        queue.store = ids => {
            queue.store = store;
            return store(ids).then(() => Promise.reject(lost));
        };
        expect(await run(queue)).toEqual([
            'open',
            '3/in: fine',
            'store A',
            'close',
            `3/in: ${lost.message}`,
            'open',
            '3/in: fine',
            'store A',
            'acknowledge A',
            'close',
        ]);
    });

    it('retries an unavailable broker at growing intervals, and reports it once', async () => {
        const queue = new Queue(stop, record('A'));
        queue.faults = Array.from({ length: 8 }, () => away);
        const said = await run(queue);
        expect(said.filter(line => line === 'open')).toHaveLength(9);
        expect(said.filter(line => line.startsWith('3/in'))).toEqual([`3/in: ${away.message}`, '3/in: fine']);
        expect(logged.filter(line => line.startsWith('warn'))).toHaveLength(1);
        expect(said.slice(-2)).toEqual(['acknowledge A', 'close']);
    });

    it('sends invalid JSON to the dead letter queue after storing the valid messages', async () => {
        const queue = new Queue(stop, 'POISON', record('B'));
        expect((await run(queue)).slice(2, -1)).toEqual([
            'store B',
            'acknowledge B',
            'reject POISON',
            '3/in: one more',
        ]);
        expect(logged.filter(line => line.includes('POISON') && line.includes('"dead"'))).toHaveLength(1);
    });

    it('continues with the other messages when dead letters cannot be sent, and keeps the invalid ones', async () => {
        const queue = new Queue(stop, 'POISON', record('B'));
        queue.hasDeadLetters = false;
        const running = run(queue);
        await jest.advanceTimersByTimeAsync(100_000);
        expect(queue.waiting).toEqual(['POISON']);
        expect(queue.said).toContain('acknowledge B');
        expect(queue.said).toContain(`3/in: ${noQueue.message}`);
        queue.hasDeadLetters = true;
        await running;
        expect(queue.waiting).toEqual([]);
    });

    it('stores each message separately when the database rejects one, and gives that one up after its retries', async () => {
        const queue = new Queue(stop, record('A'), record('B'), record('C'));
        const store = queue.store;
        queue.store = async ids => {
            await store(ids);
            if (ids.includes('B')) throw flowError('RECORD_REFUSED', { problem: 'too large' });
        };
        expect((await run(queue)).slice(2, -1)).toEqual([
            'store A,B,C',
            'store A',
            'acknowledge A',
            'store B',
            'store B',
            'store B',
            'reject B',
            '3/in: one more',
            'store C',
            'acknowledge C',
        ]);
    });

    it('gives a run no more than one may have', async () => {
        const large = (id: string): string => JSON.stringify({ '': id, more: 'x'.repeat(6 * 1024 * 1024) });
        const queue = new Queue(stop, large('A'), large('B'));
        expect((await run(queue)).filter(line => line.startsWith('store'))).toEqual(['store A', 'store B']);
    });

    it('leaves messages to the broker while too many runs of the pipeline wait', async () => {
        const queue = new Queue(stop, record('A'));
        queue.full = [5_000, 1_000, 999];
        expect(await run(queue)).toEqual([
            'open',
            '5000 wait',
            '1000 wait',
            '999 wait',
            '3/in: fine',
            'store A',
            'acknowledge A',
            'close',
        ]);
    });

    it('does not report a broker problem when the trigger is no longer active', async () => {
        const queue = new Queue(stop, record('A'));
        const store = queue.store;
        queue.store = () => {
            queue.store = store;
            return Promise.reject(flowError('PIPELINE_NOT_RUNNABLE', { code: 'stock', problem: 'it was disabled' }));
        };
        const said = await run(queue);
        expect(said).toContain('outdated');
        expect(said.filter(line => line.includes('disabled'))).toEqual([]);
    });

    it('stops with what it has in hand stored and acknowledged', async () => {
        const queue = new Queue(stop, record('A'));
        const store = queue.store;
        queue.store = ids => {
            stop.abort();
            return store(ids);
        };
        expect(await run(queue)).toEqual(['open', '3/in: fine', 'store A', 'acknowledge A', 'close']);
    });
});

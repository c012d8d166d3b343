import { parseWith } from '../schema/issues';
import type { JsonObject } from '../value/json';
import { message, type MessageConfig } from './message';

const parsed = (given: JsonObject) =>
    parseWith(message.config, {
        message: { queueType: 'RABBITMQ', connectionCode: 'mq', queueName: 'stock', ...given },
    });
/** The paths of its errors. */
const issues = (given: JsonObject): readonly string[] => {
    const result = parsed(given);
    return result.ok ? [] : result.issues.map(({ path }) => path);
};

describe('a MESSAGE trigger', () => {
    it('has the defaults of the specification', () => {
        const result = parsed({});
        expect(result).toMatchObject({
            ok: true,
            value: { enabled: true, message: { batchSize: 10, maxWaitMs: 1_000, prefetch: 100, maxRetries: 3 } },
        });
    });

    it.each<readonly [JsonObject, string]>([
        [{ batchSize: 0 }, 'message.batchSize'],
        [{ batchSize: 101 }, 'message.batchSize'],
        [{ maxWaitMs: 60_001 }, 'message.maxWaitMs'],
        [{ prefetch: 1_001 }, 'message.prefetch'],
        [{ maxRetries: 11 }, 'message.maxRetries'],
        [{ queueType: 'REDIS_STREAMS' }, 'message.consumerGroup'],
        [{ deadLetterQueue: 'stock' }, 'message.deadLetterQueue'],
        [{ queueName: 'a\nb' }, 'message.queueName'],
        [{ queueType: 'KAFKA' }, 'message.queueType'],
    ])('with %j is rejected', (given, path) => {
        expect(issues(given)).toEqual([path]);
    });

    it('reports settings without effect', () => {
        const config = (given: JsonObject): MessageConfig => {
            const result = parsed(given);
            if (!result.ok) throw new Error(result.issues.map(issue => issue.message).join());
            return result.value as MessageConfig;
        };
        const advised = (given: JsonObject): readonly string[] =>
            (message.advise?.(config(given)) ?? []).map(({ code, path }) => `${code} ${path}`);
        expect(advised({})).toEqual([]);
        expect(advised({ queueType: 'SQS', prefetch: 5, consumerGroup: 'shop' })).toEqual([
            'WITHOUT_EFFECT message.prefetch',
            'WITHOUT_EFFECT message.consumerGroup',
        ]);
    });
});

import { Logger } from '@vendure/core';
import { createHash } from 'node:crypto';
import { Secret } from '../../core/adapter/secret';
import { flowError, isFlowError } from '../../core/errors/flow-error';
import { webhook } from '../../core/triggers/webhook';
import { TaskQueue } from '../../core/concurrency/task-queue';
import type { RunStarter } from '../runs/run-starter';
import type { RunStores } from '../runs/run-stores';
import type { FlowSetup } from '../setup';
import type { KnownKey } from '../stores/webhook-keys';
import type { PublicIds } from '../../platform/public-ids';
import type { ActiveWebhook } from './webhook-lookup';
import { networkOf, WebhookRates } from './webhook-rates';
import { Webhooks } from './webhooks';

const active: ActiveWebhook = {
    pipelineId: 7,
    pipelineCode: 'orders',
    revisionId: 9,
    triggerKey: 'hook',
    actor: 3,
    channel: { id: 1, code: 'c', token: 't' } as ActiveWebhook['channel'],
    config: webhook.config.parse({ authentication: 'API_KEY', apiKeySecretCode: 'key' }) as ActiveWebhook['config'],
};

interface Parts {
    readonly find?: () => Promise<ActiveWebhook | undefined>;
    readonly startRead?: () => Promise<number>;
    readonly keys?: ReadonlyArray<KnownKey>;
    readonly problems?: readonly string[];
}

function desk({ find, startRead, keys = [], problems = [] }: Parts) {
    const known = [...keys];
    const service = new Webhooks(
        { find: find ?? (() => Promise.resolve(active)) } as never,
        new WebhookRates({ options: { webhooks: { failuresPerAddress: 120 } } } as FlowSetup),
        {
            openThere: () =>
                Promise.resolve({ secrets: problems.length > 0 ? [] : [new Secret('key', 'sesame')], problems }),
        } as never,
        { getDefaultChannel: () => Promise.resolve(active.channel) } as never,
        { startRead: startRead ?? (() => Promise.resolve(11)) } as unknown as RunStarter,
        { webhookKeys: { find: () => Promise.resolve(known.shift()) } } as unknown as RunStores,
        new TaskQueue(),
        { encode: String } as unknown as PublicIds,
        { options: { webhooks: { maxRecords: 2 } } } as FlowSetup,
    );
    return async (headers: Record<string, string> = {}, body = BODY): Promise<unknown> => {
        const distinct = Object.entries({ 'x-api-key': 'sesame', ...headers }).map(([name, value]) => [name, [value]]);
        try {
            return await service.receive({
                code: 'orders',
                address: '203.0.113.7',
                headers: Object.fromEntries(distinct) as Record<string, string[]>,
                body,
            });
        } catch (error) {
            if (!isFlowError(error)) throw error;
            return { code: error.code, waitMs: error.waitMs };
        }
    };
}

const BODY = Buffer.from('[{"a":1},{}]');
const DIGEST = createHash('sha256').update(BODY).digest('hex');

describe('a post', () => {
    let told: jest.SpyInstance;
    beforeEach(() => {
        told = jest.spyOn(Logger, 'error').mockReturnValue(undefined);
    });
    afterEach(() => told.mockRestore());
    const UNAVAILABLE = { code: 'WEBHOOK_UNAVAILABLE', waitMs: expect.any(Number) };

    it('with more records than the option allows starts nothing', async () => {
        const startRead = jest.fn(() => Promise.resolve(11));
        expect(await desk({ startRead })({}, Buffer.from('[{},{},{}]'))).toMatchObject({ code: 'RECORD_LIMIT' });
        expect(startRead).not.toHaveBeenCalled();
    });

    it('that is let in is answered with its run', async () => {
        expect(await desk({})()).toEqual({
            accepted: true,
            duplicate: false,
            runId: '11',
            pipelineCode: 'orders',
            recordCount: 2,
        });
    });

    it.each<[string, Parts]>([
        [
            'the database does not answer when the pipeline is looked for',
            { find: () => Promise.reject(new Error('Connection terminated unexpectedly')) },
        ],
        [
            'the run cannot be stored',
            { startRead: () => Promise.reject(flowError('DATABASE_BUSY', { problem: 'deadlock' })) },
        ],
        [
            'the table of runs is not there',
            { startRead: () => Promise.reject(flowError('DATABASE_REFUSED', { problem: 'no such table' })) },
        ],
    ])('may be retried when %s, which is logged once and not shown to its sender', async (_, parts) => {
        const post = desk(parts);
        expect(await post()).toEqual(UNAVAILABLE);
        expect(await post()).toEqual(UNAVAILABLE);
        expect(told).toHaveBeenCalledTimes(1);
    });

    it('that causes an internal error is not answered with a request to retry', async () => {
        const broken = desk({ find: () => Promise.reject(new TypeError('x is not a function')) });
        await expect(broken()).rejects.toThrow(TypeError);
    });

    it('that waits is sent away where others of its address have failed too often while it waited', async () => {
        const post = desk({});
        const answers = await Promise.all(Array.from({ length: 500 }, () => post({ 'x-api-key': 'a guess' })));
        const codes = answers.map(answer => (answer as { readonly code: string }).code);
        const guesses = codes.filter(code => code === 'WEBHOOK_REFUSED').length;
        // All concurrent posts were checked before any of them has failed.
        expect(guesses).toBeGreaterThanOrEqual(120);
        expect(guesses).toBeLessThan(120 + 6);
        expect(codes.filter(code => code === 'RATE_LIMITED')).toHaveLength(500 - guesses);
    });

    it('is rejected when too many others are waiting', async () => {
        const waiting: Array<() => void> = [];
        const post = desk({
            find: () =>
                new Promise(resolve => {
                    waiting.push(() => resolve(undefined));
                }),
        });
        const all = Array.from({ length: 1_010 }, () => post());
        expect(await Promise.all(all.slice(1_006))).toEqual([UNAVAILABLE, UNAVAILABLE, UNAVAILABLE, UNAVAILABLE]);
        const ended = Promise.all(all);
        while (waiting.length > 0) {
            waiting.shift()!();
            await new Promise(resolve => setImmediate(resolve));
        }
        await ended;
    });

    it('whose key was taken in the moment in which it was stored is answered with the run that has it', async () => {
        const rejected = () => Promise.reject(flowError('RECORD_REFUSED', { problem: 'unique' }));
        const digest = 'd'.repeat(64);
        const remembered = { bodyDigest: digest, runId: 5, recordCount: 2 };
        const post = desk({ startRead: rejected, keys: [undefined, remembered] });
        expect(await post({ 'x-idempotency-key': 'k' })).toEqual({ code: 'IDEMPOTENCY_CONFLICT' });
        // The number of attempts is limited, since other senders may add and remove the key.
        expect(await desk({ startRead: rejected })({ 'x-idempotency-key': 'k' })).toEqual(UNAVAILABLE);
        // A post that was stored before its response was lost is found by its key.
        const lost = () => Promise.reject(flowError('DATABASE_LOST', { problem: 'gone' }));
        const again = desk({ startRead: lost, keys: [undefined, { ...remembered, bodyDigest: DIGEST }] });
        expect(await again({ 'x-idempotency-key': 'k' })).toMatchObject({
            accepted: true,
            duplicate: true,
            runId: '5',
        });
        // Without a key it cannot be a duplicate.
        expect(await desk({ startRead: rejected })()).toEqual(UNAVAILABLE);
    });

    it('to a webhook whose secret cannot be read is kept out, and the log says why, once a minute', async () => {
        const post = desk({ problems: ['The secret "key" cannot be read.'] });
        expect([await post(), await post()]).toEqual([{ code: 'WEBHOOK_REFUSED' }, { code: 'WEBHOOK_REFUSED' }]);
        expect(told).toHaveBeenCalledTimes(1);
        expect(told.mock.calls[0]![0]).toContain('"orders"');
    });
});

describe('the network of an address', () => {
    it.each([
        ['203.0.113.7', '203.0.113.7'],
        ['::ffff:203.0.113.7', '203.0.113.7'],
        ['2001:db8:1:2:3:4:5:6', '20010db800010002'],
        ['2001:db8:1:2::1', '20010db800010002'],
        ['fe80::1%eth0', 'fe80000000000000'],
        ['', ''],
        ['unknown', 'unknown'],
    ])('of %j is %j', (address, network) => {
        expect(networkOf(address)).toBe(network);
    });
});

describe('the rates of posts', () => {
    const ratesOf = (failuresPerAddress: number) =>
        new WebhookRates({ options: { webhooks: { failuresPerAddress } } } as FlowSetup);

    it('block an address after the configured number of failures, and none without a limit', () => {
        const [rates, without] = [ratesOf(2), ratesOf(0)];
        for (let i = 0; i < 2; i++) {
            rates.checkAddress('2001:db8::1');
            rates.countFailure('2001:db8::1');
        }
        const limited = expect.objectContaining({ code: 'RATE_LIMITED', waitMs: expect.any(Number) }) as unknown;
        expect(() => rates.checkAddress('2001:db8::2')).toThrow(limited as Error);
        expect(() => rates.checkAddress('2001:db9::1')).not.toThrow();
        for (let i = 0; i < 1_000; i++) without.countFailure('2001:db8::1');
        expect(() => without.checkAddress('2001:db8::1')).not.toThrow();
    });

    it('let a webhook take as many posts as it says, whatever others take', () => {
        const rates = ratesOf(0);
        const limitedTo = (rateLimit: number, pipelineId = 1) =>
            ({ ...active, pipelineId, config: { ...active.config, rateLimit } }) satisfies ActiveWebhook;
        for (let i = 0; i < 2; i++) rates.takePost(limitedTo(2));
        expect(() => rates.takePost(limitedTo(2))).toThrow(expect.objectContaining({ code: 'RATE_LIMITED' }) as Error);
        expect(() => rates.takePost(limitedTo(2, 2))).not.toThrow();
        for (let i = 0; i < 1_000; i++) expect(() => rates.takePost(limitedTo(0))).not.toThrow();
    });
});

import type { RequestContext, RequestContextCacheService } from '@vendure/core';
import { textNaming } from '../../../test/kit/naming';
import type { JsonObject } from '../../core/value/json';
import { runAtOnce, type YieldingTask } from '../../core/concurrency/yielding-task';
import type { ProcessTaskQueue } from '../process-task-queue';
import type { DefinitionChecks } from './definition-check';
import { RequestChecks } from './request-checks';

const ctx = { channelId: 1 } as RequestContext;

/** The checks of one request, and how often a definition was read or checked for them. */
function request() {
    const cached = new Map<string, unknown>();
    const cache = {
        get: (_: RequestContext, key: string, make: () => unknown) => {
            if (!cached.has(key)) cached.set(key, make());
            return cached.get(key);
        },
    } as unknown as RequestContextCacheService;
    const counts = { checked: 0, worked: 0 };
    const check = async () => ({ issues: [{ code: 'C', path: '', message: String(++counts.checked) }] });
    const checks = { limits: { maxValues: Infinity }, check } as unknown as DefinitionChecks;
    const done = async (yieldingTask: YieldingTask<unknown>) => {
        counts.worked++;
        return runAtOnce(yieldingTask);
    };
    return { counts, checks: new RequestChecks(cache, checks, { done } as unknown as ProcessTaskQueue) };
}

describe('a request that has definitions checked', () => {
    it('has one that it names a thousand times read and checked once', async () => {
        const { counts, checks } = request();
        const definition: JsonObject = { version: 1, steps: [], edges: [] };
        const answers = await Promise.all(Array.from({ length: 1_000 }, () => checks.check(ctx, definition)));
        expect(new Set(answers).size).toBe(1);
        expect(counts).toEqual({ checked: 1, worked: 2 });
    });

    it('checks repeated parts once, reads them up to the limit, and rejects further ones', async () => {
        const { counts, checks } = request();
        const steps: JsonObject[] = [];
        const ask = () => checks.check(ctx, { version: 1, steps, edges: [] });
        await Promise.all(Array.from({ length: 100 }, ask));
        expect(counts).toEqual({ checked: 1, worked: 200 });
        for (const answer of await Promise.allSettled(Array.from({ length: 900 }, ask)))
            expect(answer).toMatchObject({
                status: 'rejected',
                reason: {
                    code: 'INPUT_INVALID',
                    facts: { problem: textNaming(100, 'definitions') },
                },
            });
        expect(counts).toEqual({ checked: 1, worked: 200 });
    });

    it('checks different definitions up to the limit', async () => {
        const { counts, checks } = request();
        const ask = (n: number) => checks.check(ctx, { version: 1, n });
        await Promise.all(Array.from({ length: 20 }, (_, n) => ask(n)));
        await expect(ask(20)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
        expect(counts.checked).toBe(20);
    });
});

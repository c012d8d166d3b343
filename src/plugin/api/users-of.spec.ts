import { RequestContext, RequestContextCacheService } from '@vendure/core';
import { setImmediate as turn } from 'node:timers/promises';
import { usersOf } from './users-of';

describe('what uses a resource', () => {
    const ctx = RequestContext.empty();
    Object.defineProperty(ctx, 'channelId', { value: 1 });
    const parts = (operation: 'query' | 'mutation', looks: string[]) => ({
        usage: {
            users: async (_: unknown, to: string): Promise<ReadonlyMap<string, readonly string[]>> => {
                looks.push(to);
                await turn();
                return new Map([['erp', ['nightly']]]);
            },
        },
        cache: new RequestContextCacheService(),
        info: { operation: { operation } } as never,
    });

    it('is found by reading the definitions once, however many aliases of a query request it', async () => {
        const looks: string[] = [];
        const { usage, cache, info } = parts('query', looks);
        for (let i = 0; i < 50; i++) {
            expect(await usersOf(ctx, { to: 'connection', code: 'erp' }, { usage, cache, info })).toEqual(['nightly']);
            expect(await usersOf(ctx, { to: 'secret', code: 'other' }, { usage, cache, info })).toEqual([]);
        }
        expect(looks).toEqual(['connection', 'secret']);
    });

    it('is searched again after each part of a mutation, and once for a list', async () => {
        const looks: string[] = [];
        const { usage, cache, info } = parts('mutation', looks);
        const list = ['erp', 'pim'].map(code => usersOf(ctx, { to: 'file', code }, { usage, cache, info }));
        expect(await Promise.all(list)).toEqual([['nightly'], []]);
        await usersOf(ctx, { to: 'file', code: 'erp' }, { usage, cache, info });
        expect(looks).toEqual(['file', 'file']);
    });
});

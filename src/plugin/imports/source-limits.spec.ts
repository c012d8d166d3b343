import type { RequestContext } from '@vendure/core';
import { isFlowError } from '../../core/errors/flow-error';
import { SourceLimits } from './source-limits';

/** Starts work that lasts until `end`, for a number of users. Returns how many work, and the codes of those who were rejected. */
function start(limits: SourceLimits, users: number, each: number) {
    const seen = { working: 0, most: 0, codes: [] as string[], end: (): void => undefined };
    const ended = new Promise<void>(resolve => void (seen.end = resolve));
    const work = async (): Promise<void> => {
        seen.most = Math.max(seen.most, ++seen.working);
        await ended;
        seen.working--;
    };
    const all = Array.from({ length: users * each }, (_, i) =>
        limits
            .through({ activeUserId: i % users } as RequestContext, work)
            .catch((error: unknown) => void seen.codes.push(isFlowError(error) ? error.code : String(error))),
    );
    return { seen, all: Promise.all(all) };
}

describe('reading sources of imports', () => {
    it('is limited for each user: two work, four wait, and others are rejected', async () => {
        const { seen, all } = start(new SourceLimits(), 1, 9);
        await new Promise(resolve => setImmediate(resolve));
        expect(seen).toMatchObject({ working: 2, codes: Array(3).fill('IMPORT_SOURCES_OF_USER_BUSY') });
        seen.end();
        await all;
        expect(seen).toMatchObject({ working: 0, most: 2 });
    });

    it('is limited for all users together', async () => {
        const { seen, all } = start(new SourceLimits(), 30, 2);
        await new Promise(resolve => setImmediate(resolve));
        expect(seen.working).toBe(8);
        expect(seen.codes).toEqual(Array(20).fill('IMPORT_SOURCES_BUSY'));
        seen.end();
        await all;
        expect(seen.most).toBe(8);
    });

    it('is possible again when the others have ended', async () => {
        const limits = new SourceLimits();
        const { seen, all } = start(limits, 1, 6);
        seen.end();
        await all;
        await expect(limits.through({ activeUserId: 0 } as RequestContext, async () => 'read')).resolves.toBe('read');
    });
});

import { askedFor } from './asked-for';

describe('the query of the list of pipelines', () => {
    it('leaves filters of its columns where they are', () => {
        const filter = { _or: [{ name: { contains: 'a' } }], _and: [{ enabled: { in: [true] } }] };
        expect(askedFor({ options: { filter } })).toEqual({ options: { filter }, selection: {} });
    });

    it('takes out what is filtered by triggers, runs and errors', () => {
        const filter = {
            _and: [
                { triggers: { eq: 'WEBHOOK' } },
                { lastRun: { in: ['FAILED', 'PAUSED'] } },
                { openErrors: { eq: false } },
                { status: { in: ['DRAFT'] } },
            ],
        };
        expect(askedFor({ options: { filter } })).toEqual({
            options: { filter: { _and: [{ status: { in: ['DRAFT'] } }] } },
            selection: { triggerType: 'WEBHOOK', lastRunStatus: ['FAILED', 'PAUSED'], hasOpenErrors: false },
        });
    });
});

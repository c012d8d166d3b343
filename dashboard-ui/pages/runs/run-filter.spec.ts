import { runFilter } from './run-filter';

const now = Date.UTC(2026, 2, 10, 12, 30, 20);

describe('the filter of runs', () => {
    it('is empty without words in the address', () => expect(runFilter({}, now)).toEqual({}));

    it('is by status, and by outcome for completed runs', () => {
        expect(runFilter({ status: 'FAILED' }, now)).toEqual({ status: { eq: 'FAILED' } });
        expect(runFilter({ status: 'PARTIAL' }, now)).toEqual({ outcome: { eq: 'PARTIAL' } });
    });

    it('is by trigger and period', () =>
        expect(runFilter({ trigger: 'WEBHOOK', range: 'week' }, now)).toEqual({
            triggerType: { eq: 'WEBHOOK' },
            createdAt: { after: '2026-03-03T12:30:00.000Z' },
        }));

    it('leaves out a period that there is not', () => expect(runFilter({ range: 'toString' }, now)).toEqual({}));
});

import { partsOf, windowOf } from './time-window';

const NOW = Date.parse('2026-03-10T12:34:56.000Z');
const nothing = { range: undefined, from: undefined, to: undefined };

describe('the time that is looked at', () => {
    it('is the last 24 hours, hour by hour, unless something else is chosen', () => {
        const day = { from: '2026-03-09T12:34:00.000Z', to: undefined, period: 'HOUR' };
        expect(windowOf(nothing, NOW)).toEqual(day);
        expect(windowOf({ ...nothing, range: 'for ever' }, NOW)).toEqual(day);
    });

    it('is given in days if it is long', () => {
        expect(windowOf({ ...nothing, range: 'month' }, NOW)).toEqual({
            from: '2026-02-08T12:34:00.000Z',
            to: undefined,
            period: 'DAY',
        });
    });

    it('is what was entered, where that is a time', () => {
        const chosen = { range: 'own', from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z' };
        expect(windowOf(chosen, NOW)).toEqual({
            from: '2026-03-01T00:00:00.000Z',
            to: '2026-03-02T00:00:00.000Z',
            period: 'HOUR',
        });
        expect(windowOf({ ...chosen, to: '2026-02-01T00:00:00Z' }, NOW)).toEqual(windowOf(nothing, NOW));
        expect(windowOf({ ...chosen, from: 'soon' }, NOW)).toEqual(windowOf(nothing, NOW));
    });

    it('has no hours and days left out', () => {
        expect(partsOf({ from: '2026-03-09T12:00:00Z', to: '2026-03-09T15:00:00Z' }, 'HOUR')).toEqual([
            '2026-03-09T12:00:00.000Z',
            '2026-03-09T13:00:00.000Z',
            '2026-03-09T14:00:00.000Z',
        ]);
        expect(partsOf({ from: '2026-03-09T12:00:00Z', to: '2026-03-11T01:00:00Z' }, 'DAY')).toHaveLength(3);
    });
});

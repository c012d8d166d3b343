import { DAYS, filled, firstOf, HOURS } from './periods';

describe('the periods of a chart', () => {
    it('are 24 hours, gaps included, the present one last', () => {
        const hours = filled(
            [{ start: '2026-05-03T12:00:00.000Z', figures: 2 }],
            HOURS,
            new Date('2026-05-03T14:03:22.000Z'),
        );
        expect(hours).toHaveLength(24);
        expect(hours.at(-1)).toEqual({ start: new Date('2026-05-03T14:00:00.000Z'), figures: undefined });
        expect(hours.at(-3)?.figures).toBe(2);
        expect(hours[0]?.start.toISOString()).toBe('2026-05-02T15:00:00.000Z');
    });

    it('are 30 days of UTC', () => {
        const days = filled(
            [{ start: '2026-05-03T00:00:00.000Z', figures: 1 }],
            DAYS,
            new Date('2026-05-03T23:59:59.000Z'),
        );
        expect(days).toHaveLength(30);
        expect(days.at(-1)?.figures).toBe(1);
        expect(firstOf(DAYS, new Date('2026-05-03T23:59:59.000Z'))).toEqual(days[0]?.start);
    });
});

import { timetableOf, type ScheduleTimes, type Timetable } from './timetable';
import { isTimezone, MINUTE_MS, WallClock, wallText } from './wall-clock';

const HOUR_MS = 60 * MINUTE_MS;
const at = (text: string): number => Date.parse(`${text}Z`);
const bounds = { publishedAt: at('2026-01-01T00:00'), minIntervalMs: 1_000 };
const of = (times: ScheduleTimes): Timetable => timetableOf(times, bounds);

describe('the clocks of a time zone', () => {
    it.each([
        ['UTC', '2026-07-01T12:34', '2026-07-01T12:34'],
        ['Europe/Berlin', '2026-07-01T23:30', '2026-07-02T01:30'],
        ['Europe/Berlin', '2026-12-31T23:30', '2027-01-01T00:30'],
        ['America/St_Johns', '2026-07-01T00:00', '2026-06-30T21:30'],
        ['Asia/Kathmandu', '2026-07-01T00:00', '2026-07-01T05:45'],
        ['Pacific/Kiritimati', '2026-07-01T12:00', '2026-07-02T02:00'],
        ['Australia/Lord_Howe', '2026-07-01T00:00', '2026-07-01T10:30'],
    ])('in %s show, when it is %s in UTC, %s', (zone, utc, shown) => {
        const clock = new WallClock(zone);
        expect(wallText(clock.at(at(utc) + 59_999))).toBe(shown);
        expect(clock.momentOf(at(shown))).toBe(at(utc));
    });

    it.each([
        ['Europe/Berlin', '2026-03-29T02:30'],
        ['America/New_York', '2026-03-08T02:00'],
        ['Australia/Lord_Howe', '2026-10-04T02:15'],
        // A day that this island has left out.
        ['Pacific/Apia', '2011-12-30T12:00'],
    ])('in %s never show %s', (zone, minute) => {
        expect(new WallClock(zone).momentOf(at(minute))).toBeUndefined();
    });

    it('that show a minute twice show it first while it is still summer', () => {
        expect(new WallClock('Europe/Berlin').momentOf(at('2026-10-25T02:30'))).toBe(at('2026-10-25T00:30'));
        expect(new WallClock('Australia/Lord_Howe').momentOf(at('2026-04-05T01:45'))).toBe(at('2026-04-04T14:45'));
    });

    it('are those of the server if no zone is named', () => {
        expect(new WallClock().zone).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone);
    });

    it.each([
        ['Europe/Berlin', true],
        ['UTC', true],
        ['Etc/GMT+5', true],
        ['America/Argentina/Buenos_Aires', true],
        ['Europe/Atlantis', false],
        ['+01:00', false],
        ['', false],
        ['Berlin', false],
        ['Europe/Berlin\n', false],
    ])('of %j: that is a zone: %s', (name, isZone) => {
        expect(isTimezone(name)).toBe(isZone);
    });
});

describe('a cron expression in a time zone', () => {
    const dayOf = (zone: string, cron: string, from: string, hours: number): readonly string[] => {
        const table = of({ cron, timezone: zone });
        const due: string[] = [];
        for (let now = at(from); now < at(from) + hours * HOUR_MS; now += MINUTE_MS) {
            const occurrence = table.due(now + 12_345, 0);
            if (occurrence) {
                expect(occurrence.moment).toBe(now);
                due.push(occurrence.name);
            }
        }
        return due;
    };

    it('is due in the minutes that it names, and is called after them', () => {
        expect(dayOf('Europe/Berlin', '30 2 * * *', '2026-07-01T00:00', 24)).toEqual([
            '2026-07-01T02:30 Europe/Berlin',
        ]);
        expect(dayOf('UTC', '0 */8 * * *', '2026-07-01T00:00', 24)).toEqual(
            ['00', '08', '16'].map(hour => `2026-07-01T${hour}:00 UTC`),
        );
    });

    it('is not due on the night that has no such minute, and on the night that has it twice under one name', () => {
        expect(dayOf('Europe/Berlin', '30 2 * * *', '2026-03-28T12:00', 24)).toEqual([]);
        expect(dayOf('Europe/Berlin', '30 2 * * *', '2026-10-24T12:00', 24)).toEqual(
            Array<string>(2).fill('2026-10-25T02:30 Europe/Berlin'),
        );
    });

    it('has missed the last minute that it named and that was there, and none from before', () => {
        const table = of({ cron: '30 2 * * *', timezone: 'Europe/Berlin' });
        expect(table.missed(at('2026-03-29T09:00'), at('2026-03-20T00:00'))?.name).toBe(
            '2026-03-28T02:30 Europe/Berlin',
        );
        expect(table.missed(at('2026-03-29T09:00'), at('2026-03-28T02:30'))).toBeUndefined();
        expect(table.missed(at('2026-03-30T00:30'), at('2026-03-28T02:30'))).toBeUndefined();
        expect(table.missed(at('2026-03-30T00:31'), at('2026-03-28T02:30'))).toEqual({
            at: at('2026-03-30T02:30'),
            moment: at('2026-03-30T00:30'),
            name: '2026-03-30T02:30 Europe/Berlin',
        });
        expect(table.atOf(at('2026-03-30T00:31'))).toBe(at('2026-03-30T02:31'));
    });
});

describe('an interval', () => {
    const table = of({ intervalSec: 90 });
    const { publishedAt } = bounds;

    it('is counted from the publication, and due once it has passed', () => {
        expect(table.due(publishedAt + 89_999, 0)).toBeUndefined();
        expect(table.due(publishedAt + 95_000, publishedAt + 65_000)).toEqual({
            at: publishedAt + 90_000,
            moment: publishedAt + 90_000,
            name: '2026-01-01T00:01:30.000Z (interval 1)',
        });
    });

    it('is due once however many have passed since the last look, and not when none has', () => {
        expect(table.due(publishedAt + 300_000, publishedAt + 100_000)?.name).toContain('(interval 3)');
        expect(table.due(publishedAt + 300_000, publishedAt + 270_000)).toBeUndefined();
    });

    it('is never shorter than the shop allows', () => {
        const short = timetableOf({ intervalSec: 1 }, { publishedAt, minIntervalMs: 60_000 });
        expect(short.due(publishedAt + 59_000, 0)).toBeUndefined();
        expect(short.due(publishedAt + 60_000, 0)?.name).toContain('(interval 1)');
        expect(short.scale).not.toBe(timetableOf({ intervalSec: 1 }, bounds).scale);
    });

    it('has missed a time that passed more than a minute ago', () => {
        expect(table.missed(publishedAt + 149_000, publishedAt)).toBeUndefined();
        expect(table.missed(publishedAt + 150_000, publishedAt)?.name).toContain('(interval 1)');
        expect(table.missed(publishedAt + 150_000, publishedAt + 90_000)).toBeUndefined();
        expect(table.atOf(5)).toBe(5);
    });
});

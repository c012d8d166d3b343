import { CronExpressionParser } from 'cron-parser';
import fc from 'fast-check';
import { Cron, cronProblem } from './cron';

const MINUTE = 60_000;
const at = (text: string): number => Date.parse(`${text}Z`);
const text = (wall: number): string => new Date(wall).toISOString().slice(0, 16);

describe('a cron expression', () => {
    it.each([
        ['* * * * *', '2026-03-01T00:00', true],
        ['*/15 * * * *', '2026-03-01T07:45', true],
        ['*/15 * * * *', '2026-03-01T07:50', false],
        ['0,30 8-10 * * *', '2026-03-01T10:30', true],
        ['0,30 8-10 * * *', '2026-03-01T11:00', false],
        ['10-50/20 * * * *', '2026-03-01T11:30', true],
        ['10-50/20 * * * *', '2026-03-01T11:20', false],
        ['0 0 29 2 *', '2028-02-29T00:00', true],
        ['0 0 * * 1-5', '2026-11-23T00:00', true],
        ['0 0 * * 1-5', '2026-11-22T00:00', false],
        ['0 0 * * 7', '2026-11-22T00:00', true],
        ['0 0 * * 0', '2026-11-22T00:00', true],
        ['0 0 * * 5-7', '2026-11-22T00:00', true],
        // Either day will do.
        ['0 0 13 * 5', '2026-11-13T00:00', true],
        ['0 0 13 * 5', '2026-11-20T00:00', true],
        ['0 0 13 * 5', '2026-12-13T00:00', true],
        ['0 0 13 * 5', '2026-11-12T00:00', false],
        ['  5   4 * *   * ', '2026-11-12T04:05', true],
    ])('%s: %s is %s', (expression, minute, isNamed) => {
        expect(cronProblem(expression)).toBeUndefined();
        expect(new Cron(expression).names(at(minute))).toBe(isNamed);
    });

    it.each([
        ['', 'five fields, for minute, hour, day of the month, month, day of the week'],
        ['* * * *', 'five fields'],
        ['0 * * * * *', 'five fields'],
        ['@daily', 'five fields'],
        ['0 0 * * MON', '"MON" for the day of the week; allowed: *, */n'],
        ['0 0 * JAN *', '"JAN" for the month'],
        ['0 0 L * *', '"L" for the day of the month'],
        ['0 0 ? * *', '"?" for the day of the month'],
        ['0 0 15W * *', '"15W" for the day of the month'],
        ['0 0 * * 1#2', '"1#2" for the day of the week'],
        ['H * * * *', '"H" for the minute'],
        ['5/10 * * * *', '"5/10" for the minute'],
        ['0,,1 * * * *', '"" for the minute'],
        ['1.5 * * * *', '"1.5" for the minute'],
        ['-1 * * * *', '"-1" for the minute'],
        ['60 * * * *', '60 for the minute; allowed: 0 to 59'],
        ['0 24 * * *', '24 for the hour; allowed: 0 to 23'],
        ['0 0 0 * *', '0 for the day of the month; allowed: 1 to 31'],
        ['0 0 1-32 * *', '32 for the day of the month; allowed: 1 to 31'],
        ['0 0 * 13 *', '13 for the month; allowed: 1 to 12'],
        ['0 0 * * 8', '8 for the day of the week; allowed: 0 to 7'],
        ['5-1 * * * *', 'the range 5-1 for the minute'],
        ['*/0 * * * *', 'the step 0 for the minute; allowed: 1 to 59'],
        ['*/60 * * * *', 'the step 60 for the minute; allowed: 1 to 59'],
        ['1,1 * * * *', 'a value twice for the minute; allowed: each value once'],
        ['0 0 * 2,1-3 *', 'a value twice for the month'],
        ['0 0 * * 0,7', 'a value twice for the day of the week'],
        ['* */6,12 * * *', 'a value twice for the hour'],
        ['0 0 31 2 *', 'names days that none of its months has; allowed: days that come'],
        ['0 0 30 2 *', 'days that come'],
        ['0 0 31 4,6 *', 'days that come'],
        [`${'1,'.repeat(200)}1 * * * *`, 'at most 256'],
    ])('%s is rejected, with what is allowed', (expression, problem) => {
        expect(cronProblem(expression)?.message).toContain(problem);
    });

    const field = (min: number, max: number): fc.Arbitrary<string> => {
        const value = fc.integer({ min, max });
        const item = fc.oneof(
            value.map(String),
            fc.tuple(value, value).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
            fc
                .tuple(value, value, fc.integer({ min: 1, max: 7 }))
                .map(([a, b, n]) => `${Math.min(a, b)}-${Math.max(a, b)}/${n}`),
        );
        return fc.oneof(
            { weight: 2, arbitrary: fc.constant('*') },
            fc.integer({ min: 1, max: Math.min(20, max) }).map(n => `*/${n}`),
            fc.array(item, { minLength: 1, maxLength: 3 }).map(items => items.join(',')),
        );
    };
    const expressions = fc
        .tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 7))
        .map(fields => fields.join(' '))
        .filter(expression => cronProblem(expression) === undefined);
    const minutes = fc
        .integer({ min: at('2024-01-01T00:00') / MINUTE, max: at('2032-12-31T23:59') / MINUTE })
        .map(minute => minute * MINUTE);

    it('matches the next time of the library, and no time before it', () => {
        fc.assert(
            fc.property(expressions, minutes, (expression, from) => {
                const cron = new Cron(expression);
                const next = CronExpressionParser.parse(expression, { currentDate: new Date(from), tz: 'UTC' })
                    .next()
                    .getTime();
                expect(cron.names(next)).toBe(true);
                for (let minute = from + MINUTE; minute < next && minute < from + 3000 * MINUTE; minute += MINUTE)
                    if (cron.names(minute)) throw new Error(`${expression} names ${text(minute)} before ${text(next)}`);
                expect(cron.backwards(next + MINUTE, from).next().value).toBe(next);
                expect(cron.backwards(next, from).next().value).toBeUndefined();
            }),
            { numRuns: 200 },
        );
    });

    it('finds all that it has named, the latest first', () => {
        const cron = new Cron('0,30 6,18 * * *');
        expect([...cron.backwards(at('2026-03-02T18:30'), at('2026-03-01T18:00'))].map(text)).toEqual([
            '2026-03-02T18:00',
            '2026-03-02T06:30',
            '2026-03-02T06:00',
            '2026-03-01T18:30',
        ]);
    });
});

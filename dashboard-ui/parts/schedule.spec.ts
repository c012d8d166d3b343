import { timingOf } from './schedule';

describe('a schedule', () => {
    it.each([
        [{ intervalSec: 60 }, { every: 'minute', count: 1 }],
        [{ intervalSec: 5_400 }, { every: 'minute', count: 90 }],
        [{ intervalSec: 172_800 }, { every: 'day', count: 2 }],
        [{ cron: '* * * * *' }, { every: 'minute', count: 1 }],
        [{ cron: '*/15 * * * *' }, { every: 'minute', count: 15 }],
        [{ cron: '5 * * * *' }, { hourlyAt: 5 }],
        [{ cron: ' 0  6 * * * ' }, { at: '06:00', on: 'days' }],
        [{ cron: '30 6 * * 1-5' }, { at: '06:30', on: 'weekdays' }],
        [{ cron: '0 6 * * 7' }, { at: '06:00', on: 0 }],
        [{ cron: '0 6 1 * *' }, { cron: '0 6 1 * *' }],
        [{ cron: '0 6 * * 1,3' }, { cron: '0 6 * * 1,3' }],
        [{ cron: '0 6-8 * * *' }, { cron: '0 6-8 * * *' }],
    ])('%j is recognised', (config, timing) => expect(timingOf(config)).toEqual(timing));

    it('that says nothing yet has no words', () => {
        expect(timingOf({})).toBeUndefined();
        expect(timingOf({ cron: ' ' })).toBeUndefined();
        expect(timingOf({ intervalSec: 0 })).toBeUndefined();
    });
});

import { parseWith } from '../schema/issues';
import { schedule } from './schedule';

describe('a SCHEDULE trigger', () => {
    it.each([{ cron: '0 6 * * 1-5' }, { cron: '0 6 * * *', timezone: 'Europe/Berlin' }, { intervalSec: 300 }])(
        'may have %j',
        config => {
            expect(schedule.config.parse(config)).toEqual({ enabled: true, ...config });
        },
    );

    it.each([
        [{}, 'neither cron nor intervalSec; allowed: exactly one of them'],
        [{ cron: '* * * * *', intervalSec: 60 }, 'both cron and intervalSec; allowed: exactly one of them'],
        [{ cron: '* * *' }, 'cron is "* * *"; allowed: five fields'],
        [
            { cron: '0 6 * * *', timezone: 'Mars/Olympus' },
            'timezone is "Mars/Olympus"; allowed: the name of a time zone',
        ],
        [{ intervalSec: 0 }, 'intervalSec is 0; allowed: 1 to 31536000'],
        [{ intervalSec: 1.5 }, 'intervalSec is 1.5'],
        [{ intervalSec: 40_000_000 }, 'intervalSec is 40000000; allowed: 1 to 31536000'],
    ])('may not have %j', (config, problem) => {
        const parsed = parseWith(schedule.config, config, 'steps.0.config');
        const messages = parsed.ok ? [] : parsed.issues.map(({ message }) => message);
        expect(messages.join('\n')).toContain(problem);
    });

    it('is warned of a time zone that an interval does not care about', () => {
        const timezone = 'Europe/Berlin';
        expect(schedule.advise?.({ enabled: true, intervalSec: 60, timezone })).toMatchObject([
            { code: 'WITHOUT_EFFECT', path: 'timezone' },
        ]);
        expect(schedule.advise?.({ enabled: true, cron: '0 6 * * *', timezone })).toEqual([]);
    });
});

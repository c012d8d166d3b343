import type { JsonObject } from '../value/json';
import { triggerText } from './trigger-text';

describe('a trigger', () => {
    it.each<[JsonObject, string]>([
        [{ type: 'MANUAL' }, 'by hand'],
        [{ type: 'SCHEDULE', cron: '0 6 * * *', timezone: 'Europe/Berlin' }, 'daily at 06:00 (Europe/Berlin)'],
        [{ type: 'SCHEDULE', cron: '*/15 * * * *' }, 'every 15 minutes'],
        [{ type: 'SCHEDULE', cron: '* * * * *' }, 'every minute'],
        [{ type: 'SCHEDULE', cron: '5 * * * *' }, 'hourly at minute 5'],
        [{ type: 'SCHEDULE', cron: '30 22 * * 1-5' }, 'on weekdays at 22:30'],
        [{ type: 'SCHEDULE', cron: '0 7 * * 7' }, 'Sundays at 07:00'],
        [{ type: 'SCHEDULE', cron: '0 6 1 * *' }, 'at 0 6 1 * *'],
        [{ type: 'SCHEDULE', cron: '0,30 6-8 * * 2' }, 'at 0,30 6-8 * * 2'],
        [{ type: 'SCHEDULE', intervalSec: 3600 }, 'every hour'],
        [{ type: 'SCHEDULE', intervalSec: 5400 }, 'every 90 minutes'],
        [{ type: 'SCHEDULE', intervalSec: 61 }, 'every 61 seconds'],
        [{ type: 'WEBHOOK', authentication: 'HMAC' }, 'posts (HMAC)'],
        [{ type: 'EVENT', event: 'OrderPlacedEvent' }, 'OrderPlacedEvent of the shop'],
        [{ type: 'FILE', fileWatch: { connectionCode: 'erp', path: '/in' } }, 'files in /in (erp)'],
        [{ type: 'MESSAGE', message: { connectionCode: 'erp', queueName: 'stock' } }, 'messages of stock (erp)'],
    ])('%j is described as %s', (config, text) => {
        expect(triggerText(config)).toBe(text);
    });
});

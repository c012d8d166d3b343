import { setUp } from '../../src/plugin/setup';
import { WEBHOOK_MODES } from '../../src/core/triggers/webhook';
import type { JsonObject } from '../../src/core/value/json';
import * as jsonSchema from '../form/json-schema';
import { textsIn, withMacros } from '../i18n/with-texts.fixture';
import * as schedule from './schedule';

const { startsByHand, triggerText } = withMacros<typeof import('./trigger-text')>('parts/trigger-text.ts', {
    '../form/json-schema': jsonSchema,
    './schedule': schedule,
});
const DAYS = { en: ['Sunday', 'Monday'], de: ['Sonntag', 'Montag'] };

async function told(language: 'en' | 'de', config: JsonObject): Promise<string> {
    const trigger = { type: String(config['type']), text: 'as the server says', config };
    return triggerText(await textsIn(language), trigger, day => DAYS[language][day]!);
}

describe('what a trigger waits for', () => {
    it.each<[JsonObject, string, string]>([
        [{ type: 'MANUAL' }, 'Manual', 'Manuell'],
        [{ type: 'SCHEDULE', intervalSec: 3_600 }, 'every hour', 'jede Stunde'],
        [{ type: 'SCHEDULE', intervalSec: 5_400, timezone: 'UTC' }, 'every 90 minutes', 'alle 90 Minuten'],
        [{ type: 'SCHEDULE', cron: '5 * * * *' }, 'hourly at minute 5', 'stündlich zur Minute 5'],
        [{ type: 'SCHEDULE', cron: '0 6 * * *', timezone: 'UTC' }, 'daily at 06:00 (UTC)', 'täglich um 06:00 (UTC)'],
        [{ type: 'SCHEDULE', cron: '30 6 * * 1-5' }, 'on weekdays at 06:30', 'werktags um 06:30'],
        [{ type: 'SCHEDULE', cron: '0 6 * * 1' }, 'every Monday at 06:00', 'jeden Montag um 06:00'],
        [{ type: 'SCHEDULE', cron: '0 6 1 * *' }, 'at 0 6 1 * *', 'bei 0 6 1 * *'],
        [{ type: 'SCHEDULE' }, 'as the server says', 'as the server says'],
        [{ type: 'WEBHOOK', authentication: 'API_KEY' }, 'requests with an API key', 'Anfragen mit API-Schlüssel'],
        [{ type: 'WEBHOOK', authentication: 'HMAC' }, 'signed requests (HMAC)', 'signierte Anfragen (HMAC)'],
        [{ type: 'WEBHOOK', authentication: 'NEWER' }, 'requests (NEWER)', 'Anfragen (NEWER)'],
        [{ type: 'WEBHOOK' }, 'requests (?)', 'Anfragen (?)'],
        [{ type: 'EVENT', event: 'OrderPlacedEvent' }, 'OrderPlacedEvent event', 'Ereignis OrderPlacedEvent'],
        [
            { type: 'FILE', fileWatch: { connectionCode: 'erp', path: '/in' } },
            'files in /in (erp)',
            'Dateien in /in (erp)',
        ],
        [{ type: 'FILE', fileWatch: null }, 'files in ? (?)', 'Dateien in ? (?)'],
        [
            { type: 'MESSAGE', message: { connectionCode: 'erp', queueName: 'stock' } },
            'messages of stock (erp)',
            'Nachrichten aus stock (erp)',
        ],
        [{ type: 'NEWER' }, 'as the server says', 'as the server says'],
    ])('%j is described as %s, and as %s', async (config, english, german) => {
        expect([await told('en', config), await told('de', config)]).toEqual([english, german]);
    });

    it('has a separate German text for every type', async () => {
        const types = setUp({}).registry.definitions.filter(({ kind }) => kind === 'trigger');
        expect(types.length).toBeGreaterThan(5);
        for (const { code } of types) {
            const config = { type: code, intervalSec: 60 };
            const texts = [await told('en', config), await told('de', config), 'as the server says'];
            expect({ code, different: new Set(texts).size }).toEqual({
                code,
                different: 3,
            });
        }
    });

    it('has a separate text for every mode of authentication', async () => {
        for (const language of ['en', 'de'] as const) {
            const texts = await Promise.all(
                WEBHOOK_MODES.map(authentication => told(language, { type: 'WEBHOOK', authentication })),
            );
            expect(new Set(texts).size).toBe(WEBHOOK_MODES.length);
            // A mode without words would be shown as its code.
            expect(texts.filter(text => /\((?!HMAC|JWT)[A-Z_]+\)/.test(text))).toEqual([]);
        }
    });
});

describe('a revision', () => {
    it.each([
        [
            'by a trigger for people',
            [
                { type: 'FILE', enabled: true },
                { type: 'MANUAL', enabled: true },
            ],
            true,
        ],
        ['by none that is disabled', [{ type: 'MANUAL', enabled: false }], false],
        ['by none of another kind', [{ type: 'SCHEDULE', enabled: true }], false],
    ])('is started by hand %s', (_, triggers, expected) => {
        expect(startsByHand(triggers)).toBe(expected);
    });
});

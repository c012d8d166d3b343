import type { JsonValue } from '../../value/json';
import { localeHint } from './locale-hint';

describe('the hint for numbers of a locale', () => {
    it.each<JsonValue>(['1.036,00', '1,234', ' -12,5 ', "1'234.50", '1 234,5'])('names parseNumber for %j', value => {
        expect(localeHint(value)).toContain('parseNumber');
    });

    it.each<JsonValue | undefined>(['12,50 €', 'on request', '', true, null, ['1,5'], undefined])(
        'is empty for %j',
        value => {
            expect(localeHint(value)).toBe('');
        },
    );
});

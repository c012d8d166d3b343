import type { JsonValue } from '../../value/json';
import { isLocaleNumber } from './locale-number';

describe('a number of a locale', () => {
    it.each<JsonValue>(['1.036,00', '1,234', ' -12,5 ', "1'234.50", '1 234,5'])('is %j', value => {
        expect(isLocaleNumber(value)).toBe(true);
    });

    it.each<JsonValue | undefined>(['12,50 €', 'on request', '', true, null, ['1,5'], undefined])(
        'is not %j',
        value => {
            expect(isLocaleNumber(value)).toBe(false);
        },
    );
});

import { naming } from '../../../test/kit/naming';
import { cdcConfig } from './cdc-config';
import { checkTracked } from './cdc-values';

const config = (databaseType: 'POSTGRES' | 'MYSQL', trackingType: 'TIMESTAMP' | 'VERSION') =>
    cdcConfig.parse({
        connectionCode: 'erp',
        databaseType,
        table: 't',
        trackingColumn: 'c',
        trackingType,
        primaryKey: 'id',
    });

describe('a value of the tracking column that a user has entered', () => {
    it.each([
        ['POSTGRES', 'TIMESTAMP', '2026-01-01 00:33:20.123456+00'],
        ['POSTGRES', 'TIMESTAMP', '2026-01-01T00:33:20Z'],
        ['POSTGRES', 'TIMESTAMP', '0044-03-15 12:00:00 BC'],
        ['POSTGRES', 'TIMESTAMP', '2026-01-31'],
        ['MYSQL', 'TIMESTAMP', '2024-02-29 23:59:59.999999'],
        ['MYSQL', 'TIMESTAMP', '0000-00-00 00:00:00'],
        ['MYSQL', 'VERSION', '18446744073709551615'],
        ['POSTGRES', 'VERSION', '1.50'],
    ] as const)('%s %s takes %s', (databaseType, trackingType, value) => {
        expect(() => checkTracked(config(databaseType, trackingType), value)).not.toThrow();
    });

    it.each([
        ['MYSQL', 'TIMESTAMP', 'nonsense'],
        ['MYSQL', 'TIMESTAMP', '99'],
        ['MYSQL', 'TIMESTAMP', ' 2026-01-31'],
        ['MYSQL', 'TIMESTAMP', '2026-02-29 00:00:00'],
        ['MYSQL', 'TIMESTAMP', '2026-13-01'],
        ['MYSQL', 'TIMESTAMP', '2026-01-31 24:30:00'],
        ['MYSQL', 'TIMESTAMP', '2026-01-31 00:00:00+02:00'],
        ['POSTGRES', 'TIMESTAMP', '31.01.2026'],
        ['POSTGRES', 'TIMESTAMP', '2026-01-31+00'],
        ['POSTGRES', 'VERSION', '2026-01-31'],
        ['MYSQL', 'VERSION', '1e3'],
    ] as const)('%s %s rejects %s', (databaseType, trackingType, value) => {
        expect(() => checkTracked(config(databaseType, trackingType), value)).toThrow(
            expect.objectContaining({
                code: 'INPUT_INVALID',
                message: expect.stringMatching(naming('trackingValue', `"${value}"`)),
            }),
        );
    });
});

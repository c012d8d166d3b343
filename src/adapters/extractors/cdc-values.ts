import { flowError } from '../../core/errors/flow-error';
import { show } from '../../core/value/show';
import type { CdcConfig } from './cdc-config';

const NUMBER = /^-?\d+(\.\d+)?$/;
const DATE = String.raw`(\d{4,6})-(\d{2})-(\d{2})`;
const TIME = String.raw`[ T]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?`;
const ZONE = String.raw`( ?(Z|[+-]\d{2}(:?\d{2}){0,2}))?`;
const MOMENTS = {
    POSTGRES: new RegExp(`^${DATE}(${TIME}${ZONE})?( BC)?$`),
    MYSQL: new RegExp(`^${DATE}(${TIME})?$`),
} as const;

/**
 * Throws INPUT_INVALID if a value of the tracking column, entered by a user, is invalid. MySQL and MariaDB would accept
 * it silently: each poll would compare with it and find no later row. They would also ignore a time zone.
 */
export function checkTracked({ databaseType, trackingType }: CdcConfig, value: string): void {
    const isGood = trackingType === 'VERSION' ? NUMBER.test(value) : isMoment(value, databaseType);
    if (isGood) return;
    const allowed =
        trackingType === 'VERSION'
            ? 'a number, such as 1042'
            : databaseType === 'POSTGRES'
              ? 'a moment as PostgreSQL writes it, such as 2026-01-31 14:30:00.123456+00'
              : 'a moment as MySQL writes it, without a zone, such as 2026-01-31 14:30:00.123456';
    throw flowError('INPUT_INVALID', { problem: `trackingValue is ${show(value)}; allowed: ${allowed}` });
}

function isMoment(value: string, databaseType: CdcConfig['databaseType']): boolean {
    const [, year, month, day] = MOMENTS[databaseType].exec(value) ?? [];
    if (day === undefined || Number(month) > 12) return false;
    // The zero date of MySQL has neither month nor day.
    return Number(day) <= new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
}

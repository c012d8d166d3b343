import type { I18n } from '@lingui/core';
import { t } from '@lingui/core/macro';

/** The place of a record in its source, in the language of the page. Other parts, such as the path in an archive, are shown as the server sends them. */
export function placeText(i18n: I18n, place: string): string {
    const [, unit, number, column] = /^(line|row|record) (\d+)(?:, column (\d+))?$/.exec(place) ?? [];
    if (unit === 'line' && column !== undefined)
        return t(i18n)({ message: `line ${number}, column ${column}`, context: 'flow records' });
    if (column !== undefined) return place;
    switch (unit) {
        case 'line':
            return t(i18n)({ message: `line ${number}`, context: 'flow records' });
        case 'row':
            return t(i18n)({ message: `row ${number}`, context: 'flow records' });
        case 'record':
            return t(i18n)({ message: `record ${number}`, context: 'flow records' });
        default:
            return place;
    }
}

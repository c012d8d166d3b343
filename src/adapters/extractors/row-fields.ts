import { type Advice, withoutEffect } from '../../core/adapter/base';
import { GROUPS, inGroup } from '../../core/schema/groups';
import { wholeNumber } from '../../core/schema/fields';
import type { RowRules } from '../../io/formats/row-selection';
import { clause, type FactText } from '../../core/errors/rendered';

const MAX_SKIPPED = 100;

/** Which rows of a table are skipped, of every extractor of tables. */
export const rowFields = inGroup(GROUPS.rows, {
    headerRow: wholeNumber(
        { min: 1, max: 10_000 },
        {
            title: 'Header row',
            description:
                'The row with the column names, counted from 1 as a spreadsheet numbers rows, including empty ones. The rows above it are skipped.',
        },
    ).default(1),
    skipAfterHeader: wholeNumber(
        { min: 0, max: MAX_SKIPPED },
        {
            title: 'Skip after the header',
            description:
                'The number of rows after the header that are skipped, for example a row with units. Empty rows do not count.',
        },
    ).default(0),
    skipAtEnd: wholeNumber(
        { min: 0, max: MAX_SKIPPED },
        {
            title: 'Skip at the end',
            description: 'The number of rows at the end that are skipped, for example totals. Empty rows do not count.',
        },
    ).default(0),
});

/** Notes about skipped rows. */
export const rowNotes = [
    'Rows that are skipped by headerRow, skipAfterHeader and skipAtEnd may have any number of cells. Line and row numbers in messages are those of the file. If the header row is empty, the next row that is not empty is the header.',
];

/** Reports what cannot be skipped because the table has no header. `headerField` is the name of the field that says so. */
export function checkRowFields(
    { headerRow, skipAfterHeader }: RowRules,
    { hasHeader, headerField }: { readonly hasHeader: boolean; readonly headerField: string },
    issue: (path: string, problem: FactText) => void,
): void {
    if (hasHeader) return;
    const problem = clause`has no effect without a header: set ${headerField} to true`;
    if (headerRow !== undefined && headerRow > 1) issue('headerRow', problem);
    if (skipAfterHeader !== undefined && skipAfterHeader > 0) issue('skipAfterHeader', problem);
}

/** Warns of each of the fields that is set although it has no effect. */
export function adviseRowFields(
    { headerRow = 1, skipAfterHeader = 0, skipAtEnd = 0 }: RowRules,
    why: FactText,
): Advice[] {
    return [
        ...(headerRow > 1 ? [withoutEffect('headerRow', why)] : []),
        ...(skipAfterHeader > 0 ? [withoutEffect('skipAfterHeader', why)] : []),
        ...(skipAtEnd > 0 ? [withoutEffect('skipAtEnd', why)] : []),
    ];
}

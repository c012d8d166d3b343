import { z } from 'zod';
import type { JsonValue } from '../../core/value/json';
import { pathOf } from '../../core/data/path';
import type { EmptyValues } from '../../io/formats/empty-values';

const column = z.string().min(1).max(255);

/** The column by which the rows of a table are joined to records. */
export const groupBy = z
    .union([
        column,
        z.strictObject({
            column: column.meta({ title: 'Column', description: 'The name of the column.' }),
            continued: z.boolean().default(false).meta({
                title: 'Continued',
                description: 'Rows that leave the column empty or blank belong to the row before them.',
            }),
            apart: z.boolean().default(false).meta({
                title: 'Rows may be apart',
                description:
                    'Joins rows with the same value that do not follow each other, too. All rows are held in memory until the end of the source, at most 100,000.',
            }),
        }),
    ])
    .optional()
    .meta({
        title: 'Group by',
        description:
            'A column, or {column, continued, apart}. Consecutive rows with the same value in it become one record: that column, and the rows as a list under rows. With continued, rows that leave the column empty continue the group. With apart, rows with the same value need not follow each other.',
    });

/** Notes that apply to every extractor that groups rows. */
export const groupNotes = [
    'groupBy joins consecutive rows. If rows with the same value are apart, set groupBy.apart: it holds all rows in memory, at most 100,000 rows and 64 MiB of text; sort a larger file instead. A group has at most 10,000 rows.',
    'A row that cannot be read rejects its whole group, so that no record is loaded without one of its rows; the reason names the row. If such a row does not have the column, it belongs to the group before it.',
];

/** How rows are joined. */
export interface Grouping {
    readonly column: string;
    /** Rows that leave the column empty belong to the row before them. */
    readonly continued: boolean;
    /** Rows with the same value need not follow each other. */
    readonly apart: boolean;
    readonly emptyValues: EmptyValues;
    /** What an empty cell is in the rows that come in. */
    readonly empty: '' | null;
}

type GroupBy = z.output<typeof groupBy>;

/** The grouping that a step configures; undefined if it has none. */
export function groupingOf(given: GroupBy, how: EmptyValues, empty: Grouping['empty']): Grouping | undefined {
    if (given === undefined) return undefined;
    const grouping = typeof given === 'string' ? { column: given, continued: false, apart: false } : given;
    return { ...grouping, emptyValues: how, empty };
}

/** True if the column is empty in a row. A cell of blanks counts as empty, because it is never meant as a name. */
export function isEmptyColumn(value: JsonValue): boolean {
    return value === null || (typeof value === 'string' && value.trim() === '');
}

/** Reports issues of the column to group by. */
export function checkGroupBy(given: GroupBy, cx: z.RefinementCtx): void {
    const name = typeof given === 'string' ? given : given?.column;
    if (name !== 'rows' && name !== '__proto__') return;
    const path = typeof given === 'string' ? ['groupBy'] : ['groupBy', 'column'];
    cx.addIssue({
        code: 'custom',
        path,
        message: `allowed: any column but "${pathOf(name)}", which the group itself has`,
    });
}

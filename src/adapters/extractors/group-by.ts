import { clause, type FactText } from '../../core/errors/rendered';
import { z } from 'zod';
import type { JsonValue } from '../../core/value/json';
import { pathOf } from '../../core/data/path';
import { unpadded } from '../../core/data/unpadded';
import type { EmptyValues } from '../../io/formats/empty-values';
import { addIssue } from '../../core/schema/issues';

const column = z.string().min(1).max(255);

/** The column by which the rows of a table are joined to records. */
export const groupBy = z
    .union([
        column,
        z.strictObject({
            column: column.meta({ title: 'Column', description: 'The name of the column.' }),
            continued: z.boolean().default(false).meta({
                title: 'Continued',
                description: 'Rows whose column is empty or blank belong to the row before them.',
            }),
            apart: z.boolean().default(false).meta({
                title: 'Rows may be apart',
                description:
                    'Also joins rows with the same value that are not consecutive. All rows are kept in memory until the end of the source, at most 100,000.',
            }),
            fallback: column.optional().meta({
                title: 'Fallback column',
                description:
                    'The column whose value is used if the group column is empty or blank, for example for a parent whose variants name its SKU. Requires apart.',
            }),
        }),
    ])
    .optional()
    .meta({
        title: 'Group by',
        description:
            'A column, or {column, continued, apart, fallback}. Consecutive rows with the same value in this column become one record, with the column and the list of rows under "rows". With continued, rows with an empty column continue the group. With apart, rows with the same value do not have to be consecutive; with fallback, rows with an empty column take the value from another column.',
    });

/** Notes that apply to every extractor that groups rows. */
export const groupNotes = [
    'groupBy joins consecutive rows. If rows with the same value are apart, set groupBy.apart: it keeps all rows in memory, at most 100,000 rows and 64 MiB of text; sort a larger file instead. A group has at most 10,000 rows.',
    'Rows with an empty column have nothing in common: each becomes its own record, unless continued or fallback defines its group.',
    'If a row cannot be read, its whole group is rejected, so that no record is loaded without one of its rows; the reason names the row. A row too short to contain the column belongs to the group before it.',
];

/** How rows are joined. */
export interface Grouping {
    readonly column: string;
    /** Rows that leave the column empty belong to the row before them. */
    readonly continued: boolean;
    /** Rows with the same value need not follow each other. */
    readonly apart: boolean;
    /** The column with the value of rows that leave `column` empty; only with `apart`. */
    readonly fallback?: string | undefined;
    readonly emptyValues: EmptyValues;
    /** What an empty cell is in the rows that come in. */
    readonly empty: '' | null;
}

/** As the schema has checked it. */
export type GroupBy = z.output<typeof groupBy>;
type GroupByColumn = Exclude<GroupBy, string | undefined>;

/** The grouping that a step configures; undefined if it has none. */
export function groupingOf(given: GroupBy, how: EmptyValues, empty: Grouping['empty']): Grouping | undefined {
    if (given === undefined) return undefined;
    const grouping = typeof given === 'string' ? { column: given, continued: false, apart: false } : given;
    return { ...grouping, emptyValues: how, empty };
}

/** True if the column is empty in a row. A cell of blanks and invisible characters counts as empty, because it is never meant as a name. */
export function isEmptyColumn(value: JsonValue): boolean {
    return value === null || (typeof value === 'string' && unpadded(value) === '');
}

/** Whether rows with these values in the column belong together. Rows that leave it empty have nothing in common. */
export function isSameGroup(one: JsonValue, other: JsonValue): boolean {
    return one === other && !isEmptyColumn(one);
}

/** Issues of the column to group by, with their paths. */
export function groupByProblems(given: GroupBy): ReadonlyArray<{ readonly path: string; readonly problem: FactText }> {
    const name = typeof given === 'string' ? given : given?.column;
    const isReserved = name === 'rows' || name === '__proto__';
    return [
        ...(isReserved
            ? [
                  {
                      path: typeof given === 'string' ? 'groupBy' : 'groupBy.column',
                      problem: clause`allowed: any column but "${pathOf(name)}", which the group itself has`,
                  },
              ]
            : []),
        ...(typeof given === 'object' ? fallbackProblems(given) : []),
    ];
}

/** Reports issues of the column to group by. */
export function checkGroupBy(given: GroupBy, cx: z.RefinementCtx): void {
    for (const { path, problem } of groupByProblems(given)) addIssue(cx, problem, path.split('.'));
}

function fallbackProblems({
    column: name,
    fallback,
    apart,
    continued,
}: GroupByColumn): ReturnType<typeof groupByProblems> {
    if (fallback === undefined) return [];
    const problems = [
        ...(apart ? [] : [clause`allowed only with apart: true`]),
        ...(continued ? [clause`not allowed with continued, which puts the same rows into the group before them`] : []),
        ...(fallback === name ? [clause`allowed: any column but "${pathOf(name)}", the column itself`] : []),
    ];
    return problems.map(problem => ({ path: 'groupBy.fallback', problem }));
}

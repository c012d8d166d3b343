import { clause } from '../../errors/rendered';
import { z } from 'zod';
import { withoutEffect } from '../../adapter/base';
import { recordOperator } from '../../adapter/operator';
import { compilePath, segmentsOf } from '../../data/path';
import { unpadded } from '../../data/unpadded';
import { HOLDER_WEIGHT, VALUE_WEIGHT } from '../../data/weight';
import { path, paths } from '../../schema/fields';
import type { JsonObject, JsonValue } from '../../value/json';

const MAX_TEXT = 255;

/** Makes a list of rows out of columns that hold the same thing for several options. */
export const columnsToRows = recordOperator({
    code: 'columnsToRows',
    category: 'Data',
    title: 'Columns to rows',
    summary: 'Makes one row of a list for each of several columns, such as the sizes S, M and L.',
    config: z.strictObject({
        columns: paths('Columns', 'The fields to turn into rows, in this order.'),
        nameField: path('Field for the name', 'The field of a row for the name of its column.'),
        valueField: path('Field for the value', 'The field of a row for the value of its column.'),
        names: z.record(z.string().min(1).max(512), z.string().min(1).max(MAX_TEXT)).default({}).meta({
            title: 'Names',
            description:
                'Names to use instead of those of the columns, by column: {"Stock S": "S"}. Default: the names of the columns.',
            widget: 'json',
        }),
        target: path('To', 'The field for the list of rows.').default('rows'),
        mergeParent: z.boolean().default(true).meta({
            title: 'Merge parent',
            description: 'Copies all other fields of the record into each row, so that a row is complete.',
        }),
        keepEmpty: z.boolean().default(false).meta({
            title: 'Keep empty columns',
            description: 'Also makes a row for a column without a value. Otherwise, the column gets no row.',
        }),
    }),
    notes: [
        'The columns are removed from the record; the other fields remain. Text that is empty or blank counts as no value.',
        'To build variants, continue with rowsToProduct.',
    ],
    examples: [
        {
            args: { columns: ['S', 'M', 'L'], nameField: 'size', valueField: 'stock' },
            in: { sku: 'H1', name: 'Hemd', S: '5', M: '', L: '2' },
            out: {
                sku: 'H1',
                name: 'Hemd',
                rows: [
                    { sku: 'H1', name: 'Hemd', size: 'S', stock: '5' },
                    { sku: 'H1', name: 'Hemd', size: 'L', stock: '2' },
                ],
            },
        },
        {
            args: {
                columns: ['Bestand S', 'Bestand M'],
                nameField: 'size',
                valueField: 'stock',
                names: { 'Bestand S': 'S', 'Bestand M': 'M' },
                target: 'variants',
                mergeParent: false,
                keepEmpty: true,
            },
            in: { name: 'Hemd', 'Bestand S': 5 },
            out: {
                name: 'Hemd',
                variants: [
                    { size: 'S', stock: 5 },
                    { size: 'M', stock: null },
                ],
            },
        },
        {
            args: { columns: ['S'], nameField: 'size', valueField: 'stock' },
            in: { sku: 'H1' },
            out: { sku: 'H1', rows: [] },
            note: 'A column without a value does not get a row.',
        },
    ],
    advise: ({ columns, names }) =>
        Object.keys(names).flatMap(column =>
            columns.includes(column)
                ? []
                : [withoutEffect(`names.${column}`, clause`because columns does not name it`)],
        ),
    reads: () => [],
    compile({ columns, nameField, valueField, names, target, mergeParent, keepEmpty }, { bounds }) {
        const list = bounds.field(target);
        const name = compilePath(nameField);
        const value = compilePath(valueField);
        const fields = columns.map(column => ({
            from: compilePath(column),
            name: Object.hasOwn(names, column) ? names[column]! : nameOf(column),
        }));
        return data => {
            const rest = fields.reduce((record, { from }) => from.unset(record), data);
            const parent: JsonObject = mergeParent ? rest : {};
            const size = HOLDER_WEIGHT + VALUE_WEIGHT * Object.keys(parent).length;
            const rows: JsonObject[] = [];
            for (const field of fields) {
                const cell = field.from.get(data);
                if (isEmpty(cell) && !keepEmpty) continue;
                bounds.count(target, size);
                rows.push(value.set(name.set(parent, field.name), cell ?? null));
            }
            return list.set(rest, rows);
        };
    },
});

/** The name of the field at the end of a path. */
function nameOf(column: string): string {
    const segments = segmentsOf(column);
    return 'message' in segments ? column : segments.at(-1)!;
}

function isEmpty(value: JsonValue | undefined): boolean {
    return value === undefined || value === null || (typeof value === 'string' && unpadded(value) === '');
}

import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { path } from '../../schema/fields';

/** Moves a value to another field. */
export const rename = recordOperator({
    code: 'rename',
    category: 'Data',
    title: 'Rename a field',
    summary: 'Moves a field to another path.',
    config: z.strictObject({
        from: path('From', 'The current path of the field.'),
        to: path('To', 'The new path. A field that already exists there is replaced.'),
    }),
    examples: [
        { args: { from: 'Größe', to: 'size' }, in: { Größe: 'M' }, out: { size: 'M' } },
        {
            args: { from: 'name', to: 'name.de' },
            in: { name: 'Tür' },
            out: { name: { de: 'Tür' } },
            note: 'A field can move into an object with the same name.',
        },
        { args: { from: 'a', to: 'b' }, in: { a: null, b: 1 }, out: { b: null } },
        {
            args: { from: 'a', to: 'b' },
            in: { b: 1 },
            out: { b: 1 },
            note: 'A record without the field is left unchanged.',
        },
        { args: { from: 'a', to: 'a' }, in: { a: [] }, out: { a: [] } },
    ],
    reads: ({ from }) => [from],
    compile(args, { bounds }) {
        const from = compilePath(args.from);
        const to = bounds.place(args.to);
        return data => {
            const value = from.get(data);
            return value === undefined ? data : to.set(from.unset(data), value);
        };
    },
});

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
        from: path('From', 'The field as it is called now.'),
        to: path('To', 'What it is to be called; a field that is there already is replaced.'),
    }),
    examples: [
        { args: { from: 'Größe', to: 'size' }, in: { Größe: 'M' }, out: { size: 'M' } },
        {
            args: { from: 'name', to: 'name.de' },
            in: { name: 'Tür' },
            out: { name: { de: 'Tür' } },
            note: 'A field may move into an object of its own name.',
        },
        { args: { from: 'a', to: 'b' }, in: { a: null, b: 1 }, out: { b: null } },
        {
            args: { from: 'a', to: 'b' },
            in: { b: 1 },
            out: { b: 1 },
            note: 'Nothing to rename: the record stays as it is.',
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

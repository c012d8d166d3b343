import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { paths } from '../../schema/fields';

/** Takes some fields away (spec 3, `omit`). */
export const omit = recordOperator({
    code: 'omit', category: 'JSON', title: 'Omit fields',
    summary: 'Takes the named fields away and keeps all others.',
    config: z.strictObject({ fields: paths('Fields', 'What goes; a field that a record does not have is passed over.') }),
    notes: ['They go one after another: once the first element of a list is gone, the second is the first.'],
    examples: [
        { args: { fields: ['x', 'brand.id'] }, in: { sku: 'A', brand: { name: 'Č', id: 1 }, x: 1 }, out: { sku: 'A', brand: { name: 'Č' } } },
        { args: { fields: ['nothing', 'sku.deep'] }, in: { sku: 'A' }, out: { sku: 'A' } },
        { args: { fields: ['a.0'] }, in: { a: ['x', 'y'] }, out: { a: ['y'] } },
        { args: { fields: ['a'] }, in: { a: null }, out: {} },
    ],
    compile({ fields }) {
        const gone = fields.map(compilePath);
        return data => {
            let out = data;
            for (const field of gone) out = field.unset(out);
            return out;
        };
    },
});

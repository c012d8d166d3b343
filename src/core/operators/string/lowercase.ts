import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { path } from '../../schema/fields';
import { CHANGED_IN_PLACE, changeText } from './change-text';

/** Converts text to lower case. */
export const lowercase = recordOperator({
    code: 'lowercase',
    category: 'String',
    title: 'Lower case',
    summary: 'Turns the letters of a text into small ones.',
    config: z.strictObject({ path: path('Field', `The text. ${CHANGED_IN_PLACE}`) }),
    notes: ['The same in every locale: "I" becomes "i", also on a Turkish server.'],
    examples: [
        { args: { path: 'sku' }, in: { sku: 'AB-12' }, out: { sku: 'ab-12' } },
        { args: { path: 'name' }, in: { name: 'ÄÖÜ ẞ İ' }, out: { name: 'äöü ß i̇' } },
        { args: { path: 'sku' }, in: { sku: 12 }, out: { sku: 12 } },
        { args: { path: 'brand.name' }, in: { brand: null }, out: { brand: null } },
    ],
    reads: ({ path: at }) => [at],
    compile(args, { bounds }) {
        const field = bounds.field(args.path);
        return changeText(field, field, text => text.toLowerCase());
    },
});

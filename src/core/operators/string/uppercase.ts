import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { path } from '../../schema/fields';
import { CHANGED_IN_PLACE, changeText } from './change-text';

/** Converts text to upper case. */
export const uppercase = recordOperator({
    code: 'uppercase',
    category: 'String',
    title: 'Upper case',
    summary: 'Turns the letters of a text into capital ones.',
    config: z.strictObject({ path: path('Field', `The text. ${CHANGED_IN_PLACE}`) }),
    notes: ['The same in every locale. Some letters become two: "ß" becomes "SS".'],
    examples: [
        { args: { path: 'sku' }, in: { sku: 'ab-12' }, out: { sku: 'AB-12' } },
        { args: { path: 'name' }, in: { name: 'straße é' }, out: { name: 'STRASSE É' } },
        { args: { path: 'sku' }, in: { sku: 12 }, out: { sku: 12 } },
        { args: { path: 'sku' }, in: { sku: null }, out: { sku: null } },
        { args: { path: 'sku' }, in: {}, out: {} },
    ],
    reads: ({ path: at }) => [at],
    compile(args, { bounds }) {
        const field = bounds.field(args.path);
        return changeText(field, field, text => text.toUpperCase());
    },
});

import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compileTemplate, templatePaths } from '../../data/template';
import { path, template as templateText } from '../../schema/fields';
import { adviseDollars } from '../../adapter/placeholder-advice';

/** Renders text from fields of the record. */
export const templateOperator = recordOperator({
    code: 'template',
    category: 'Data',
    title: 'Fill in a template',
    summary: 'Renders text in which placeholders are replaced by fields of the record.',
    config: z.strictObject({
        template: templateText(
            'Template',
            'Text with placeholders like ${brand.name}. Objects and lists are put in as JSON.',
        ),
        target: path('To', 'Where the text goes.'),
        missingAsEmpty: z.boolean().default(false).meta({
            title: 'Missing is empty',
            description: 'Puts nothing in place of a missing or null field. Otherwise such a record is left as it is.',
        }),
    }),
    examples: [
        {
            args: { template: '${brand} – ${size.eu}', target: 'label' },
            in: { brand: 'Čapek', size: { eu: 42 } },
            out: { brand: 'Čapek', size: { eu: 42 }, label: 'Čapek – 42' },
        },
        {
            args: { template: '${a}-${b}', target: 'c' },
            in: { a: 1, b: null },
            out: { a: 1, b: null },
            note: 'A value is missing: nothing is written.',
        },
        { args: { template: '${a}-${b}', target: 'c', missingAsEmpty: true }, in: { a: 1 }, out: { a: 1, c: '1-' } },
        {
            args: { template: '${a}', target: 'c' },
            in: { a: '${b} $1', b: 'x' },
            out: { a: '${b} $1', b: 'x', c: '${b} $1' },
            note: 'Data is put in literally.',
        },
        { args: { template: '${a}', target: 'c' }, in: { a: [] }, out: { a: [], c: '[]' } },
    ],
    advise: args => adviseDollars('template', args.template),
    reads: ({ template: text, missingAsEmpty }) => (missingAsEmpty ? [] : templatePaths(text)),
    compile(args, { bounds }) {
        const { target } = args;
        const render = compileTemplate(args.template, args.missingAsEmpty, {
            textOf: value => bounds.textOf(target, value),
            fits: length => bounds.fits(target, length),
        });
        const to = bounds.field(target);
        return data => {
            const text = render(data);
            return text === undefined ? data : to.set(data, text);
        };
    },
});

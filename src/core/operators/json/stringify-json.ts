import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { path } from '../../schema/fields';

/** Serialises a value as JSON text. */
export const stringifyJson = recordOperator({
    code: 'stringifyJson',
    category: 'JSON',
    title: 'Write JSON',
    summary: 'Turns a value into JSON text.',
    config: z.strictObject({
        source: path('From', 'The value; a missing one is left alone.'),
        target: path('To', 'Where the text goes; the field itself where absent.').optional(),
        pretty: z
            .boolean()
            .default(false)
            .meta({ title: 'Pretty', description: 'Writes it on several lines, two spaces a level.' }),
    }),
    examples: [
        {
            args: { source: 'a', target: 'j' },
            in: { a: { b: [1, 'ü'] } },
            out: { a: { b: [1, 'ü'] }, j: '{"b":[1,"ü"]}' },
        },
        { args: { source: 'a', pretty: true }, in: { a: [1] }, out: { a: '[\n  1\n]' } },
        { args: { source: 'a' }, in: { a: null }, out: { a: 'null' } },
        { args: { source: 'a' }, in: { a: 'x"y' }, out: { a: '"x\\"y"' }, note: 'Text becomes JSON text, too.' },
        { args: { source: 'a', target: 'j' }, in: {}, out: {} },
    ],
    reads: ({ source }) => [source],
    compile({ source, target, pretty }, { bounds }) {
        const from = compilePath(source);
        const to = bounds.field(target ?? source);
        return data => {
            const value = from.get(data);
            return value === undefined ? data : to.set(data, bounds.json(to.text, value, pretty ? 2 : 0));
        };
    },
});

import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { path } from '../../schema/fields';
import { format as formatField } from './format-field';
import { compileFormat, compileParse, readMoment } from './tokens';

/** Writes a date (spec 3, `dateFormat`). */
export const dateFormat = recordOperator({
    code: 'dateFormat',
    category: 'Date',
    title: 'Format a date',
    summary: 'Writes a date in another format.',
    config: z.strictObject({
        source: path('From', 'The date.'),
        target: path('To', 'Where the text goes.'),
        format: formatField('Format', 'How it is written.'),
        inputFormat: formatField(
            'Input format',
            'How the source is written. Without it: an ISO date or time, or milliseconds since 1970.',
        ).optional(),
    }),
    notes: ['In UTC. What is no date, or does not exist (30 February), leaves the target as it is.'],
    examples: [
        {
            args: { source: 'd', target: 't', format: 'DD.MM.YYYY HH:mm' },
            in: { d: '2026-03-29T01:30:00+01:00' },
            out: { d: '2026-03-29T01:30:00+01:00', t: '29.03.2026 00:30' },
        },
        {
            args: { source: 'd', target: 'd', format: 'YYYY-MM-DD', inputFormat: 'DD.MM.YYYY' },
            in: { d: '01.12.2026' },
            out: { d: '2026-12-01' },
        },
        { args: { source: 'd', target: 't', format: 'YYYY' }, in: { d: 0 }, out: { d: 0, t: '1970' } },
        {
            args: { source: 'd', target: 'd', format: 'YYYY', inputFormat: 'DD.MM.YYYY' },
            in: { d: '30.02.2026' },
            out: { d: '30.02.2026' },
        },
        { args: { source: 'd', target: 't', format: 'YYYY' }, in: { d: null }, out: { d: null } },
        {
            args: { source: 'd', target: 't', format: 'Öl DD' },
            in: { d: '2026-01-02' },
            out: { d: '2026-01-02', t: 'Öl 02' },
        },
    ],
    compile({ source, target, format, inputFormat }) {
        const from = compilePath(source);
        const to = compilePath(target);
        const write = compileFormat(format);
        const parse = inputFormat === undefined ? undefined : compileParse(inputFormat);
        return data => {
            const value = from.get(data);
            const moment = parse ? (typeof value === 'string' ? parse(value.trim()) : undefined) : readMoment(value);
            return moment === undefined ? data : to.set(data, write(moment));
        };
    },
});

import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { path } from '../../schema/fields';
import { format as formatField } from './format-field';
import { compileParse } from './tokens';

/** Reads a date (spec 3, `dateParse`). */
export const dateParse = recordOperator({
    code: 'dateParse',
    category: 'Date',
    title: 'Parse a date',
    summary: 'Turns a date that is written in some format into an ISO time.',
    config: z.strictObject({
        source: path('From', 'The text.'),
        target: path('To', 'Where the ISO time goes, like 2026-12-01T00:00:00.000Z.'),
        format: formatField('Format', 'How the source is written.'),
    }),
    notes: [
        'In UTC. Text that does not fit the format, or a date that does not exist, leaves the target as it is; so does a format without a year.',
    ],
    examples: [
        {
            args: { source: 'd', target: 'd', format: 'DD.MM.YYYY' },
            in: { d: '01.12.2026' },
            out: { d: '2026-12-01T00:00:00.000Z' },
        },
        {
            args: { source: 'd', target: 't', format: 'YYYYMMDD HHmmss' },
            in: { d: '20240229 235959' },
            out: { d: '20240229 235959', t: '2024-02-29T23:59:59.000Z' },
        },
        { args: { source: 'd', target: 't', format: 'DD.MM.YYYY' }, in: { d: '31.04.2026' }, out: { d: '31.04.2026' } },
        {
            args: { source: 'd', target: 't', format: 'DD.MM.YYYY' },
            in: { d: '1.4.2026' },
            out: { d: '1.4.2026' },
            note: 'Each token has all its digits.',
        },
        { args: { source: 'd', target: 't', format: 'YYYY' }, in: { d: ['2026'] }, out: { d: ['2026'] } },
    ],
    compile({ source, target, format }) {
        const from = compilePath(source);
        const to = compilePath(target);
        const parse = compileParse(format);
        return data => {
            const text = from.get(data);
            const moment = typeof text === 'string' ? parse(text.trim()) : undefined;
            return moment === undefined ? data : to.set(data, new Date(moment).toISOString());
        };
    },
});

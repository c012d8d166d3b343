import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { readText } from '../../data/read-text';
import { path } from '../../schema/fields';
import { format as formatField } from './format-field';
import { compileMismatch, MISMATCH_NOTE, onMismatch } from './mismatch';
import { compileParse } from './tokens';
import { readFormatAdvice } from './format-advice';

/** Parses a date. */
export const dateParse = recordOperator({
    code: 'dateParse',
    category: 'Date',
    title: 'Parse a date',
    summary: 'Turns a date that is written in some format into an ISO time.',
    config: z.strictObject({
        source: path('From', 'The text. A number is read as its text: 20261201 by YYYYMMDD.'),
        target: path('To', 'Where the ISO time goes, like 2026-12-01T00:00:00.000Z.'),
        format: formatField('Format', 'How the source is written.'),
        onMismatch: onMismatch(),
    }),
    notes: [
        'In UTC. Text that does not fit the format, or a date that does not exist, is a mismatch; with a format without a year every text is one.',
        MISMATCH_NOTE,
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
        {
            args: { source: 'd', target: 'd', format: 'YYYYMMDD' },
            in: { d: 20260131 },
            out: { d: '2026-01-31T00:00:00.000Z' },
        },
        { args: { source: 'd', target: 't', format: 'YYYY' }, in: { d: ['2026'] }, out: { d: ['2026'] } },
        {
            args: { source: 'd', target: 't', format: 'DD.MM.YYYY', onMismatch: 'REJECT' },
            in: { d: '31.04.2026' },
            error: 'Field "d": is "31.04.2026", which is no date in the format DD.MM.YYYY',
        },
        {
            args: { source: 'd', target: 'd', format: 'DD.MM.YYYY', onMismatch: 'NULL' },
            in: { d: 'soon' },
            out: { d: null },
        },
        {
            args: { source: 'd', target: 't', format: 'DD.MM.YYYY', onMismatch: 'REJECT' },
            in: { d: ' ' },
            out: { d: ' ' },
            note: 'Blank text is no mismatch.',
        },
        {
            args: { source: 'd', target: 'd', format: 'YYYY-MM-DDTHH:mm:ssZ' },
            in: { d: '2026-12-01T09:30:00Z' },
            out: { d: '2026-12-01T09:30:00.000Z' },
        },
    ],
    advise: ({ format }) => readFormatAdvice('format', format),
    reads: ({ source }) => [source],
    compile({ source, target, format, onMismatch: mode }, { bounds }) {
        const from = compilePath(source);
        const to = bounds.place(target);
        const parse = compileParse(format);
        const unfit = compileMismatch(mode, to);
        const problem = `which is no date in the format ${format}`;
        return data => {
            const value = from.get(data);
            const text = readText(value);
            const moment = text === undefined ? undefined : parse(text.trim());
            if (moment === undefined) return unfit(data, { path: source, value, problem });
            return to.set(data, new Date(moment).toISOString());
        };
    },
});

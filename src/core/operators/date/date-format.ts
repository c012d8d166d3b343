import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { readText } from '../../data/read-text';
import { path } from '../../schema/fields';
import { format as formatField } from './format-field';
import { compileMismatch, MISMATCH_NOTE, NO_TIMESTAMP, onMismatch } from './mismatch';
import { compileFormat, compileParse } from './tokens';
import { readTimestamp } from '../../data/timestamp';
import { formatAdvice, readFormatAdvice } from './format-advice';

/** Formats a date. */
export const dateFormat = recordOperator({
    code: 'dateFormat',
    category: 'Date',
    title: 'Format a date',
    summary: 'Writes a date in another format.',
    config: z.strictObject({
        source: path('From', 'The date.'),
        target: path('To', 'The field for the text.'),
        format: formatField('Format', 'The format of the result.'),
        inputFormat: formatField(
            'Input format',
            'The format of the source; a number is read as text. Default: an ISO date or time, or milliseconds since 1970.',
        ).optional(),
        onMismatch: onMismatch(),
    }),
    notes: [
        'In UTC. A value that is not a date, or a date that does not exist (30 February), is a mismatch.',
        MISMATCH_NOTE,
    ],
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
        {
            args: { source: 'd', target: 'd', format: 'DD.MM.YYYY', inputFormat: 'YYYYMMDD' },
            in: { d: 20260131 },
            out: { d: '31.01.2026' },
        },
        { args: { source: 'd', target: 't', format: 'YYYY' }, in: { d: 0 }, out: { d: 0, t: '1970' } },
        {
            args: { source: 'd', target: 'd', format: 'YYYY', inputFormat: 'DD.MM.YYYY' },
            in: { d: '30.02.2026' },
            out: { d: '30.02.2026' },
        },
        { args: { source: 'd', target: 't', format: 'YYYY' }, in: { d: null }, out: { d: null } },
        {
            args: { source: 'd', target: 't', format: '[Öl am DD. ]DD' },
            in: { d: '2026-01-02' },
            out: { d: '2026-01-02', t: 'Öl am DD. 02' },
            note: 'Letters that are not tokens must be in brackets.',
        },
        {
            args: { source: 'd', target: 't', format: 'YYYY', onMismatch: 'REJECT' },
            in: { d: 'soon' },
            error: 'Field "d": "soon" is not an ISO date or time or a number of milliseconds since 1970',
        },
        {
            args: { source: 'd', target: 't', format: 'YYYY', inputFormat: 'DD.MM.YYYY', onMismatch: 'NULL' },
            in: { d: '30.02.2026', t: 'old' },
            out: { d: '30.02.2026', t: null },
        },
        { args: { source: 'd', target: 't', format: 'YYYY', onMismatch: 'REJECT' }, in: {}, out: {} },
    ],
    advise: ({ format, inputFormat }) => [
        ...formatAdvice('format', format),
        ...readFormatAdvice('inputFormat', inputFormat),
    ],
    reads: ({ source }) => [source],
    compile({ source, target, format, inputFormat, onMismatch: mode }, { bounds }) {
        const from = compilePath(source);
        const to = bounds.place(target);
        const write = compileFormat(format);
        const parse = inputFormat === undefined ? undefined : compileParse(inputFormat);
        const unfit = compileMismatch(mode, to);
        const problem = inputFormat === undefined ? NO_TIMESTAMP : `is not a date in the format ${inputFormat}`;
        return data => {
            const value = from.get(data);
            const moment = parse ? parse(readText(value)?.trim() ?? '') : readTimestamp(value);
            return moment === undefined ? unfit(data, { path: source, value, problem }) : to.set(data, write(moment));
        };
    },
});

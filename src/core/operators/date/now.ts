import { clause, type FactText } from '../../errors/rendered';
import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import type { JsonValue } from '../../value/json';
import { path } from '../../schema/fields';
import { formatAdvice } from './format-advice';
import { compileFormat, formatProblem, FORMAT_SYNTAX, MAX_FORMAT } from './tokens';
import type { Timestamp } from '../../data/timestamp';
import { addIssue } from '../../schema/issues';

/** The named formats, by lower-case name. */
const FORMATS: Readonly<Record<string, (timestamp: Timestamp) => JsonValue>> = {
    iso: moment => new Date(moment).toISOString(),
    timestamp: moment => moment,
    date: compileFormat('YYYY-MM-DD'),
    datetime: compileFormat('YYYY-MM-DD HH:mm:ss'),
};

/** Own names only: "constructor" is not a format. */
function namedFormat(format: string): ((timestamp: Timestamp) => JsonValue) | undefined {
    const name = format.toLowerCase();
    return Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
}

function nowProblem(format: string): FactText | undefined {
    if (format === '' || format.length > MAX_FORMAT || namedFormat(format)) return undefined;
    const problem = formatProblem(format);
    return problem && clause`${problem}; or one of the names ISO, timestamp, date and datetime`;
}

/** Sets a field to the time at which the run started. */
export const now = recordOperator({
    code: 'now',
    category: 'Date',
    title: 'Now',
    summary: 'Writes the start time of the run.',
    config: z.strictObject({
        target: path('To', 'The field for the time.'),
        format: z
            .string()
            .min(1)
            .max(MAX_FORMAT)
            .superRefine((text, cx) => {
                const problem = nowProblem(text);
                if (problem !== undefined) addIssue(cx, problem);
            })
            .default('ISO')
            .meta({
                title: 'Format',
                description: `ISO, timestamp (milliseconds since 1970), date (2026-12-01) or datetime (2026-12-01 09:30:00), in any case, or a format with these tokens: ${FORMAT_SYNTAX}.`,
            }),
    }),
    notes: [
        'In UTC. The whole run uses one time, that of its first start, so a batch that is repeated after a crash gives the same result.',
    ],
    examples: [
        {
            args: { target: 'at' },
            in: { sku: 'Ä' },
            out: { sku: 'Ä', at: '1970-01-01T00:00:00.000Z' },
            note: 'In a run that started at the beginning of 1970.',
        },
        { args: { target: 'at', format: 'timestamp' }, in: { at: null }, out: { at: 0 } },
        { args: { target: 'at', format: 'Date' }, in: {}, out: { at: '1970-01-01' } },
        { args: { target: 'import.at', format: 'datetime' }, in: {}, out: { import: { at: '1970-01-01 00:00:00' } } },
        { args: { target: 'at', format: 'DD/MM/YYYY' }, in: { at: [1] }, out: { at: '01/01/1970' } },
    ],
    advise: ({ format }) => (namedFormat(format) ? [] : formatAdvice('format', format)),
    compile({ target, format }, { clock, bounds }) {
        const to = bounds.place(target);
        const value = (namedFormat(format) ?? compileFormat(format))(clock.now());
        return data => to.set(data, value);
    },
});

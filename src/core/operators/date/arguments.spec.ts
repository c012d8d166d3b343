import { naming } from '../../../../test/kit/naming';
import type { Operator } from '../../adapter/operator';
import type { JsonObject } from '../../value/json';
import { parseWith } from '../../schema/issues';
import { dateAdd } from './date-add';
import { dateFormat } from './date-format';
import { dateParse } from './date-parse';
import { now } from './now';

function problemsOf(operator: Operator, args: JsonObject): readonly string[] {
    const parsed = parseWith(operator.config, { source: 'd', target: 't', ...args });
    return parsed.ok ? [] : parsed.issues.map(({ message }) => message);
}

const nowProblems = (format: string): readonly string[] => {
    const parsed = parseWith(now.config, { target: 't', format });
    return parsed.ok ? [] : parsed.issues.map(({ message }) => message);
};

describe('date operators', () => {
    it('reject a format with letters that are not tokens, in every argument', () => {
        const issue = (argument: string): unknown => expect.stringMatching(naming(argument, '"yyyy"', 7, 'YYYY'));
        expect(problemsOf(dateParse, { format: 'DD.MM.yyyy' })).toEqual([issue('format')]);
        expect(problemsOf(dateFormat, { format: 'YYYY', inputFormat: 'DD.MM.yyyy' })).toEqual([issue('inputFormat')]);
    });

    it('warn about a format for reading that has no year', () => {
        const advice = [
            {
                code: 'LIKELY_MISTAKE',
                path: 'format',
                problem: expect.objectContaining({ message: expect.stringContaining('YYYY') as string }) as object,
            },
        ] as const;
        const args = { source: 'd', target: 't', onMismatch: 'KEEP' } as const;
        expect(dateParse.advise!({ ...args, format: 'DD.MM.' })).toEqual(advice);
        expect(dateParse.advise!({ ...args, format: 'DD.MM.YYYY' })).toEqual([]);
        expect(dateFormat.advise!({ ...args, format: 'DD.MM.', inputFormat: 'HH:mm' })).toEqual([
            { ...advice[0], path: 'inputFormat' },
        ]);
        expect(dateFormat.advise!({ ...args, format: 'DD.MM.' })).toEqual([]);
    });

    it.each([
        ['YYYY-mm-DD', ['mm']],
        ['DD.mm.', ['mm']],
        ['DD.MM.YYYY HH:MM', ['MM']],
        ['YYYY-MM-DD YYYY', ['YYYY']],
        ['DD.MM.YYYY HH:mm:ss', []],
        ['mm:ss', []],
    ])('warn about minutes in place of months and about repeated tokens: %s', (format, named) => {
        const expected = named.map(token => ({
            code: 'LIKELY_MISTAKE',
            path: 'format',
            problem: expect.stringContaining(` ${token}`) as string,
        }));
        expect(dateFormat.advise!({ source: 'd', target: 't', onMismatch: 'KEEP', format })).toEqual(expected);
        expect(now.advise!({ target: 't', format })).toEqual(expected);
    });

    it('add only whole amounts', () => {
        expect(problemsOf(dateAdd, { unit: 'days', amount: -1 })).toEqual([]);
        expect(problemsOf(dateAdd, { unit: 'days', amount: 1.5 })).toEqual([
            expect.stringMatching(naming('amount', 1.5, -1_000_000_000, 1_000_000_000)),
        ]);
    });
});

describe('the format of now', () => {
    it.each(['iso', 'ISO', 'TimeStamp', 'DATE', 'dateTime', 'YYYY', 'DD.MM.'])('is known in any case: %s', format => {
        expect(nowProblems(format)).toEqual([]);
    });

    it.each(['today', 'constructor', '-', 'date time', 'YYYY MMM'])('is rejected if it is unknown: %s', format => {
        expect(nowProblems(format)).toEqual([
            expect.stringMatching(naming('format', 'YYYY', 'ISO', 'timestamp', 'date', 'datetime')),
        ]);
    });
});

import fc from 'fast-check';
import { naming } from '../../../../test/kit/naming';
import { readTimestamp } from '../../data/timestamp';
import { compileFormat, compileParse, formatProblem } from './tokens';
import { add, UNITS } from './units';

/** The tokens that a message about a format lists. */
const TOKENS = ['YYYY', 'MM', 'DD', 'HH', 'mm', 'ss'];

const moments = fc
    .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true })
    .map(date => Math.floor(date.getTime() / 1000) * 1000);

describe('dates by tokens', () => {
    it('are read as they are written, to the second', () => {
        const formats = [
            'YYYY-MM-DD HH:mm:ss',
            'ssmmHHDDMMYYYY',
            '[am ]DD.MM.YYYY[ um ]HH mm ss[ Uhr]',
            'YYYY-MM-DDTHH:mm:ssZ',
        ];
        fc.assert(
            fc.property(moments, fc.constantFrom(...formats), (moment, format) => {
                expect(compileParse(format)(compileFormat(format)(moment))).toBe(moment);
            }),
        );
    });

    it.each([
        ['30.02.2026', 'DD.MM.YYYY'],
        ['29.02.2025', 'DD.MM.YYYY'],
        ['01.13.2026', 'DD.MM.YYYY'],
        ['00.01.2026', 'DD.MM.YYYY'],
        ['24:00 2026', 'HH:mm YYYY'],
        ['2026-01-01x', 'YYYY-MM-DD'],
        ['2026-1-01', 'YYYY-MM-DD'],
        ['٢٠٢٦-٠١-٠١', 'YYYY-MM-DD'],
        ['2026 2027', 'YYYY YYYY'],
        ['12.01', 'DD.MM'],
        ['', 'YYYY'],
        ['-026-01-01', 'YYYY-MM-DD'],
    ])('are not read if they do not fit or do not exist: %s as %s', (text, format) => {
        expect(compileParse(format)(text)).toBeUndefined();
    });

    it('write text in brackets, and other characters than letters, as they are', () => {
        expect(compileFormat('[MM ]MM[]/[[]DD] 7')(0)).toBe('MM 01/[01] 7');
        expect(compileParse('[Tag ]DD.MM.YYYY')('Tag 01.02.2026')).toBe(Date.UTC(2026, 1, 1));
        expect(compileParse('[Tag ]DD.MM.YYYY')('[Tag ]01.02.2026')).toBeUndefined();
    });

    it.each(['YYYY-MM-DDTHH:mm:ssZ', 'YYYYMMDDTHHmmss.000Z', 'DD. [Tag]', '[T]HH', 'HH', 'YYYY YYYY'])(
        'are allowed: %s',
        format => {
            expect(formatProblem(format)).toBeUndefined();
        },
    );

    it.each([
        ['dd.MM.yyyy', 'dd', 1],
        ['DD.MMM.YYYY', 'MMM', 4],
        ['DD MMMM YYYY', 'MMMM', 4],
        ['Do MM', 'D', 1],
        ['YY-MM-DD', 'YY', 1],
        ['HH:mm:ss.SSS', 'SSS', 10],
        ['hh:mm', 'hh', 1],
        ['HH:mm Uhr', 'U', 7],
        ['THH:mm', 'T', 1],
        ['HH:mmZZ', 'ZZ', 6],
        ['DD.MM. größer', 'g', 8],
    ])('cannot have other letters: %s', (format, letters, at) => {
        expect(formatProblem(format)?.message).toMatch(naming(`"${letters}"`, at, ...TOKENS));
    });

    it('must have a token, and close their brackets', () => {
        for (const format of ['-', '[DD]', '01.02.2026']) {
            expect(formatProblem(format)?.message).toMatch(naming(...TOKENS));
            // There is no character of the format that is wrong.
            expect(formatProblem(format)?.message).not.toMatch(/[\d"]/);
        }
        expect(formatProblem('DD [Tag')?.message).toMatch(naming('"["', 4, '"]"'));
    });
});

describe('timestamps in records', () => {
    it.each([
        ['2026-03-29', '2026-03-29T00:00:00.000Z'],
        ['2026-03-29 10:00', '2026-03-29T10:00:00.000Z'],
        ['2026-03-29T10:00:00,5+0200', '2026-03-29T08:00:00.500Z'],
        ['0000-01-01', '0000-01-01T00:00:00.000Z'],
        ['0099-12-31T23:59:59Z', '0099-12-31T23:59:59.000Z'],
    ])('%s', (text, iso) => {
        expect(new Date(readTimestamp(text)!).toISOString()).toBe(iso);
    });

    it.each([
        '2026-02-30',
        '2026-13-01',
        '10000-01-01',
        '2026-01-01T25:00',
        '2026-01-01T10:00+99:00',
        'today',
        '2026',
        NaN,
        Infinity,
        1e18,
        null,
        true,
        [],
    ])('%s is not a timestamp', value => {
        expect(readTimestamp(value as never)).toBeUndefined();
    });

    it('are restored when an added amount is subtracted, except for months', () => {
        fc.assert(
            fc.property(
                moments,
                fc.integer({ min: -1000, max: 1000 }),
                fc.constantFrom(...UNITS.filter(unit => unit !== 'months' && unit !== 'years')),
                (moment, amount, unit) => {
                    const there = add(moment, amount, unit);
                    if (there !== undefined) expect(add(there, -amount, unit)).toBe(moment);
                },
            ),
        );
    });

    it('never leave the expected month', () => {
        fc.assert(
            fc.property(moments, fc.integer({ min: -24, max: 24 }), (moment, months) => {
                const there = add(moment, months, 'months');
                if (there === undefined) return;
                const [from, to] = [new Date(moment), new Date(there)];
                const monthOf = (date: Date): number => date.getUTCFullYear() * 12 + date.getUTCMonth();
                expect(monthOf(to) - monthOf(from)).toBe(months);
                expect(to.getUTCDate()).toBeLessThanOrEqual(from.getUTCDate());
            }),
        );
    });
});

import { textNaming } from '../../../test/kit/naming';
import fc from 'fast-check';
import { isFlowError } from '../../core/errors/flow-error';
import { wholeJsonNumber, wholeNumberOf } from './whole-number';

const rule = { name: 'limit', min: 1, max: 500 };

function rejection(work: () => number): string {
    try {
        return `accepted ${work()}`;
    } catch (error) {
        if (isFlowError(error)) return error.message;
        throw error;
    }
}

describe('a whole number of a query', () => {
    it('has the value of its digits', () => {
        fc.assert(
            fc.property(fc.integer({ min: 1, max: 500 }), number => wholeNumberOf(String(number), rule) === number),
        );
        expect(wholeNumberOf('0', { ...rule, min: 0 })).toBe(0);
    });

    it.each([
        '1e3',
        '1.0',
        '1.5',
        '+1',
        ' 1',
        '1 ',
        '01',
        '-1',
        '-0',
        '٣',
        '１',
        '0x10',
        '1_000',
        '1,000',
        '',
        ' ',
        '0',
        '501',
        '9'.repeat(400),
        'NaN',
        'Infinity',
        '1\n',
        'null',
        'true',
        undefined,
        null,
        5,
        ['1'],
        { a: '1' },
    ])('is rejected as %j, with the allowed range', given => {
        expect(rejection(() => wholeNumberOf(given, rule))).toEqual(
            textNaming('limit is ', 'whole number', '1 to 500'),
        );
    });

    it('is never taken for another one, whatever the text', () => {
        fc.assert(
            fc.property(fc.string(), text => {
                const answer = rejection(() => wholeNumberOf(text, rule));
                return answer === `accepted ${text}` || answer.startsWith('limit is ');
            }),
            { numRuns: 1_000 },
        );
    });
});

describe('a whole number of JSON', () => {
    it('is a number in its range', () => {
        expect(wholeJsonNumber(5, rule)).toBe(5);
    });

    it.each(['5', 1.5, 0, 501, -1, 2 ** 60, Infinity, NaN, true, null, [5], undefined])('is rejected as %p', given => {
        expect(rejection(() => wholeJsonNumber(given, rule))).toEqual(
            textNaming('limit is ', 'whole number', '1 to 500'),
        );
    });
});

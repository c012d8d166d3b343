import { operators } from '..';
import type { RecordOperator } from '../../adapter/operator';
import { isJsonObject, type JsonObject, type JsonValue } from '../../value/json';

const numeric = operators.filter(({ category }) => category === 'Numeric') as unknown as readonly RecordOperator[];

/** Everything else it is given has a text. */
const TAKES_ALL = ['toString'];
const textsOf = (record: JsonObject): readonly JsonValue[] =>
    Object.values(record).filter(value => typeof value === 'string');

describe('the examples of operators with numbers', () => {
    it.each(numeric.map(({ code, examples }) => [code, examples] as const))(
        'of %s show the result for numeric text, and for rejected values',
        (code, examples) => {
            const given = examples.filter(({ in: record }) => isJsonObject(record));
            const ofText = given.filter(({ in: record, error }) => !error && textsOf(record).includes('12.50'));
            expect(ofText).not.toEqual([]);
            const rejected = given.filter(({ in: record, error }) => error && textsOf(record).length > 0);
            expect(rejected.length > 0).toBe(!TAKES_ALL.includes(code));
        },
    );

    it('cover all of them', () => {
        expect(numeric.map(({ code }) => code)).toEqual(expect.arrayContaining(['math', 'toCents', 'unit']));
        expect(numeric).toHaveLength(9);
    });
});

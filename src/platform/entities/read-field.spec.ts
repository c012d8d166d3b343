import { naming } from '../../../test/kit/naming';
import { said } from '../../../test/kit/said';
import type { JsonValue } from '../../core/value/json';
import { textKey } from '../../core/adapter/missing';
import { RecordIssues } from './record-issues';
import { FieldReader } from './read-field';

const PRICES = { max: 2_147_483_647, allowsNegative: false };

function reading<T>(value: JsonValue, read: (reader: FieldReader) => T) {
    const issues = new RecordIssues();
    const answer = read(new FieldReader({ f: value }, issues));
    return { answer, problem: issues.count > 0 ? issues.error().message : undefined };
}

describe('reading a field of a record', () => {
    it('returns undefined for a field that the record does not have, without an error', () => {
        const issues = new RecordIssues();
        const reader = new FieldReader({}, issues);
        expect([
            reader.text('f'),
            reader.money('f', PRICES),
            reader.flag('f'),
            reader.texts('f'),
            reader.object('f'),
            reader.emptiableText('f'),
        ]).toEqual(Array(6).fill(undefined));
        expect(issues.count).toBe(0);
    });

    it.each<[JsonValue, string]>([
        ['abc', 'is "abc"; allowed: whole minor units (1999 = 19.99), the operator toCents makes them'],
        ['1999', 'is "1999"; allowed: whole minor units'],
        [19.99, 'is 19.99; allowed: whole minor units'],
        [{ '@currency': 'EUR', '#text': '5' }, 'is {"@currency":"EUR","#text":"5"}; allowed: whole minor units'],
        [3_000_000_000, 'is 3000000000; the database takes at most 2147483647'],
    ])('takes %j for no price', (value, problem) => {
        expect(reading(value, reader => reader.money('f', PRICES)).problem).toContain(`Field "f": ${problem}`);
    });

    it('says where the text of an XML element with attributes is', () => {
        const hint = naming('XML', '#text');
        const problem = (value: JsonValue) => reading(value, reader => reader.money('f', PRICES)).problem;
        expect(problem({ '@currency': 'EUR', '#text': '5' })).toMatch(hint);
        expect(problem({ amount: 5 })).not.toMatch(hint);
    });

    it('takes whole numbers for prices, negative ones where they are allowed', () => {
        const read = (value: number, allowsNegative: boolean) =>
            reading(value, reader => reader.money('f', { max: 9_999, allowsNegative }));
        expect([0, 1999, -5].map(value => read(value, true).answer)).toEqual([0, 1999, -5]);
        expect([0, 1999, -5].map(value => read(value, false).answer)).toEqual([0, 1999, undefined]);
        expect(read(-5, false).problem).toMatch(naming('"f"', -5, 'allowNegativePrices'));
    });

    it.each<[JsonValue, string | RegExp]>([
        ['a\0b', 'NUL'],
        ['a\ud800b', 'surrogate'],
        ['x'.repeat(11), 'has 11 characters; the column takes 10'],
        [7, naming('"f"', 7, 'text')],
        ['  ', said('field-is-empty-leave-it-out', { field: 'f' })],
    ])('takes %j for no text', (value, problem) => {
        expect(reading(value, reader => reader.text('f', { of: 'characters', max: 10 })).problem).toMatch(problem);
    });

    it('counts characters as people do and bytes as MySQL does', () => {
        expect(
            reading('😀'.repeat(10), reader => reader.text('f', { of: 'characters', max: 10 })).problem,
        ).toBeUndefined();
        expect(reading('ä'.repeat(6), reader => reader.text('f', { of: 'bytes', max: 10 })).problem).toContain(
            'has 12 bytes',
        );
    });

    it('rejects null for a field that cannot be emptied, in the same way whatever is allowed', () => {
        const problems = [
            reading(null, reader => reader.text('f')),
            reading(null, reader => reader.money('f', PRICES)),
            reading(null, reader => reader.whole('f', 9)),
            reading(null, reader => reader.flag('f')),
        ].map(({ problem }) => problem);
        expect(problems[0]).toMatch(naming('"f"'));
        expect(new Set(problems).size).toBe(1);
    });

    it('empties what null can empty', () => {
        expect(reading(null, reader => reader.emptiableText('f')).answer).toBe('');
        expect(reading(null, reader => reader.texts('f')).answer).toEqual([]);
    });

    it('names the entry of a list that is wrong', () => {
        expect(reading(['a', 5], reader => reader.texts('f')).problem).toMatch(naming('"f.1"', 5, 'text'));
    });

    it('takes whole numbers for SKUs, which come without quotes from JSON', () => {
        expect(reading(12345, reader => reader.key('f')).answer).toBe('12345');
    });

    it('trims blanks and invisible characters around keys, and says so', () => {
        const issues = new RecordIssues();
        const reader = new FieldReader({ key: '\u200bA-1\ufeff ', list: ['\u200bB'], plain: 'C' }, issues);
        expect(reader.key('plain')).toBe('C');
        expect(issues.trimmed).toBeUndefined();
        expect(reader.key('key')).toBe('A-1');
        expect(reader.texts('list')).toEqual(['B']);
        expect(issues.trimmed).toEqual({ path: 'key', value: '\u200bA-1\ufeff ' });
        expect(textKey('\u200bA-1')).toBe('A-1');
        expect(reading('\u200b', one => one.key('f')).problem).toBeDefined();
    });

    it('reports all errors of a record, the first in words', () => {
        const issues = new RecordIssues();
        const reader = new FieldReader({ a: 'x', b: 'y' }, issues);
        reader.money('a', PRICES);
        reader.flag('b');
        const error = issues.error();
        expect(error.code).toBe('RECORD_INVALID');
        expect(error.message).toMatch(/"a".*"x".*"b".*"y"/);
        expect(error.details).toMatchObject({ field: 'a', value: 'x', faults: [{ path: 'a' }, { path: 'b' }] });
    });
});

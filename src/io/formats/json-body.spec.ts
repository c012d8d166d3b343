import { isFlowError } from '../../core/errors/flow-error';
import { runAtOnce } from '../../core/concurrency/yielding-task';
import { recordsOfBody } from './json-body';
import { JsonSyntax } from './json-syntax';

function recordsOf(text: string): { readonly records: unknown; readonly count: number } | string {
    try {
        const found = runAtOnce(recordsOfBody(text));
        return { records: JSON.parse(found.text) as unknown, count: found.count };
    } catch (error) {
        if (isFlowError(error) && error.code === 'INPUT_INVALID') return error.message;
        throw error;
    }
}

const nested = (levels: number): string => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);

describe('the records of a body', () => {
    it.each<[text: string, records: unknown]>([
        ['{}', [{}]],
        [' {"a":1} ', [{ a: 1 }]],
        ['[]', []],
        ['[ ]', []],
        ['[{}]', [{}]],
        ['[{"a":[1,[2,{"b":null}],true]},{"a":false}]\n', [{ a: [1, [2, { b: null }], true] }, { a: false }]],
        ['{"a":"\\"\\\\\\u00e4\\n😀"}', [{ a: '"\\ä\n😀' }]],
        ['{"a":-0,"b":0.1,"c":1e3}', [{ a: -0, b: 0.1, c: 1000 }]],
        [
            '{"id":12345678901234567890,"x":[1e400,-0.12345678901234567890]}',
            [{ id: '12345678901234567890', x: ['1e400', '-0.12345678901234567890'] }],
        ],
        ['{"number":9007199254740991}', [{ number: 9007199254740991 }]],
        [nested(32), [JSON.parse(nested(32))]],
        [`[${nested(32)}]`, [JSON.parse(nested(32))]],
        ['{"constructor":1,"toString":2}', [{ constructor: 1, toString: 2 }]],
        ['{"a":{"k":1},"b":{"k":1}}', [{ a: { k: 1 }, b: { k: 1 } }]],
    ])('are read from %j', (text, records) => {
        expect(recordsOf(text)).toEqual({ records, count: (records as unknown[]).length });
    });

    it('are no more than allowed, which is known before the rest is looked at', () => {
        const list = (count: number): string => `[${Array.from({ length: count }, () => '{"a":[{},{}]}').join()}]`;
        expect(runAtOnce(recordsOfBody(list(10), 10)).count).toBe(10);
        const walk = recordsOfBody(`${list(11).slice(0, -1)},no JSON`, 10);
        expect(() => runAtOnce(walk)).toThrow(expect.objectContaining({ code: 'RECORD_LIMIT' }));
        expect(runAtOnce(recordsOfBody('{"a":1}', 1)).count).toBe(1);
    });

    it('beyond maxRecords are neither parsed nor held, however many follow', () => {
        const tokens = jest.spyOn(JsonSyntax.prototype, 'take');
        const values = jest.spyOn(JSON, 'parse');
        const counted = (records: number): readonly [code: string, tokens: number, values: number] => {
            tokens.mockClear();
            values.mockClear();
            const body = `[${'{"a":1},'.repeat(records)}{}]`;
            try {
                runAtOnce(recordsOfBody(body, 10));
                return ['none', tokens.mock.calls.length, values.mock.calls.length];
            } catch (error) {
                return [
                    isFlowError(error) ? error.code : String(error),
                    tokens.mock.calls.length,
                    values.mock.calls.length,
                ];
            }
        };
        // The list's bracket, ten records of five tokens with a comma after each, and the bracket of the eleventh.
        const most = ['RECORD_LIMIT', 1 + 10 * 6 + 1, 0];
        expect([counted(10), counted(1_000_000)]).toEqual([most, most]);
        expect(counted(9)).toEqual(['none', 1 + 9 * 6 + 2 + 1, 0]);
        tokens.mockRestore();
        values.mockRestore();
    });

    it('keep a key that every object has a setter for', () => {
        const { text } = runAtOnce(recordsOfBody('{"__proto__":{"polluted":true}}'));
        expect(text).toBe('[{"__proto__":{"polluted":true}}]');
    });

    it.each([
        ['', 'ends where a value should come'],
        ['  ', 'ends where a value should come'],
        ['"text"', 'The body is the text "text"; allowed: an object, or a list of objects'],
        [`"${'x'.repeat(200)}"`, 'The body is a text; allowed'],
        ['1', 'The body is 1; allowed: an object'],
        ['null', 'The body is null; allowed'],
        ['true', 'The body is true; allowed'],
        ['[1]', 'The body has 1 as its element 0; allowed: an object'],
        ['[{},{},[]]', 'The body has a list as its element 2; allowed: an object'],
        ['[{},"a"]', 'The body has the text "a" as its element 1; allowed: an object'],
        ['[{},null]', 'has null as its element 1'],
        ['{"a":1}{"b":2}', 'at character 8'],
        ['{"a":1}\n{"b":2}', 'the end of the text should come here'],
        ['{"a":1', 'ends where "," or "}" should come'],
        ['{"a"', 'ends where ":" should come'],
        ['[{},', 'ends where a value should come'],
        ['[{},]', 'a value should come here'],
        ['{"a":1,}', 'a key in quotes should come here'],
        ["{'a':1}", 'should come here'],
        ['{a:1}', 'should come here'],
        ['{"a":01}', '"01" is not a JSON value'],
        ['{"a":+1}', '"+1" is not a JSON value'],
        ['{"a":NaN}', '"NaN" is not a JSON value'],
        ['{"a":1.}', '"1." is not a JSON value'],
        ['{"a":tru}', '"tru" is not a JSON value'],
        ['{"a":"\n"}', 'at character 7, a string holds a control character'],
        ['{"a":"\\x"}', 'a backslash in a string escapes nothing'],
        ['{"a":"\\u12"}', 'a backslash in a string escapes nothing'],
        ['{"a":"b', 'at character 6, a string is opened and never closed'],
        ['{"a":"b\\', 'a backslash in a string escapes nothing'],
        ['\ufeff{}', 'not JSON'],
        ['{"a":1,"a":2}', 'has the key "a" twice; allowed: each key once'],
        ['[{"v":[{"a":1,"\\u0061":2}]}]', 'has the key "a" twice at 0.v.0'],
        ['{"__proto__":1,"__proto__":2}', 'has the key "__proto__" twice'],
        [nested(33), 'has a record of more than 32 levels'],
        [`[${nested(33)}]`, 'has a record of more than 32 levels'],
        ['['.repeat(200_000), 'as its element 0'],
        [`{"a":${'['.repeat(200_000)}`, 'more than 32 levels'],
        [`{"a":${'1'.repeat(5_000)}}`, 'has a number of 5000 characters; allowed: at most 4096'],
    ])('are rejected in %#: %.40j', (text, message) => {
        expect(recordsOf(text)).toEqual(expect.stringContaining(message));
    });

    it('are what JSON.parse would read, whatever the text', () => {
        const alphabet = ['{', '}', '[', ']', ',', ':', '"a"', '"b"', '1', 'true', ' ', '"', '\\', '-', 'e', '0'];
        let state = 7;
        const random = (below: number): number => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) % below;
        let accepted = 0;
        for (let i = 0; i < 20_000; i++) {
            const inner = Array.from({ length: random(6) }, () => alphabet[random(alphabet.length)]).join('');
            const text = ['{"x":', '[{"x":', '{', '['][i % 4]! + inner + ['}', '}]', '}', ']'][i % 4]!;
            let parsed: unknown;
            try {
                parsed = JSON.parse(text);
            } catch {
                // No JSON: the walk must say so, too.
                parsed = undefined;
            }
            const found = recordsOf(text);
            if (parsed === undefined) expect([text, typeof found]).toEqual([text, 'string']);
            else if (typeof found !== 'string') {
                accepted++;
                expect(found.records).toEqual(Array.isArray(parsed) ? parsed : [parsed]);
            }
        }
        expect(accepted).toBeGreaterThan(1_000);
    });

    it('of a hostile body are rejected after a few tokens, with the limit and what the body has', () => {
        const size = 10 * 1024 * 1024;
        const filled = (text: string): string => text.repeat(Math.floor(size / text.length));
        const tokens = jest.spyOn(JsonSyntax.prototype, 'take');
        const refusalOf = (body: string): readonly [message: string, tokens: number] => {
            tokens.mockClear();
            try {
                runAtOnce(recordsOfBody(body, 10_000));
            } catch (error) {
                return [(error as Error).message, tokens.mock.calls.length];
            }
            throw new Error('The body was not rejected');
        };
        const most = expect.stringContaining('10000') as string;
        const levels = expect.stringMatching(/more than 32 levels.*32/) as string;
        expect(refusalOf(`[${filled('{},')}{}]`)).toEqual([most, 1 + 10_000 * 3 + 1]);
        expect(refusalOf(filled('{"a":'))).toEqual([levels, 32 * 3 + 1]);
        expect(refusalOf(`{"a":${filled('[')}`)).toEqual([levels, 3 + 32]);
        expect(refusalOf(`{"a":${filled('1')}}`)).toEqual([expect.stringContaining('at most 4096') as string, 4]);
        expect(refusalOf(filled('a,b,c\n'))).toEqual([expect.stringContaining('at character 1') as string, 1]);
        expect(refusalOf(filled('[')).at(1)).toBe(2);
        tokens.mockRestore();
    });

    it('of one huge object are the text itself: no value of it is made', () => {
        const values = jest.spyOn(JSON, 'parse');
        const body = `{"list":[${'{"a":[1,2]},'.repeat(800_000)}{}]}`;
        const { text, count } = runAtOnce(recordsOfBody(body, 10_000));
        expect([count, text.length, values.mock.calls.length]).toEqual([1, body.length + 2, 0]);
        values.mockRestore();
    });

    it.each([
        ['many small values', `[${Array.from({ length: 50_000 }, () => '{"a":[1,2]}').join(',')}]`],
        ['one long text', `{"a":"${'x'.repeat(4_000_000)}"}`],
        ['one text of escapes', `{"a":"${'\\"'.repeat(2_000_000)}"}`],
    ])('are read in small bits: %s', (_, text) => {
        let bits = 0;
        for (const work = recordsOfBody(text); !work.next().done;) bits++;
        expect(bits).toBeGreaterThan(30);
    });
});

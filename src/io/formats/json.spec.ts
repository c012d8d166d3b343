import fc from 'fast-check';
import { charactersRead } from '../../../test/kit/characters-read';
import { toldPlaces } from '../../../test/kit/told-places';
import { WorkBetweenTurns } from '../../../test/kit/work-between-turns';
import type { JsonObject } from '../../core/value/json';
import { type JsonOptions, jsonReader } from './json';
import { JsonRecordSplitter } from './json-record-splitter';
import type { ReadFrom, RecordPage } from './source';

function cut(text: string, size: number): () => AsyncIterable<string> {
    return async function* () {
        for (let from = 0; from < text.length; from += size) yield text.slice(from, from + size);
    };
}

interface Reading extends ReadFrom, JsonOptions {
    readonly size?: number;
}

async function pagesOf(text: string, { size = 1000, itemsPath, ...from }: Reading = {}): Promise<RecordPage[]> {
    const pages: RecordPage[] = [];
    for await (const page of jsonReader(cut(text, size), { itemsPath }).read(from)) pages.push(page);
    return pages;
}

async function recordsOf(text: string, reading: Reading = {}): Promise<JsonObject[]> {
    return (await pagesOf(text, reading)).flatMap(page => page.records);
}

const malformed = (where: string, problem: string | RegExp): object => ({
    code: 'SOURCE_MALFORMED',
    facts: { where, problem: expect.stringMatching(problem) },
});

const isHuge = (value: unknown): boolean => typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
/** Without the whole numbers that become text. */
const plain = fc
    .dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 })
    .map(
        record =>
            JSON.parse(JSON.stringify(record, (_, value: unknown) => (isHuge(value) ? 0.5 : value))) as JsonObject,
    );

describe('JSON is read', () => {
    afterEach(() => jest.restoreAllMocks());

    it('as JSON.parse would, however it is written and wherever it is cut', async () => {
        const spaces = fc.constantFrom<string | number>('', 1, '\t');
        await fc.assert(
            fc.asyncProperty(
                fc.array(plain, { maxLength: 6 }),
                spaces,
                fc.integer({ min: 1, max: 40 }),
                async (records, space, size) => {
                    const same = JSON.stringify(records);
                    const { rows } = await jsonReader(cut(JSON.stringify(records, null, space), size)).check();
                    expect(rows).toBe(records.length);
                    expect(JSON.stringify(await recordsOf(JSON.stringify(records, null, space), { size }))).toBe(same);
                    const wrapped = JSON.stringify(
                        { before: records, data: { 'a.b': records, behind: [records, 'x'] }, end: null },
                        null,
                        space,
                    );
                    expect(JSON.stringify(await recordsOf(wrapped, { size, itemsPath: 'data.a\\.b' }))).toBe(same);
                    if (records.length > 0)
                        expect(
                            JSON.stringify(
                                await recordsOf(records.map(record => JSON.stringify(record)).join('\r\n'), { size }),
                            ),
                        ).toBe(same);
                },
            ),
            { numRuns: 300 },
        );
    });

    it('and rejected if JSON.parse rejects it, wherever something is removed or inserted', async () => {
        const damage = fc.record({
            at: fc.nat(),
            remove: fc.nat({ max: 2 }),
            put: fc.constantFrom('', '', '"', '{', '}', ']', ',', ':', '\\', '1', 'x', '\u00a0'),
        });
        await fc.assert(
            fc.asyncProperty(
                fc.array(plain, { minLength: 1, maxLength: 4 }),
                damage,
                async (records, { at, remove, put }) => {
                    const whole = JSON.stringify(records);
                    const place = 1 + (at % (whole.length - 1));
                    const text = whole.slice(0, place) + put + whole.slice(place + remove);
                    let isList = true;
                    try {
                        isList = Array.isArray(JSON.parse(text));
                    } catch (error) {
                        expect(error).toBeInstanceOf(SyntaxError);
                        isList = false;
                    }
                    const reading = jsonReader(cut(text, 5)).check();
                    if (isList) await expect(reading).resolves.toHaveProperty('rows');
                    else await expect(reading).rejects.toMatchObject({ code: 'SOURCE_MALFORMED' });
                },
            ),
            { numRuns: 500 },
        );
    });

    it.each([
        ['9007199254740991', 9007199254740991],
        ['9007199254740992', '9007199254740992'],
        ['-9007199254740993', '-9007199254740993'],
        ['1e400', '1e400'],
        ['-1E+400', '-1E+400'],
        ['1e-400', '1e-400'],
        ['0e-400', 0],
        ['0.00000000000000000000', 0],
        ['12345678901234567890.5', '12345678901234567890.5'],
        ['0.1234567890123456789', '0.1234567890123456789'],
        ['0.1', 0.1],
        ['0.10', 0.1],
        ['1e22', 1e22],
        ['9007199254740993e0', '9007199254740993e0'],
        ['1.5e300', 1.5e300],
        ['1.7976931348623157e+308', Number.MAX_VALUE],
    ])('with the number %s as %p', async (number, value) => {
        expect(await recordsOf(`[{"a": ${number}, "b": "${number}", "c": [1,${number}]}]`)).toEqual([
            { a: value, b: number, c: [1, value] },
        ]);
        expect(await recordsOf(`{"x":1}\n{"a":${number}}`)).toEqual([{ x: 1 }, { a: value }]);
    });

    it('and an object that has a key twice is rejected as it is written', async () => {
        const broken = '{"a": {"b": [{}, {"c": 1, "\\u0063": 2}]}}';
        const problem = expect.stringMatching(/element 2 \(line 2, column 1\).*"c".*a\.b\.1/) as string;
        for (const text of [`[{"a":1},\n${broken}, {"a":3}]`, `{"a":1}\n${broken}\n{"a":3}`])
            expect(await pagesOf(text)).toEqual([
                expect.objectContaining({
                    records: [{ a: 1 }, { a: 3 }],
                    rows: 3,
                    faults: [
                        {
                            index: 1,
                            place: 'line 2',
                            path: 'value',
                            data: { value: broken },
                            problem,
                        },
                    ],
                }),
            ]);
        expect(await jsonReader(cut(`{"a":1}\n${broken}`, 9)).check()).toEqual({ rows: 2 });
    });

    it('many records at once, whatever is between them, each in its place and with its own numbers', async () => {
        const text = (i: number): string => `{"id":${i},"n":1234567890123456789${i % 10},"tags":["a,b",{"c":"]"}]}`;
        const records = Array.from({ length: 5_000 }, (_, i) => text(i));
        const parse = jest.spyOn(JSON, 'parse');
        const pages = await pagesOf(`[${records.join(' ,\n')}\n]`, { size: 65_536, skip: 1_234 });
        expect(parse.mock.calls.length).toBeLessThan(records.length / 100);
        expect(pages.flatMap(page => page.records)).toEqual(
            records.slice(1_234).map((_, i) => ({
                id: i + 1_234,
                n: `1234567890123456789${(i + 1_234) % 10}`,
                tags: ['a,b', { c: ']' }],
            })),
        );
        expect(pages[0]!.placeOf(0)).toBe('line 1235');
        expect(pages[2]!.placeOf(7)).toBe('line 3242');
    });

    it('and if each of them is rejected, none is read over and over', async () => {
        const text = `[${'{"a":1,"a":2},'.repeat(20_000)}{"a":1}]`;
        let issues = 0;
        const read = await charactersRead(25 * text.length, async () => {
            for (const page of await pagesOf(text, { size: 65_536 })) issues += page.faults.length;
        });
        expect(issues).toBe(20_000);
        expect(read).toBeGreaterThanOrEqual(text.length);
    });

    it.each([
        ['a bracket of another kind', '{"a":[1}', '"a":[2]}'],
        ['a comma too many', '{"a":1}', ',{"a":2}'],
        ['an unknown word', '{"a":1}', '{"a":nul}'],
    ])('and invalid JSON after other records is reported with its place: %s', async (_, one, two) => {
        const text = `[{"x":1},\n${one},\n${two},\n{"y":1}]`;
        const alone = await jsonReader(cut(text, 1)).check().then(String, String);
        expect(alone).toContain('line ');
        expect(await jsonReader(cut(text, 65_536)).check().then(String, String)).toBe(alone);
    });

    it('and a number of two million digits is not read over and over', async () => {
        const number = `1${'0'.repeat(2_000_000)}1.5e-1999980`;
        let record: JsonObject | undefined;
        const read = await charactersRead(25 * number.length, async () => {
            [record] = await recordsOf(`[{"a": ${number}}]`, { size: 65_536 });
        });
        expect(record!['a'] === number).toBe(true);
        expect(read).toBeGreaterThanOrEqual(number.length);
    });

    it('and other work runs meanwhile, even if the whole text is available at once', async () => {
        const work = new WorkBetweenTurns(4);
        const push = JsonRecordSplitter.prototype.push;
        jest.spyOn(JsonRecordSplitter.prototype, 'push').mockImplementation(function* (
            this: JsonRecordSplitter,
            piece,
        ) {
            for (const _ of push.call(this, piece)) {
                work.did();
                yield;
            }
        });
        const text = `[${'{"a":1},'.repeat(50_000)}{}]`;
        const { value, total, most } = await work.during(() => jsonReader(cut(text, text.length)).check());
        expect(value.rows).toBe(50_001);
        // Stretches of 500 elements take 4 ms each, and 8 may pass without a turn.
        expect(total).toBeGreaterThanOrEqual(100);
        expect(most).toBe(2);
    });

    it('and a number that would be text is not a key', async () => {
        await expect(jsonReader(cut('[{12345678901234567890: 1}]', 9)).check()).rejects.toMatchObject(
            malformed('line 1, column 3', /key.*"\}"/),
        );
    });

    it('and records that were read before are skipped without being parsed', async () => {
        const elements = Array.from({ length: 25 }, (_, i) => (i % 7 === 3 ? 'null' : `{"i": ${i}}`));
        for (const text of [`[${elements.join(',\n')}]`, elements.join('\n')]) {
            const whole = await pagesOf(text, { pageSize: 4 });
            expect(whole.map(page => page.rows)).toEqual([4, 8, 12, 16, 20, 24, 25]);
            for (const [i, page] of whole.entries()) {
                const rest = await pagesOf(text, { pageSize: 4, skip: page.rows, size: 7 });
                expect(rest.map(toldPlaces)).toEqual(whole.slice(i + 1).map(toldPlaces));
            }
        }
        expect(await recordsOf('[{"a": tru}, {"a": 2}]', { skip: 1 })).toEqual([{ a: 2 }]);
    });

    it('page by page: nothing is read ahead of the reader', async () => {
        let given = 0;
        async function* source(): AsyncGenerator<string, void, void> {
            yield '[{}';
            for (given = 0; given < 1000; given++) yield ',{}';
        }
        const pages = jsonReader(source).read({ pageSize: 10 });
        await pages.next();
        expect(given).toBeLessThan(12);
        await pages.return();
    });

    it('and a record of 4194304 characters is read, one more is rejected, wherever it is cut', async () => {
        const fits = `{"a":"${'x'.repeat(4_194_304 - 8)}"}`;
        const tooLong = fits.replace('x', 'xx');
        for (const size of [60_000, 5_000_000]) {
            for (const around of [
                (text: string) => `[${text}]`,
                (text: string) => text,
                (text: string) => `{}\n${text}\n`,
            ]) {
                await expect(jsonReader(cut(around(fits), size)).check()).resolves.toHaveProperty('rows');
                await expect(jsonReader(cut(around(tooLong), size)).check()).rejects.toMatchObject(
                    malformed(expect.any(String) as string, '4194304 characters'),
                );
            }
        }
    });

    it('and a record of 200000 values is read, one more is rejected, since they are parsed at once', async () => {
        const record = (values: number): string => `{"a":[${Array<string>(values).fill('{}').join(',')}]}`;
        for (const around of [
            (text: string) => `[${text}]`,
            (text: string) => text,
            (text: string) => `{}\n${text}\n`,
        ]) {
            await expect(jsonReader(cut(around(record(200_000)), 65_536)).check()).resolves.toHaveProperty('rows');
            await expect(jsonReader(cut(around(record(200_001)), 65_536)).check()).rejects.toMatchObject(
                malformed(expect.any(String) as string, '200000 values'),
            );
        }
        await expect(jsonReader(cut(record(200_001), 65_536)).check()).rejects.toMatchObject(
            malformed('line 1, column 1', /200000 values.*itemsPath/),
        );
    });

    it('and a bracket that is not closed is reported by the text after it, not by the number of values', async () => {
        const text = `[{"a": 1,\n${'{"a": 1},\n'.repeat(210_000)}{}]`;
        await expect(jsonReader(cut(text, 65_536)).check()).rejects.toMatchObject(
            malformed('line 2, column 1', /key(?!.*"\}")/),
        );
    });

    it('and a quote that is not closed is reported by the text after it, not by the length', async () => {
        const text = `[{"a": "x},\n${'{"a": "y"},\n'.repeat(500_000)}{}]`;
        await expect(jsonReader(cut(text, 65_536)).check()).rejects.toMatchObject(
            malformed('line 1, column 12', 'line end'),
        );
    });
});

describe('the path to the records', () => {
    it.each([
        ['a', '{}', 'the root has no "a"; it is an empty object'],
        ['a', `{${Array.from({ length: 12 }, (_, i) => `"k${i}": 1`).join(',')}}`, '"k8", "k9" and 2 more'],
        ['a.b', '{"a": {"c": []}, "b": []}', '"a" has no "b"; it has "c"'],
        ['a.b', '{"a": null}', '"a" is null, not an object'],
        ['a', '{"a": "x"}', '"a" is a text, not a list'],
        ['a', '{"a": false}', '"a" is true or false, not a list'],
        ['a', '-1', 'the root is a number, not an object'],
        ['a.b', '{"a": {"b": []}, "a": {"b": [{}]}}', '"a" comes twice'],
        ['a.b', '{"x": {"a": {"b": []}}}', 'the root has no "a"; it has "x"'],
    ])('%s is not in %s', async (itemsPath, text, problem) => {
        await expect(jsonReader(cut(text, 3), { itemsPath }).check()).rejects.toMatchObject({
            code: 'SOURCE_MALFORMED',
            facts: {
                where: expect.stringMatching(new RegExp(`^itemsPath "${itemsPath}" \\(line 1, column \\d+\\)$`)),
                problem: expect.stringContaining(problem),
            },
        });
    });

    it('is found by names that are spelled with escapes, and past what looks like it', async () => {
        expect(
            await recordsOf('{"b": {"items": [1]}, "list": [{"items": [{}]}], "\\u0069tems": [{"a": 1}]}', {
                itemsPath: 'items',
                size: 4,
            }),
        ).toEqual([{ a: 1 }]);
    });
});

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { charactersRead } from '../../../test/kit/characters-read';
import type { PageIssue } from '../../core/adapter/extractor';
import type { JsonObject } from '../../core/value/json';
import { isFlowError } from '../../core/errors/flow-error';
import { csvReader } from './csv';
import { decoded, type Encoding } from './decode';
import { detectFormat } from './detect';
import { jsonReader } from './json';
import type { RecordReader } from './source';

const FOLDER = join(__dirname, '../../../test/fixtures/files');

interface Options {
    readonly delimiter?: string;
    readonly hasHeader?: boolean;
    readonly trim?: boolean;
    readonly itemsPath?: string;
    readonly encoding?: Encoding;
    readonly mimeType?: string;
}

/** The expected result of reading a file; only the first of its records. */
type Expected =
    | { readonly rows: number; readonly records: readonly JsonObject[]; readonly faults: readonly PageIssue[] }
    | { readonly error: string; readonly message: string };

const files = ['csv', 'json'].flatMap(folder => readdirSync(join(FOLDER, folder)).map(name => `${folder}/${name}`));
const isPartner = (file: string): boolean => /\.(expected|options)\.json$/.test(file);
const stemOf = (file: string): string => file.replace(/(\.(expected|options))?\.\w+$/, '');
const cases = files.filter(file => !isPartner(file));

function jsonOf<T>(file: string): T {
    return JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as T;
}

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array, void, void> {
    for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

interface Reading {
    readonly bytes: Uint8Array;
    readonly filename: string;
    readonly options?: Options;
    readonly chunk: number;
}

function readerOf({ bytes, filename, options = {}, chunk }: Reading): RecordReader {
    const { format, encoding } = detectFormat({
        head: bytes.subarray(0, 65_536),
        filename,
        mimeType: options.mimeType,
    });
    const text = (): AsyncIterable<string> => decoded(chunksOf(bytes, chunk), options.encoding ?? encoding);
    if (format === 'json') return jsonReader(text, options);
    const { delimiter = ',', hasHeader = true, trim = false } = options;
    return csvReader(text, { delimiter, hasHeader, trim });
}

async function read(reading: Reading): Promise<{ rows: number; records: JsonObject[]; faults: PageIssue[] }> {
    const reader = readerOf(reading);
    const { rows } = await reader.check();
    const records: JsonObject[] = [];
    const issues: PageIssue[] = [];
    let seen = 0;
    for await (const page of reader.read({ pageSize: 3 })) {
        issues.push(...page.faults.map(issue => ({ ...issue, index: issue.index + records.length })));
        records.push(...page.records);
        seen = page.rows;
    }
    expect(seen).toBe(rows);
    expect(records.length + issues.length).toBe(rows);
    return { rows, records, faults: issues };
}

describe('the golden files', () => {
    it.each(cases)('%s', async file => {
        const expected = jsonOf<Expected>(`${stemOf(file)}.expected.json`);
        const options = existsSync(join(FOLDER, `${stemOf(file)}.options.json`))
            ? jsonOf<Options>(`${stemOf(file)}.options.json`)
            : {};
        const bytes = readFileSync(join(FOLDER, file));
        for (const chunk of [1, 7, 65_536]) {
            const reading = (async () => read({ bytes, filename: file, options, chunk }))();
            if ('error' in expected) {
                await expect(reading).rejects.toMatchObject({
                    code: expected.error,
                    message: expect.stringContaining(expected.message),
                });
            } else {
                const { rows, records, faults: issues } = await reading;
                expect({ rows, faults: issues.map(({ place: _place, ...issue }) => issue) }).toEqual({
                    rows: expected.rows,
                    faults: expected.faults,
                });
                // The place is the line that the problem names.
                for (const { place, problem } of issues)
                    expect(`${place} of ${problem}`).toMatch(/^(line \d+) of (?:element \d+ \()?\1\b/);
                // As text: toEqual takes a field called __proto__ for the prototype.
                expect(JSON.stringify(records.slice(0, expected.records.length))).toBe(
                    JSON.stringify(expected.records),
                );
            }
        }
    });

    it('are many, and each has its partner', () => {
        expect(cases.filter(file => file.startsWith('csv/')).length).toBeGreaterThanOrEqual(22);
        expect(cases.filter(file => file.startsWith('json/')).length).toBeGreaterThanOrEqual(13);
        expect(cases.filter(file => !files.includes(`${stemOf(file)}.expected.json`))).toEqual([]);
        const stems = new Set(cases.map(stemOf));
        expect(stems.size).toBe(cases.length);
        expect(files.filter(file => isPartner(file) && !stems.has(stemOf(file)))).toEqual([]);
    });
});

describe('a file that is too big', () => {
    const PIECE = 65_536;
    /** The greatest number of characters that a record may have. */
    const LONGEST = 4 * 1024 * 1024;
    /** The number of characters that were read. */
    let given: number;
    /** One line of a gigabyte, which is never held. */
    async function* gigabyte(opening: string, filling: string): AsyncGenerator<string, void, void> {
        const piece = filling.repeat(Math.ceil(PIECE / filling.length));
        given = opening.length;
        yield opening;
        while (given < 1_000_000_000) {
            given += piece.length;
            yield piece;
        }
    }

    it.each<[string, (text: () => AsyncIterable<string>) => RecordReader, string, string, string]>([
        [
            'CSV with a line of 1 GB',
            text => csvReader(text, { delimiter: ',', hasHeader: true }),
            'a\n',
            'x',
            'line 2: the row is longer than 4194304 characters',
        ],
        [
            'CSV with a quote of 1 GB',
            text => csvReader(text, { delimiter: ',', hasHeader: true }),
            'a\n"',
            'x\n',
            'line 2: the row is longer than 4194304 characters',
        ],
        [
            'CSV with a row of very many cells',
            text => csvReader(text, { delimiter: ',', hasHeader: true }),
            'a\n',
            ',',
            'line 2: the row has 10001 cells or more',
        ],
        [
            'JSON with a text of 1 GB',
            text => jsonReader(text),
            '[{"a": "',
            'x',
            'line 1, column 2: a record or value is longer than 4194304 characters',
        ],
        [
            'JSON with a record of 1 GB',
            text => jsonReader(text),
            '[{"a": [1',
            ',1',
            'line 1, column 2: a record or value holds more than 200000 values',
        ],
        ['JSON that is one record of 1 GB', text => jsonReader(text), '{"a": [1', ',1', 'does the file need itemsPath'],
        [
            'JSON with a line of 1 GB',
            text => jsonReader(text),
            '{"a": 1}\n{"a": "',
            'x',
            'line 2, column 1: a record or value is longer',
        ],
        [
            'JSON with a key of 1 GB around the records',
            text => jsonReader(text, { itemsPath: 'a' }),
            '{"',
            'x',
            'line 1, column 2: a record or value is longer',
        ],
        [
            'JSON nested 100,000 deep',
            text => jsonReader(text),
            '[',
            '[',
            'line 1, column 2: lists and objects are nested more than 100 deep',
        ],
        [
            'JSON nested 100,000 deep around the records',
            text => jsonReader(text, { itemsPath: 'a' }),
            '{"b":',
            '[',
            'nested more than 100 deep',
        ],
    ])('%s, is rejected before more than a longest record is read', async (_, readerFor, opening, filling, message) => {
        let rejection: unknown;
        const read = await charactersRead(16 * (LONGEST + 2 * PIECE), async () => {
            rejection = await readerFor(() => gigabyte(opening, filling))
                .check()
                .catch((error: unknown) => error);
        });
        expect(rejection).toMatchObject({ code: 'SOURCE_MALFORMED', message: expect.stringContaining(message) });
        expect(given).toBeLessThan(LONGEST + 2 * PIECE);
        // The characters are not read again and again.
        expect(read).toBeGreaterThan(0);
        expect(read).toBeLessThan(16 * given);
    });

    it('JSON with a list of many lines next to the records, is not read over and over', async () => {
        const text = `{"aside": [${'1,\n'.repeat(50_000)}1], "items": [${'1,\n'.repeat(50_000)}{}]}`;
        async function* whole(): AsyncGenerator<string, void, void> {
            yield text;
        }
        let issues = 0;
        const read = await charactersRead(15 * text.length, async () => {
            for await (const page of jsonReader(whole, { itemsPath: 'items' }).read({})) issues += page.faults.length;
        });
        expect(issues).toBe(50_000);
        expect(read).toBeGreaterThanOrEqual(text.length);
    });
});

describe('any bytes', () => {
    const json = fc.string({ unit: fc.constantFrom(...'[]{}",:\\u0 \n1-e.at'), maxLength: 60 });
    const csv = fc.string({ unit: fc.constantFrom(...'",;\r\n\t ab1€\ufeff'), maxLength: 60 });
    const bytes = fc.oneof(
        fc.uint8Array({ maxLength: 200 }),
        fc.json().map(text => Buffer.from(text)),
        json.map(text => Buffer.from(text)),
        csv.map(text => Buffer.from(text)),
        csv.map(text => Buffer.from(text, 'utf16le')),
    );

    it('give records or a typed error, alike wherever they are cut', async () => {
        const reading = fc.record({
            bytes,
            chunk: fc.integer({ min: 1, max: 70 }),
            filename: fc.constantFrom('x.csv', 'x.json', 'x.ndjson', 'x.txt'),
            options: fc.constantFrom<Options>(
                {},
                { itemsPath: 'a' },
                { hasHeader: false, delimiter: ';' },
                { trim: true },
                { encoding: 'windows-1252' },
            ),
        });
        const outcomeOf = (one: Reading): Promise<unknown> =>
            read(one).catch((error: unknown) => {
                if (!isFlowError(error) || error.code === 'BUG') throw error;
                return error.message;
            });
        await fc.assert(
            fc.asyncProperty(reading, async one => {
                expect(JSON.stringify(await outcomeOf(one))).toBe(
                    JSON.stringify(await outcomeOf({ ...one, chunk: 1000 })),
                );
            }),
            { numRuns: 1000 },
        );
    });
});

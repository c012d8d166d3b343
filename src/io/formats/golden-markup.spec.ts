import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GOLDEN_WORKBOOKS } from '../../../test/fixtures/files/xlsx/golden';
import type { PageIssue } from '../../core/adapter/extractor';
import type { JsonObject } from '../../core/value/json';
import { decoded } from './decode';
import type { RecordReader } from './source';
import { xmlReader, type XmlOptions } from './xml';
import { xmlEncoding } from './xml-encoding';
import { xlsxReader } from './xlsx/xlsx';

type Expected = { rows: number; records: JsonObject[]; faults: PageIssue[] } | { error: string; message: string };

async function all(reader: RecordReader): Promise<{ rows: number; records: JsonObject[]; faults: PageIssue[] }> {
    const { rows } = await reader.check();
    const records: JsonObject[] = [];
    const issues: PageIssue[] = [];
    for await (const page of reader.read({})) {
        issues.push(...page.faults.map(issue => ({ ...issue, index: issue.index + records.length })));
        records.push(...page.records);
    }
    return { rows, records, faults: issues };
}

const XML = join(__dirname, '../../../test/fixtures/files/xml');

describe('the XML document', () => {
    const names = readdirSync(XML)
        .filter(name => name.endsWith('.xml'))
        .map(name => name.slice(0, -4));
    const json = <T>(name: string): T => JSON.parse(readFileSync(join(XML, name), 'utf8')) as T;

    it.each(names)('%s reads as expected, in one piece and in small ones', async name => {
        const bytes = readFileSync(join(XML, `${name}.xml`));
        const options = existsSync(join(XML, `${name}.options.json`)) ? json<XmlOptions>(`${name}.options.json`) : {};
        const expected = json<Expected>(`${name}.expected.json`);
        async function* text(size: number): AsyncGenerator<string> {
            let whole = '';
            for await (const piece of decoded([bytes] as never, xmlEncoding(bytes))) whole += piece;
            for (let from = 0; from < whole.length; from += size) yield whole.slice(from, from + size);
        }
        for (const size of [Infinity, 7, 1]) {
            const result = all(xmlReader(() => text(size), options));
            if ('error' in expected)
                await expect(result).rejects.toMatchObject({
                    code: expected.error,
                    message: expect.stringContaining(expected.message),
                });
            else expect(JSON.stringify(await result)).toBe(JSON.stringify(expected));
        }
    });

    it('has a pair for each of at least fourteen rules', () => expect(names.length).toBeGreaterThanOrEqual(14));
});

describe('the workbook with', () => {
    let folder: string;
    beforeAll(() => {
        folder = mkdtempSync(join(tmpdir(), 'flow-golden-'));
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    it.each(GOLDEN_WORKBOOKS.map(golden => [golden.name, golden] as const))(
        '%s',
        async (_, { file, options, expected }) => {
            const path = join(folder, 'golden.xlsx');
            writeFileSync(path, file());
            const result = all(xlsxReader({ path }, options));
            if ('malformed' in expected) {
                await expect(result).rejects.toMatchObject({
                    code: 'SOURCE_MALFORMED',
                    message: expect.stringContaining(expected.malformed),
                });
                return;
            }
            const { records, faults: issues = [] } = expected;
            const found = await result;
            expect(found.records.map(record => JSON.stringify(record))).toEqual(
                records.map(record => JSON.stringify(record)),
            );
            expect(found.faults).toEqual(issues.map(issue => expect.objectContaining(issue)));
            expect(found.rows).toBe(records.length + issues.length);
        },
    );
});

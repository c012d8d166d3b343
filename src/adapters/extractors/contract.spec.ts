import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExtractContext, Extractor, Page } from '../../core/adapter/extractor';
import { noNetwork } from '../../core/adapter/http';
import { noResources } from '../../core/adapter/no-resources';
import { systemClock } from '../../core/data/clock';
import type { JsonObject, JsonValue } from '../../core/data/json';
import { parseWith } from '../../core/schema/issues';
import { isJsonObject } from '../../core/data/json';
import { jsonSchemaOf } from '../../core/schema/json-schema';
import { extractors } from '../index';
import { givenFiles } from '../../../test/kit/given-files';

const files = givenFiles({
    csv: {
        format: 'csv',
        bytes: Buffer.from(`n,ä\n${Array.from({ length: 3500 }, (_, i) => (i === 99 ? '99' : `${i},x`)).join('\r\n')}`),
    },
    json: {
        format: 'json',
        bytes: Buffer.from(
            JSON.stringify({ all: { items: Array.from({ length: 3500 }, (_, i) => (i === 99 ? 'none' : { n: i })) } }),
        ),
    },
    xml: {
        format: 'xml',
        bytes: Buffer.from(`<a><b>${Array.from({ length: 3500 }, (_, i) => `<r n="${i}">ä</r>`).join('')}</b></a>`),
    },
    xlsx: { format: 'xlsx', bytes: readFileSync(join(__dirname, '../../../test/fixtures/files/rows.xlsx')) },
});
afterAll(() => files.remove());

/** Configurations that give several pages, one extractor may have more than one. */
const CASES: ReadonlyArray<readonly [string, Extractor, JsonObject]> = extractors.flatMap(
    (extractor): Array<readonly [string, Extractor, JsonObject]> => {
        const rows = Array.from({ length: 3500 }, (_, i) => ({ n: String(i), ä: 'x' }));
        const text = rows.map(row => (row.n === '1234' ? '1234' : `${row.n},x`)).join('\n');
        const configs: Record<(typeof extractors)[number]['code'], readonly JsonObject[]> = {
            inMemory: [{ data: rows }],
            generator: [
                { count: 3500, template: { a: 'uuid', b: 'random:10', c: 'timestamp', d: '{{index}}' } },
                { count: 2500 },
            ],
            csv: [
                { csvText: `n,ä\n${text}` },
                { rows },
                { rows: [['n', 'ä'], ...rows.map(row => [row.n, 'x'])] },
                { fileId: 'csv' },
            ],
            json: [{ jsonText: JSON.stringify(rows) }, { fileId: 'json', itemsPath: 'all.items' }],
            xml: [
                { xmlText: `<a>${rows.map(({ n }) => `<r n="${n}"><c>x</c></r>`).join('')}</a>` },
                { fileId: 'xml', recordPath: 'a.b.r' },
            ],
            xlsx: [
                { fileId: 'xlsx', sheetName: 'Rows' },
                { fileId: 'xlsx', sheetName: 0 },
            ],
        };
        return configs[extractor.code].map((config, i) => [`${extractor.code} ${i + 1}`, extractor, config] as const);
    },
);

function context(part: Partial<ExtractContext> = {}): ExtractContext {
    const nothing = (): void => undefined;
    return {
        stepKey: 'source',
        mode: 'live',
        signal: new AbortController().signal,
        log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
        clock: { ...systemClock, now: () => 1_700_000_000_000 },
        platform: undefined,
        http: noNetwork,
        ...noResources,
        files,
        resumeFrom: undefined,
        limit: undefined,
        ...part,
    };
}

function open(
    extractor: Extractor,
    config: JsonObject,
    part: Partial<ExtractContext> = {},
): AsyncGenerator<Page, void, void> {
    const parsed = parseWith(extractor.config, config);
    if (!parsed.ok) throw new Error(parsed.issues.map(issue => issue.message).join('; '));
    return extractor.extract(parsed.value, context(part));
}

async function collect(pages: AsyncGenerator<Page, void, void>): Promise<Page[]> {
    const all: Page[] = [];
    for await (const page of pages) all.push(page);
    return all;
}

describe.each(CASES)('extractor %s', (_name, extractor, config) => {
    it('goes on from each of its checkpoints as the whole run would, even when the clock has moved on', async () => {
        const whole = await collect(open(extractor, config));
        expect(whole.length).toBeGreaterThanOrEqual(3);
        for (const [i, page] of whole.entries()) {
            // As the store gives it back.
            const resumeFrom = JSON.parse(JSON.stringify(page.checkpoint)) as JsonValue;
            const rest = await collect(open(extractor, config, { resumeFrom, clock: systemClock }));
            expect(rest.flatMap(part => part.records)).toEqual(whole.slice(i + 1).flatMap(part => part.records));
            expect(rest.flatMap(part => part.faults ?? []).length).toBe(
                whole.slice(i + 1).flatMap(part => part.faults ?? []).length,
            );
        }
    });

    it('ends within a second when the run is cancelled', async () => {
        const cancel = new AbortController();
        const pages = open(extractor, config, { signal: cancel.signal });
        await pages.next();
        cancel.abort(new Error('cancelled'));
        const start = Date.now();
        await expect(collect(pages)).rejects.toThrow('cancelled');
        expect(Date.now() - start).toBeLessThan(1000);
    });

    it('lets other work go on between two pages', async () => {
        let turns = 0;
        const ticking = setInterval(() => turns++, 0);
        await collect(open(extractor, config));
        clearInterval(ticking);
        expect(turns).toBeGreaterThan(0);
    });

    it('reads hardly more than a preview asks for', async () => {
        const pages = await collect(open(extractor, config, { limit: 7, mode: 'preview' }));
        const records = pages.flatMap(page => page.records);
        const whole = await collect(open(extractor, config));
        expect(records.slice(0, 7)).toEqual(whole[0]!.records.slice(0, 7));
        expect(records.length).toBe(7);
    });
});

describe.each(extractors.map(extractor => [extractor.code, extractor as Extractor] as const))(
    'extractor %s',
    (_code, extractor) => {
        it('has a summary that is a sentence, and says of every field what it is', () => {
            expect(extractor.summary).toMatch(/^[A-Z].*[^.]\.$/);
            const properties = jsonSchemaOf(extractor.config)['properties'];
            for (const schema of Object.values(isJsonObject(properties) ? properties : {})) {
                expect(schema).toMatchObject({
                    title: expect.stringMatching(/^[A-Z]/),
                    description: expect.stringMatching(/\.$/),
                });
            }
        });

        it('refuses a field that it does not know', () => {
            const result = parseWith(extractor.config, { nonsense: 1 });
            expect(result.ok ? [] : result.issues.map(issue => issue.path)).toContain('nonsense');
        });
    },
);

import ExcelJS from 'exceljs';
import { logText } from '../../core/log/log-text';
import fc from 'fast-check';
import { type RunOptions, runPipeline, sketched } from '../../../test/kit/pipeline';
import type { AdapterContext } from '../../core/adapter/context';
import type { OutboundHttp, OutboundRequest, StreamedBody } from '../../core/adapter/http';
import { Secret } from '../../core/adapter/secret';
import { EVERY_HOST } from '../../core/adapter/secret-hosts';
import type { SinkSession } from '../../core/adapter/sink';
import { flowError } from '../../core/errors/flow-error';
import type { JsonObject } from '../../core/value/json';
import { parseWith } from '../../core/schema/issues';
import { csvReader } from '../../io/formats/csv';
import type { RecordReader } from '../../io/formats/source';
import { xmlReader } from '../../io/formats/xml';
import { contextWith } from '../../testing/context';
import { fakeOutbound } from '../../testing/fake-outbound';
import { type LogLine, eventLog } from '../../../test/kit/event-log';
import { MemoryState } from '../../../test/kit/memory-ports';
import { RUN } from '../../../test/kit/run-facts';
import { MemoryExports } from '../../testing/memory-exports';
import { fileExport } from './file-export';

interface Exporting extends RunOptions {
    readonly exports?: MemoryExports;
    readonly batchSize?: number;
    readonly concurrency?: number;
}

async function exported(config: JsonObject, records: readonly JsonObject[], options: Exporting = {}) {
    const { exports = new MemoryExports(), batchSize = 2, concurrency = 1, ...more } = options;
    const definition = sketched({
        steps: {
            start: ['TRIGGER', {}],
            read: ['EXTRACT', { adapterCode: 'toyPages', pages: [{ records: [...records] }] }],
            write: ['SINK', { adapterCode: 'fileExport', ...config }],
        },
        edges: ['start > read > write'],
        throughput: { batchSize, concurrency },
        errorHandling: { maxRetries: 3, retryDelayMs: 1 },
    });
    const ran = await runPipeline(definition, { adapters: [fileExport], resources: { exports }, ...more });
    const [file] = exports.files.slice(-1);
    return { ...ran, exports, file, text: file?.content.toString('utf8') ?? '' };
}

async function opened(config: JsonObject, part: Partial<AdapterContext>): Promise<SinkSession> {
    const parsed = parseWith(fileExport.config, config);
    if (!parsed.ok) throw new Error('The configuration is invalid.');
    return fileExport.open(parsed.value as never, { ...contextWith(part), run: RUN });
}

const RECORDS: readonly JsonObject[] = [
    { sku: 'A-1', name: 'Größe "M"', price: 1999 },
    { sku: 'A-2', name: 'two\nlines', tags: ['a', 'b'] },
    { sku: 'A-3', name: null, isNew: true },
];

async function readBy({ read }: RecordReader): Promise<readonly JsonObject[]> {
    const rows: JsonObject[] = [];
    for await (const { records } of read({ pageSize: 100 })) rows.push(...records);
    return rows;
}

const rowsOf = (text: string, delimiter = ','): Promise<readonly JsonObject[]> =>
    readBy(csvReader(() => given(text), { delimiter, hasHeader: true }));

async function* given(text: string): AsyncGenerator<string> {
    yield text;
}

describe('a file export', () => {
    it('writes CSV with the fields of all records, in whatever batch they are', async () => {
        const { text, file, end } = await exported({ format: 'CSV' }, RECORDS);
        expect(text).toBe(
            [
                'sku,name,price,tags,isNew',
                'A-1,"Größe ""M""",1999,,',
                'A-2,"two\nlines",,"[""a"",""b""]",',
                'A-3,,,,true',
                '',
            ].join('\r\n'),
        );
        expect(file).toMatchObject({ format: 'csv', mimeType: 'text/csv', records: 3, keep: 1 });
        expect(end).toMatchObject({ counters: { write: { updated: 3 } } });
    });

    it('writes the selected columns, with another delimiter and a byte order mark', async () => {
        const records = [{ 'a.b': 1, c: { d: 2 } }];
        const config = { columns: ['c.d', 'a\\.b', 'e'], delimiter: ';', byteOrderMark: true };
        const { text } = await exported({ format: 'CSV', ...config }, records);
        expect(text).toBe('\uFEFFc.d;a.b;e\r\n2;1;\r\n');
    });

    it.each([
        ['TSV', 'sku\tn\nA\t"x\ty"\n'],
        ['JSON', '[\n{"sku":"A","n":"x\\ty"}\n]\n'],
        ['NDJSON', '{"sku":"A","n":"x\\ty"}\n'],
        [
            'XML',
            '<?xml version="1.0" encoding="UTF-8"?>\n<records>\n<record><sku>A</sku><n>x\ty</n></record>\n</records>\n',
        ],
    ])('writes %s', async (format, expected) => {
        const { text } = await exported({ format, ...(format === 'TSV' && { formulaSafe: false }) }, [
            { sku: 'A', n: 'x\ty' },
        ]);
        expect(text).toBe(expected);
    });

    it('writes nested fields and lists as elements, and rejects a record whose field can be none', async () => {
        const record = { sku: 'A', price: { net: 1, tax: null }, tags: ['a', 'b'] };
        const { text, state } = await exported({ format: 'XML', xmlRoot: 'feed', xmlRecord: 'item' }, [
            record,
            { ...record, price: { 'per unit': 1 } },
        ]);
        expect(text).toContain(
            '<feed>\n<item><sku>A</sku><price><net>1</net><tax/></price><tags>a</tags><tags>b</tags></item>\n</feed>',
        );
        expect([...state.rejects.values()]).toMatchObject([{ code: 'RECORD_INVALID', path: 'price.per unit' }]);
    });

    it('writes a workbook in which texts are texts and numbers are numbers', async () => {
        const exports = new MemoryExports();
        // A clock of tests does not wait for what is compressed.
        const session = await opened({ format: 'XLSX' }, { exports });
        const records = [...RECORDS, { sku: '=1+1', price: 0.5 }];
        const batch = records.map((data, seq) => ({ data, origin: { seq } }));
        await session.deliver(batch.slice(0, 2), ['0', '1']);
        await session.deliver(batch.slice(2), ['2', '3']);
        await session.finish!({ lack: undefined, unread: undefined });
        const book = new ExcelJS.Workbook();
        await book.xlsx.load(exports.files[0]!.content as never);
        const rows: unknown[] = [];
        book.worksheets[0]!.eachRow(row => rows.push((row.values as unknown[]).slice(1)));
        expect(rows).toEqual([
            ['sku', 'name', 'price', 'tags', 'isNew'],
            ['A-1', 'Größe "M"', 1999],
            ['A-2', 'two\nlines', undefined, '["a","b"]'],
            ['A-3', undefined, undefined, undefined, true],
            ['=1+1', undefined, 0.5],
        ]);
        expect(() => session.check!({ name: 'x'.repeat(32_768) })).toThrow(
            expect.objectContaining({ code: 'RECORD_INVALID', details: { path: 'name' } }) as Error,
        );
    });

    it('prevents spreadsheets from reading a cell as a formula, unless this is disabled', async () => {
        const records = [{ a: '=1+1', b: '-5', c: "'x", d: '+49 30', e: -5, '@f': 'T-shirt' }];
        const safe = await exported({ format: 'CSV' }, records);
        expect(safe.text).toBe("a,b,c,d,e,'@f\r\n'=1+1,-5,''x,'+49 30,-5,T-shirt\r\n");
        const plain = await exported({ format: 'CSV', formulaSafe: false }, records);
        expect(await rowsOf(plain.text)).toEqual([{ ...records[0], e: '-5' }]);
    });

    it('writes any text so that it is read as it was', async () => {
        const texts = fc.array(
            fc.array(
                fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(' ', '\r', '\n', '"', ',', ' x ', '\r\n')),
                {
                    minLength: 2,
                    maxLength: 2,
                },
            ),
            { minLength: 1, maxLength: 5 },
        );
        await fc.assert(
            fc.asyncProperty(texts, fc.constantFrom(',', ';', '\t', '|', '^', ']', '-'), async (rows, delimiter) => {
                const records = rows.map(([a = '', b = '']): JsonObject => ({ a: `x${a}`, b }));
                const { text } = await exported({ format: 'CSV', delimiter, formulaSafe: false }, records);
                expect(await rowsOf(text, delimiter)).toEqual(records);
            }),
            { numRuns: 60 },
        );
    });

    it('writes any text as well-formed XML with the same text', async () => {
        const hostile = fc.oneof(
            fc.string({ unit: 'binary' }),
            fc.constantFrom('\0', ']]>', '<!--', '&amp;', '\uD800', '\uDC00x', '\uFFFE', '<![CDATA[', '\r\n'),
        );
        await fc.assert(
            fc.asyncProperty(fc.array(hostile, { minLength: 1, maxLength: 4 }), async texts => {
                const { text } = await exported({ format: 'XML' }, [{ text: `x${texts.join('')}x` }]);
                const read = await readBy(xmlReader(() => given(text), { recordPath: 'records.record' }));
                const legal = `x${texts.join('')}x`.replace(/[\x00-\x08\x0B\x0C\x0E-\x1F\uFFFE\uFFFF]|\p{Cs}/gu, '');
                expect(read).toEqual([{ text: legal }]);
            }),
            { numRuns: 60 },
        );
    });

    it.each([
        [{}, 1],
        [{ batchSize: 100 }, 3],
    ])('writes batches to disk as they arrive, or of the configured size: %j', async (config, times) => {
        const records = Array.from({ length: 250 }, (_, n): JsonObject => ({ n }));
        let calls = 0;
        const exports = new MemoryExports(() => calls++);
        await exported({ format: 'NDJSON', ...config }, records, { exports, batchSize: 250 });
        expect(calls).toBe(times);
    });

    it('has each record once if parts were stored but their confirmation was lost', async () => {
        const records = Array.from({ length: 9 }, (_, n): JsonObject => ({ n }));
        const exports = new MemoryExports();
        const put = exports.put.bind(exports);
        let calls = 0;
        exports.put = async (...given) => {
            await put(...given);
            if (++calls % 2 === 1) throw flowError('STORAGE_FAILED', { what: 'write', problem: 'EIO' });
        };
        const { text, end } = await exported({ format: 'NDJSON', batchSize: 2 }, records, { exports, batchSize: 3 });
        expect(end).toMatchObject({ end: 'completed' });
        expect(calls).toBeGreaterThan(6);
        expect(
            text
                .trim()
                .split('\n')
                .map(line => JSON.parse(line) as JsonObject),
        ).toEqual(records);
    });

    it('is one complete file wherever a worker is lost, and never a part of one', async () => {
        const records = Array.from({ length: 8 }, (_, n): JsonObject => ({ n, text: `"${n}"` }));
        const rows = records.map(({ n }) => `${String(n)},"""${String(n)}"""\r\n`);
        const expected = `n,text\r\n${rows.join('')}`;
        let lost = 0;
        for (let point = 1; ; point++) {
            const [state, exports] = [new MemoryState(), new MemoryExports()];
            let seen = 0;
            // From this point on another worker has the run, and writes of this one are rejected.
            const at = async (): Promise<void> => {
                if (++seen === point) state.fence++;
            };
            const config = { format: 'CSV', batchSize: 2, ...(point % 2 === 0 && { columns: ['n', 'text'] }) };
            const first = await exported(config, records, { state, exports, at, batchSize: 3 });
            if (seen < point) {
                expect(first.text).toBe(expected);
                break;
            }
            lost++;
            const second = await exported(config, records, { state, exports, batchSize: 3 });
            expect(second.end).toMatchObject({ end: 'completed' });
            expect(exports.files.map(({ content }) => content.toString('utf8'))).toEqual(
                exports.files.map(() => expected),
            );
            expect(exports.files.length).toBeGreaterThan(0);
            expect(await exports.parts('write')).toEqual([]);
        }
        expect(lost).toBeGreaterThan(20);
    });

    it('keeps the order of the source if batches run in parallel', async () => {
        const records = Array.from({ length: 40 }, (_, n): JsonObject => ({ n }));
        const { text } = await exported({ format: 'NDJSON', batchSize: 1 }, records, { batchSize: 3, concurrency: 4 });
        expect(
            text
                .trim()
                .split('\n')
                .map(line => (JSON.parse(line) as JsonObject)['n']),
        ).toEqual(records.map(({ n }) => n));
    });

    it('writes no file of a partial reading, and deletes its parts', async () => {
        const exports = new MemoryExports();
        const lines: LogLine[] = [];
        const session = await opened({ format: 'CSV' }, { exports, log: eventLog(lines) });
        await session.deliver([{ data: { a: 1 }, origin: { seq: 0 } }], ['0']);
        await session.finish!({ lack: undefined, unread: logText('RUN_HAS_REJECTED', {}) });
        expect(exports.files).toEqual([]);
        expect(await exports.parts('step')).toEqual([]);
        expect(lines).toMatchObject([{ code: 'FILE_NOT_WRITTEN', facts: { why: { event: 'RUN_HAS_REJECTED' } } }]);
    });

    it('is sent by PUT to a connection of HTTP, complete and with its length, and is retried from its beginning', async () => {
        const exports = new MemoryExports();
        const sent: Array<Omit<OutboundRequest, 'signal' | 'body'> & { readonly texts: readonly string[] }> = [];
        const send: OutboundHttp['send'] = async ({ body, signal: _signal, ...request }) => {
            const { bytes, open } = body as StreamedBody;
            const texts: string[] = [];
            for (let time = 0; time < 2; time++) {
                const pieces: Uint8Array[] = [];
                for await (const piece of open()) pieces.push(piece);
                expect(Buffer.concat(pieces)).toHaveLength(bytes);
                texts.push(Buffer.concat(pieces).toString());
            }
            sent.push({ ...request, texts });
            return { status: 201, headers: {}, body: Buffer.alloc(0) };
        };
        const settings: JsonObject = {
            baseUrl: 'https://erp.example.com/in/',
            auth: { type: 'BEARER', secretCode: 'erp-token' },
            headers: { 'X-Shop': 'one' },
            timeoutMs: 7_000,
        };
        const config = { format: 'CSV', connectionCode: 'erp', folder: 'daily prices', fileName: 'p ü.csv' };
        const session = await opened(config, {
            exports,
            outbound: fakeOutbound({ http: send }),
            connections: { get: code => ({ code, type: 'HTTP', settings }) },
            secrets: { get: code => new Secret(code, 'a-token', EVERY_HOST) },
        });
        await session.deliver([{ data: { sku: 'Ä', price: 1 }, origin: { seq: 0 } }], ['0']);
        await session.finish!({ lack: undefined, unread: undefined });
        expect(sent).toMatchObject([
            {
                method: 'PUT',
                url: 'https://erp.example.com/in/daily%20prices/p%20%C3%BC.csv',
                originLock: 'https://erp.example.com',
                headers: { 'content-type': 'text/csv', 'X-Shop': 'one' },
                auth: { header: 'Authorization' },
                idleMs: 7_000,
                texts: Array.from({ length: 2 }, () => 'sku,price\r\nÄ,1\r\n'),
            },
        ]);
        expect(exports.files).toEqual([]);
        expect(await exports.parts('step')).toEqual([]);
    });

    it('that a server rejects stays to be sent, and is nowhere else', async () => {
        const exports = new MemoryExports();
        const rejection = flowError('REMOTE_REFUSED', { host: 'erp.example.com', problem: 'answered 403' });
        const session = await opened(
            { format: 'CSV', connectionCode: 'erp' },
            {
                exports,
                outbound: fakeOutbound({ http: () => Promise.reject(rejection) }),
                connections: {
                    get: code => ({
                        code,
                        type: 'REST',
                        settings: { baseUrl: 'https://erp.example.com', auth: { type: 'NONE' } },
                    }),
                },
            },
        );
        await session.deliver([{ data: { a: 1 }, origin: { seq: 0 } }], ['0']);
        await expect(session.finish!({ lack: undefined, unread: undefined })).rejects.toBe(rejection);
        expect(exports.files).toEqual([]);
        expect(await exports.parts('step')).toHaveLength(1);
    });

    it('writes nothing in a dry run', async () => {
        const { exports, end } = await exported({ format: 'CSV' }, RECORDS, { input: { mode: 'dryRun' } });
        expect(end).toMatchObject({ end: 'completed', counters: { write: { updated: 3 } } });
        expect(exports.files).toEqual([]);
    });

    it('has the name of its template, the same in every attempt', async () => {
        const named = await exported({ format: 'CSV', fileName: 'stock ${date} ${runId}.csv' }, RECORDS);
        expect(named.file!.filename).toMatch(/^stock \d{4}-\d\d-\d\d run\.csv$/);
        const empty = await exported({ format: 'CSV', fileName: '${languageCode}' }, RECORDS);
        expect(empty.file!.filename).toMatch(/-\d{4}-\d\d-\d\d\.csv$/);
        const padded = await exported({ format: 'CSV', fileName: ' stock.csv ${languageCode}' }, RECORDS);
        expect(padded.file!.filename).toBe('stock.csv');
        const rejected = exported({ format: 'CSV', fileName: 'a/${nothing}' }, RECORDS);
        await expect(rejected).rejects.toMatchObject({ code: 'DEFINITION_INVALID' });
    });

    const advised = (config: object): readonly string[] =>
        fileExport.advise!(fileExport.config.parse({ format: 'CSV', ...config })).map(({ path }) => path);

    it('is advised of columns that it has twice', () => {
        expect(advised({ columns: ['sku', 'name', 'sku', 'sku'] })).toEqual(['columns.2', 'columns.3']);
        expect(advised({ columns: ['sku', 'name'] })).toEqual([]);
    });

    it('is advised of a part of its name that is empty', () => {
        const fileName = '${languageCode}-${channelCode}.csv';
        expect(advised({ fileName })).toEqual(['fileName', 'fileName']);
        expect(advised({ fileName, languageCode: 'de' })).toEqual(['fileName']);
        expect(advised({ fileName, languageCode: 'de', channelCode: 'b2b' })).toEqual([]);
    });

    it.each([
        [
            { format: 'CSV', feed: 'googleMerchant', country: 'DE' },
            /write.format: is CSV, which googleMerchant does not take/,
        ],
        [{ format: 'XML', feed: 'googleMerchant', feedLink: 'https://a.example' }, /write.country: is missing/],
        [{ format: 'XML', feed: 'googleMerchant', country: 'DE' }, /write.feedLink: is missing/],
        [{ format: 'XML', xmlRoot: 'a b' }, /xmlRoot/],
        [{ format: 'CSV', fileName: 'a/b.csv' }, /write.fileName: has a slash/],
        [{ format: 'CSV', fileName: ' \t' }, /write.fileName/],
        [{ format: 'CSV', fileName: '  ' }, /write.fileName: names no file/],
        [{ format: 'CSV', fileName: '${date' }, /write.fileName: has a \$\{ in it that no \} ends/],
        [{ format: 'CSV', fileName: '${date}-${${time}.csv' }, /write.fileName: has a \$\{ in it that no \} ends/],
        [{ format: 'CSV', delimiter: '\u0000' }, /write.delimiter .* allowed: one character/],
        [{ format: 'CSV', delimiter: '\u0085' }, /write.delimiter .* allowed: one character/],
        [{ format: 'XLS' }, /format/],
    ])('rejects %j', async (config, message) => {
        await expect(exported(config, RECORDS)).rejects.toThrow(message);
    });
});

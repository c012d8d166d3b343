import { createHash, randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { workbookOf } from '../../src/testing/workbook';
import { ERRORS } from '../../src/core/errors/catalogue';
import { Files } from '../../src/plugin/files/files';
import { naming } from '../../test/kit/naming';
import { DEFAULT_CHANNEL, anonymousClient, makeAdministrator } from '../config/administrators';
import type { Database } from '../config/databases';
import { until } from '../config/flow-server';
import { as } from '../fixtures/authoring-api';
import { type Answer, CSV, directory, type FileShop, type FormPart, MAX_FILES, MIB } from '../fixtures/file-shop';

/** What the routes of managed files return. */
export function files(at: FileShop, database: Database): void {
    const {
        call,
        form,
        uploadForm,
        uploadJson,
        upload,
        base64,
        stored,
        blobOf,
        count,
        sent,
        expire,
        expectNothingStored,
    } = at;

    /** The minutes between upload and expiry; null for a file that never expires. */
    const minutesKept = ({ uploadedAt, expiresAt }: Readonly<Record<string, unknown>>): number | null =>
        expiresAt === null
            ? null
            : Math.round((Date.parse(expiresAt as string) - Date.parse(uploadedAt as string)) / 60_000);

    describe('an upload', () => {
        it("stores a form's file and returns its description", async () => {
            const { status, body, headers } = await uploadForm([
                { filename: 'May prices.csv', type: 'text/csv; charset=utf-8' },
            ]);
            expect([status, headers.get('content-type')]).toEqual([201, 'application/json; charset=utf-8']);
            expect(body).toEqual({
                success: true,
                file: {
                    id: expect.stringMatching(/^T_\d+$/),
                    filename: 'May prices.csv',
                    mimeType: 'text/csv',
                    format: 'csv',
                    encoding: 'utf-8',
                    size: CSV.length,
                    sha256: createHash('sha256').update(CSV).digest('hex'),
                    rows: null,
                    uploadedAt: expect.any(String),
                    uploadedBy: expect.any(String),
                    expiresAt: expect.any(String),
                },
            });
            expect(minutesKept(body.file!)).toBe(1_440);
            expect(stored()).toHaveLength(1);
        });

        it("stores a JSON envelope's file", async () => {
            const { status, body } = await uploadJson({
                filename: 'a.json',
                content: base64('[{"n":1}]'),
                mimeType: 'application/json',
                persistent: true,
            });
            expect([status, body.file]).toMatchObject([
                201,
                { filename: 'a.json', format: 'json', size: 9, expiresAt: null },
            ]);
        });

        it('is kept as long as the form says, at any place of that field', async () => {
            const minutes = async (parts: readonly FormPart[]): Promise<number | null> => {
                return minutesKept((await uploadForm(parts)).body.file!);
            };
            const [file, tenDays, never] = [
                { filename: 'a.csv' },
                { name: 'expiresInMinutes', content: '14400' },
                { name: 'persistent', content: 'true' },
            ];
            expect(await minutes([tenDays, file])).toBe(14_400);
            expect(await minutes([file, tenDays])).toBe(14_400);
            expect(await minutes([file, never])).toBeNull();
            expect(
                await minutes([
                    file,
                    { name: 'persistent', content: 'false' },
                    { name: 'expiresInMinutes', content: '1' },
                ]),
            ).toBe(1);
            expect(
                (await uploadJson({ filename: 'a.csv', content: base64(CSV), expiresInMinutes: 5, persistent: false }))
                    .status,
            ).toBe(201);
        });

        it('has the name of its last part, decoded as UTF-8', async () => {
            expect((await uploadForm([{ filename: 'Übersicht € 🏷.csv' }])).body.file!['filename']).toBe(
                'Übersicht € 🏷.csv',
            );
            expect((await uploadForm([{ filename: '../../etc/feeds/may.csv' }])).body.file!['filename']).toBe(
                'may.csv',
            );
            const { headers } = form([]);
            const star =
                '--x\r\nContent-Disposition: form-data; name="file"; filename="plain.csv"; filename*=UTF-8\'\'Gr%C3%B6%C3%9Fen.csv\r\n\r\na\n1\r\n--x--\r\n';
            expect((await call('upload', { method: 'POST', body: star, headers })).body.file!['filename']).toBe(
                'Größen.csv',
            );
            expect(
                (await uploadJson({ filename: 'C:\\feeds\\may.csv', content: base64(CSV) })).body.file!['filename'],
            ).toBe('may.csv');
        });

        it.each<[string, readonly FormPart[], string]>([
            ['no file', [{ name: 'persistent', content: 'true' }], 'The form has no field file'],
            ['no field at all', [], 'The form'],
            ['two files', [{ filename: 'a.csv' }, { filename: 'b.csv' }], 'The form has the field file twice'],
            [
                'a file under another name',
                [{ name: 'document', filename: 'a.csv' }],
                'The form has the unknown field "document"; known: file, expiresInMinutes, persistent',
            ],
            ['an unknown field', [{ filename: 'a.csv' }, { name: 'expires', content: '5' }], 'unknown field "expires"'],
            ['a file that is a text', [{ content: CSV }], 'The field file has no filename'],
            ['a file without a name', [{ filename: '' }], 'The field file has no filename'],
            ['a name of control characters', [{ filename: 'a\tb.csv' }], 'invisible character'],
            ['a name that is too long', [{ filename: `${'a'.repeat(252)}.csv` }], 'has 256 characters'],
            [
                'a number in words',
                [{ filename: 'a.csv' }, { name: 'expiresInMinutes', content: '1e3' }],
                'expiresInMinutes is "1e3"; allowed: a whole number, 1 to 14400',
            ],
            [
                'too many minutes',
                [{ filename: 'a.csv' }, { name: 'expiresInMinutes', content: '14401' }],
                'expiresInMinutes is "14401"',
            ],
            [
                'no minutes',
                [{ filename: 'a.csv' }, { name: 'expiresInMinutes', content: '0' }],
                'expiresInMinutes is "0"',
            ],
            [
                'a field that comes twice',
                [
                    { filename: 'a.csv' },
                    { name: 'persistent', content: 'true' },
                    { name: 'persistent', content: 'true' },
                ],
                'field persistent twice',
            ],
            [
                'both expiry and none',
                [
                    { filename: 'a.csv' },
                    { name: 'persistent', content: 'true' },
                    { name: 'expiresInMinutes', content: '5' },
                ],
                'both set',
            ],
            [
                'another word for yes',
                [{ filename: 'a.csv' }, { name: 'persistent', content: '1' }],
                'persistent is "1"; allowed: true or false',
            ],
            ['an empty file', [{ filename: 'a.csv', content: '' }], 'The file "a.csv" is empty'],
        ])('is rejected with 400 for a form with %s, and leaves nothing', async (_, parts, message) => {
            const { status, body } = await uploadForm(parts);
            const code = message.endsWith('is empty') ? 'FILE_EMPTY' : 'INPUT_INVALID';
            expect([status, body]).toEqual([400, { success: false, error: expect.stringContaining(message), code }]);
            await expectNothingStored();
        });

        it.each<[string, unknown, string]>([
            ['malformed', '{"filename": "a.csv"', 'The body is not JSON'],
            ['a list', [], 'The body is an empty list; allowed: an object'],
            ['a primitive', '"text"', 'The body is "text"; allowed: an object'],
            ['null', 'null', 'The body is null'],
            ['without a name', { content: base64(CSV) }, 'filename is missing'],
            ['without content', { filename: 'a.csv' }, 'content is missing'],
            ['without base64', { filename: 'a.csv', content: 'a,b;c' }, 'content is not base64'],
            [
                'with an unknown field',
                { filename: 'a.csv', content: base64(CSV), expires: 5 },
                'unknown field "expires"',
            ],
            [
                'with a number as text',
                { filename: 'a.csv', content: base64(CSV), expiresInMinutes: '5' },
                'expiresInMinutes is "5"',
            ],
            [
                'with a fraction',
                { filename: 'a.csv', content: base64(CSV), expiresInMinutes: 1.5 },
                'expiresInMinutes is 1.5',
            ],
            [
                'with a text for yes',
                { filename: 'a.csv', content: base64(CSV), persistent: 'true' },
                'persistent is "true"',
            ],
            [
                'with both expiry and none',
                { filename: 'a.csv', content: base64(CSV), persistent: true, expiresInMinutes: 5 },
                'both set',
            ],
            [
                'with an invalid media type',
                { filename: 'a.csv', content: base64(CSV), mimeType: 'csv' },
                'mimeType is "csv"',
            ],
            ['with an empty file', { filename: 'a.csv', content: '' }, 'is empty'],
        ])('is rejected with 400 for JSON that is %s, and leaves nothing', async (_, given, message) => {
            const { status, body } = await uploadJson(given);
            expect([status, body]).toEqual([
                400,
                { success: false, error: expect.stringContaining(message), code: expect.any(String) },
            ]);
            await expectNothingStored();
        });

        it.each<[string, Record<string, string>, string]>([
            [
                'another content type',
                { 'content-type': 'text/csv' },
                'Content-Type is "text/csv"; allowed: multipart/form-data, application/json',
            ],
            ['none', { 'content-type': '' }, 'Content-Type'],
            [
                'another charset',
                { 'content-type': 'application/json; charset=latin1' },
                'charset is "latin1"; allowed: utf-8',
            ],
            [
                'a packed body',
                { 'content-type': 'application/json', 'content-encoding': 'gzip' },
                'Content-Encoding is "gzip"; allowed: identity',
            ],
        ])('is rejected with 415 for %s', async (_, headers, message) => {
            const { status, body } = await call('upload', {
                method: 'POST',
                body: JSON.stringify({ filename: 'a.csv', content: base64(CSV) }),
                headers,
            });
            expect([status, body]).toEqual([
                415,
                { success: false, error: expect.stringContaining(message), code: 'MEDIA_TYPE_UNSUPPORTED' },
            ]);
            await expectNothingStored();
        });

        it("is rejected with 503 while the storage cannot take it, without naming the server's folders", async () => {
            writeFileSync(directory, 'a file in the place of the folder');
            const { status, body } = await uploadForm([{ filename: 'a.csv' }]);
            expect([status, body]).toEqual([
                503,
                { success: false, error: expect.stringMatching(naming('ENOTDIR')), code: 'STORAGE_FAILED' },
            ]);
            expect(body['error']).not.toContain('/');
            expect(await count()).toBe(0);
        });

        it('is rejected with 415 when the bytes do not match the name', async () => {
            const { status, body } = await uploadForm([
                { filename: 'photo.csv', content: Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex') },
            ]);
            expect([status, body['code']]).toEqual([415, 'FILE_TYPE_MISMATCH']);
            expect((await uploadForm([{ filename: 'run.exe', content: 'MZ' }])).status).toBe(415);
            await expectNothingStored();
        });

        it('is rejected with 413 for an envelope above 10 MiB, whether its length is announced or not', async () => {
            const big = JSON.stringify({ filename: 'a.csv', content: 'A'.repeat(10 * MIB) });
            const expected = {
                success: false,
                error: expect.stringMatching(naming(10 * MIB)),
                code: 'BODY_TOO_LARGE',
            };
            const told = await uploadJson(big);
            expect([told.status, told.body]).toEqual([413, expected]);
            const unpublished = await uploadJson('', { body: new Blob([big]).stream() as never, duplex: 'half' });
            expect([unpublished.status, unpublished.body]).toEqual([413, expected]);
            await expectNothingStored();
        });

        it('takes an envelope of 9 MiB, which is above the default limit of express', async () => {
            const content = base64(`text\n${'x'.repeat(99)}\n`.repeat(60_000));
            expect((await uploadJson({ filename: 'a.txt', content })).body).toMatchObject({
                success: true,
                file: { format: 'txt' },
            });
        });

        it('is rejected with 400 when its length is not what was announced', async () => {
            // A sender that announced more than it has can only hang up.
            const answer = (length: number, content: string): Promise<string> =>
                sent({
                    headers: ['Connection: close', 'Content-Type: application/json', `Content-Length: ${length}`],
                    body: content,
                    hangsUp: length > content.length,
                });
            const body = JSON.stringify({ filename: 'a.csv', content: base64(CSV) });
            expect(await answer(body.length, body)).toMatch(/^HTTP\/1.1 201 /);
            expect(await answer(body.length + 10, body)).toMatch(/^HTTP\/1.1 400 /);
            expect(await answer(body.length - 10, body)).toMatch(/^HTTP\/1.1 400 /);
            expect(await count()).toBe(1);
        });
    });

    describe('the list', () => {
        it('has the files of the active channel, the newest first, in pages', async () => {
            const ids: string[] = [];
            for (const name of ['a.csv', 'b.json', 'c.csv']) {
                ids.unshift(
                    (await uploadForm([{ filename: name, content: name.endsWith('json') ? '[]' : CSV }])).body.file![
                        'id'
                    ] as string,
                );
                await at.shop.dataSource.query(
                    `UPDATE flow_managed_file SET created_at = '2026-01-0${ids.length} 00:00:00' WHERE id = ${String(ids[0]).replace('T_', '')}`,
                );
            }
            const list = async (query = ''): Promise<[unknown, unknown]> => {
                const { status, body } = await call(`files${query}`, { as: at.reader });
                expect(status).toBe(200);
                return [body.items!.map(({ id }) => id), body.totalItems];
            };
            expect(await list()).toEqual([ids, 3]);
            expect(await list('?limit=1&offset=1')).toEqual([[ids[1]], 3]);
            expect(await list('?mimeType=application/json')).toEqual([[ids[1]], 1]);
            expect(await list('?offset=10000')).toEqual([[], 3]);
            expect(await list('?limit=500')).toEqual([ids, 3]);
            await expire(ids[0]!);
            expect(await list()).toEqual([ids.slice(1), 2]);
        });

        it.each([
            'limit=0',
            'limit=501',
            'limit=1e1',
            'limit=1.0',
            'limit=%2B1',
            'limit=%201',
            'limit=01',
            'limit=%D9%A3',
            'limit=',
            'limit=-1',
            'limit=99999999999999999999',
            'limit=1&limit=2',
            'limit=Infinity',
            'limit=0x10',
            'offset=10001',
            'offset=-1',
            'offset=1.5',
            'mimeType=a&mimeType=b',
        ])('is rejected with 400 for ?%s', async query => {
            const { status, body } = await call(`files?${query}`);
            expect([status, body]).toEqual([
                400,
                { success: false, error: expect.stringMatching(/^(limit|offset|mimeType) is /), code: 'INPUT_INVALID' },
            ]);
        });
    });

    describe('one file', () => {
        it('is shown, downloaded as it was uploaded, and deleted', async () => {
            const content = randomBytes(300_000).toString('hex');
            const {
                body: { file },
            } = await uploadForm([{ filename: 'Ärger \\"1\\".txt', content }]);
            const id = file!['id'] as string;
            expect((await call(`files/${id}`, { as: at.reader })).body).toEqual({ success: true, file });
            const { status, headers, body } = await call(`files/${id}/download`, { as: at.reader });
            expect([status, body['text']]).toEqual([200, content]);
            expect(Object.fromEntries(headers)).toMatchObject({
                'content-length': '600000',
                'content-type': 'text/plain',
                'x-content-type-options': 'nosniff',
                etag: `"${String(file!['sha256'])}"`,
                'content-disposition':
                    'attachment; filename="_rger _1_.txt"; filename*=UTF-8\'\'%C3%84rger%20%221%22.txt',
            });
            expect((await call(`files/${id}`, { method: 'DELETE' })).body).toEqual({ success: true });
            for (const path of [`files/${id}`, `files/${id}/download`, `files/${id}/preview`])
                expect([(await call(path)).status, path]).toEqual([404, path]);
            expect((await call(`files/${id}`, { method: 'DELETE' })).status).toBe(404);
            await expectNothingStored();
        });

        it('is kept while a pipeline of its channel names it, in its working copy or its selected revision', async () => {
            const id = await upload();
            const pipelines = as(at.shop.adminClient);
            const reading = (fileId: string, disabled = false) => ({
                version: 1,
                steps: [
                    { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
                    { key: 'in', kind: 'EXTRACT', disabled, config: { adapterCode: 'csv', fileId } },
                ],
                edges: [{ from: 'start', to: 'in' }],
            });
            const rejected = async (users: string): Promise<void> => {
                const { status, body } = await call(`files/${id}`, { method: 'DELETE' });
                const error = expect.stringMatching(naming('"prices.csv"', `"${id}"`, users)) as string;
                expect([status, body]).toEqual([409, { success: false, error, code: 'IN_USE' }]);
                expect((await call(`files/${id}`)).status).toBe(200);
            };
            const first = await pipelines.create({ code: 'reads-a-file', definition: reading(id) });
            await pipelines.create({ code: 'reads-it-as-well', definition: reading(id, true) });
            await rejected('reads-a-file, reads-it-as-well');
            const published = await pipelines.publish(first);
            await pipelines.update(published, { definition: reading('4711') });
            await rejected('reads-a-file, reads-it-as-well');
            const other = await upload();
            expect((await call(`files/${other}`, { method: 'DELETE' })).status).toBe(200);
        });

        it.each([
            '0',
            '999999999',
            '99999999999',
            'abc',
            '1abc',
            '1%20OR%201=1',
            '-1',
            '1.0',
            '%00',
            'null',
            '%F0%9F%8F%B7',
        ])('does not exist under the id %s', async id => {
            const { status, body } = await call(`files/${id}`);
            expect([status, body]).toEqual([
                404,
                {
                    success: false,
                    error: ERRORS.FILE_NOT_FOUND.text,
                    code: 'FILE_NOT_FOUND',
                },
            ]);
        });

        it('of another channel is not visible', async () => {
            const id = await upload();
            const client = at.shop.adminClient;
            expect((await call(`files/${id}`, { as: client })).status).toBe(200);
            for (const [method, path] of [
                ['GET', ''],
                ['GET', '/download'],
                ['GET', '/preview'],
                ['DELETE', ''],
            ] as const) {
                const { status, body } = await call(`files/${id}${path}`, {
                    method,
                    as: client,
                    channel: at.other.token,
                });
                expect([method, path, status, body['code']]).toEqual([method, path, 404, 'FILE_NOT_FOUND']);
            }
            expect((await call('files', { as: client, channel: at.other.token })).body).toEqual({
                items: [],
                totalItems: 0,
            });
            expect((await call(`files/${id}`)).status).toBe(200);
        });

        it('that has expired returns 410 until it is swept, and 404 afterwards', async () => {
            const id = await upload();
            await expire(id);
            for (const path of ['', '/download', '/preview']) {
                const { status, body } = await call(`files/${id}${path}`);
                expect([path, status, body]).toEqual([
                    path,
                    410,
                    {
                        success: false,
                        error: expect.stringMatching(/"prices\.csv".*\b2001-01-01T/),
                        code: 'FILE_EXPIRED',
                    },
                ]);
            }
            expect(await at.sweep()).toEqual({ expired: 1, orphans: 0 });
            expect((await call(`files/${id}`)).status).toBe(404);
            await expectNothingStored();
        });

        it.each<[string, (path: string) => void]>([
            ['changed', path => writeFileSync(path, CSV.replace('9.50', '0.50'))],
            ['longer', path => writeFileSync(path, `${CSV}x`)],
            ['cut short', path => writeFileSync(path, CSV.slice(0, -1))],
            ['lost', path => rmSync(path)],
        ])('whose content was %s on the disk is not served', async (_, change) => {
            const id = await upload();
            change(await blobOf(id));
            for (const path of ['download', 'preview']) {
                const { status, body } = await call(`files/${id}/${path}`);
                expect([path, status, body]).toEqual([
                    path,
                    500,
                    {
                        success: false,
                        error: expect.stringContaining('"prices.csv"'),
                        code: 'FILE_CORRUPT',
                    },
                ]);
            }
        });
    });

    describe('a preview', () => {
        const preview = async (filename: string, content: string | Buffer, query = ''): Promise<Answer> => {
            const { body } = await uploadForm([{ filename, content }]);
            return call(`files/${String(body.file!['id'])}/preview${query}`, { as: at.reader });
        };

        it('shows fields and first records of CSV', async () => {
            const { status, body } = await preview(
                'a.csv',
                'sku;price;since;stock;note\n007;9.50;2026-01-31;true;\n008;12;2026-02-01;false;\n009;1;2026-02-01;yes;\n',
                `?rows=2&vendure-token=${DEFAULT_CHANNEL}&languageCode=en&currencyCode=USD`,
            );
            expect([status, body]).toEqual([
                200,
                {
                    success: true,
                    fileId: expect.any(String),
                    totalRows: 3,
                    truncated: true,
                    delimiter: ';',
                    encoding: 'utf-8',
                    fields: [
                        { name: 'sku', type: 'string' },
                        { name: 'price', type: 'number' },
                        { name: 'since', type: 'date' },
                        { name: 'stock', type: 'boolean' },
                        { name: 'note', type: 'null' },
                    ],
                    records: [
                        { sku: '007', price: '9.50', since: '2026-01-31', stock: 'true' },
                        { sku: '008', price: '12', since: '2026-02-01', stock: 'false' },
                    ],
                },
            ]);
            expect((await call(`files/${String(body['fileId'])}`)).body.file).toMatchObject({ rows: 3 });
        });

        it('shows JSON, XML and texts', async () => {
            expect(
                (await preview('a.json', '[{"a":1,"b":[1],"c":{}},{"a":"x","b":null,"d":true}]')).body,
            ).toMatchObject({
                totalRows: 2,
                truncated: false,
                records: [
                    { a: 1, b: [1], c: {} },
                    { a: 'x', b: null, d: true },
                ],
                fields: [
                    { name: 'a', type: 'mixed' },
                    { name: 'b', type: 'array' },
                    { name: 'c', type: 'object' },
                    { name: 'd', type: 'boolean' },
                ],
            });
            expect(
                (await preview('a.xml', '<list><item><n>1</n></item><item><n>2</n></item></list>')).body,
            ).toMatchObject({
                totalRows: 2,
                records: [{ n: '1' }, { n: '2' }],
                fields: [{ name: 'n', type: 'number' }],
            });
            expect((await preview('a.txt', 'a\tb\n1\t2\n')).body).toMatchObject({
                delimiter: '\t',
                records: [{ a: '1', b: '2' }],
            });
        });

        it('shows the first sheet of a workbook and the names of all', async () => {
            const row = (number: number, cells: string): string => `<row r="${number}">${cells}</row>`;
            const text = (place: string, value: string): string =>
                `<c r="${place}" t="inlineStr"><is><t>${value}</t></is></c>`;
            const sheet =
                row(1, text('A1', 'sku') + text('B1', 'price')) +
                row(2, `${text('A2', '007')}<c r="B2"><v>9.5</v></c>`);
            const workbook = workbookOf({ sheets: { Prices: sheet, Notes: '' } });
            const { body } = await preview('a.xlsx', workbook);
            expect(body).toMatchObject({
                totalRows: 1,
                truncated: false,
                sheetNames: ['Prices', 'Notes'],
                records: [{ sku: '007', price: 9.5 }],
                fields: [
                    { name: 'sku', type: 'string' },
                    { name: 'price', type: 'number' },
                ],
            });
            expect(body).not.toHaveProperty('encoding');
            writeFileSync(await blobOf(String(body['fileId'])), workbook.subarray(1));
            expect((await call(`files/${String(body['fileId'])}/preview`)).body['code']).toBe('FILE_CORRUPT');
        });

        it('takes 1 to 500 rows', async () => {
            const id = await upload('many.csv');
            for (const rows of ['0', '501', '1e1', '+1', ' 1', '٣', ''])
                expect([rows, (await call(`files/${id}/preview?rows=${encodeURIComponent(rows)}`)).status]).toEqual([
                    rows,
                    400,
                ]);
            const lines = Array.from({ length: 600 }, (_, i) => `${i}`).join('\n');
            const { body } = await preview('numbers.csv', `n\n${lines}\n`, '?rows=500');
            expect([(body['records'] as unknown[]).length, body['totalRows'], body['truncated']]).toEqual([
                500,
                600,
                true,
            ]);
            expect(((await preview('numbers.csv', `n\n${lines}\n`)).body['records'] as unknown[]).length).toBe(10);
        });

        it('of a malformed file names the place of the error', async () => {
            const { status, body } = await preview('a.csv', 'a,b\n1,"2\n');
            expect([status, body]).toEqual([
                400,
                { success: false, error: expect.stringContaining('line 2'), code: 'SOURCE_MALFORMED' },
            ]);
        });

        it('is limited to four at the same time; a fifth one gets 429 with the time of the next attempt', async () => {
            const id = await upload('prices.csv');
            const ends: Array<() => void> = [];
            const slow = jest.spyOn(at.shop.app.get(Files), 'setCount').mockImplementation(
                () =>
                    new Promise(resolve => {
                        ends.push(resolve);
                    }),
            );
            const four = [1, 2, 3, 4].map(() => call(`files/${id}/preview`));
            try {
                await until(
                    () => Promise.resolve(ends.length),
                    started => started === 4,
                );
                const { status, body, headers } = await call(`files/${id}/preview`);
                expect([status, body, headers.get('retry-after')]).toEqual([
                    429,
                    {
                        success: false,
                        error: expect.stringMatching(naming(4)),
                        code: 'FILE_PREVIEW_BUSY',
                    },
                    '1',
                ]);
            } finally {
                for (const end of ends) end();
                slow.mockRestore();
            }
            expect((await Promise.all(four)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
            expect((await call(`files/${id}/preview`)).status).toBe(200);
        });

        it('of an old workbook is rejected with 415, and the file can still be downloaded', async () => {
            const ole = Buffer.concat([
                Buffer.from('d0cf11e0a1b11ae1', 'hex'),
                Buffer.alloc(2048),
                Buffer.from('Workbook', 'utf16le'),
                Buffer.alloc(512),
            ]);
            const { status, body } = await preview('a.xls', ole);
            expect([status, body]).toEqual([
                415,
                { success: false, error: expect.stringMatching(naming('"a.xls"', '.xlsx')), code: 'FILE_UNREADABLE' },
            ]);
            const { body: list } = await call('files');
            expect((await call(`files/${String(list.items![0]!['id'])}/download`)).status).toBe(200);
        });
    });

    describe('permissions and limits', () => {
        it('are checked before the body is read: 401 without a session, 403 without the permission', async () => {
            const nobody = anonymousClient(at.shop);
            const without = await makeAdministrator(at.shop, {
                name: `without-${database}`,
                permissions: ['ReadFlowPipeline'],
            });
            for (const [as, status, code] of [
                [nobody, 401, 'UNAUTHENTICATED'],
                [without, 403, 'FORBIDDEN'],
            ] as const) {
                const { status: found, body } = await uploadJson('{ malformed', { as });
                expect([found, body]).toEqual([status, { success: false, error: expect.any(String), code }]);
            }
            await expectNothingStored();
        });

        it('are checked in the active channel', async () => {
            const id = await upload();
            const { body: rejected } = await call(`files/${id}`, { method: 'DELETE', as: at.reader });
            expect(rejected['code']).toBe('FORBIDDEN');
            expect(rejected['error']).toMatch(/^(?!.*\bReadFlowFiles\b).*\bManageFlowFiles\b/);
            const { status, body } = await call(`files/${id}`, { channel: at.other.token });
            expect([status, body]).toEqual([
                403,
                {
                    success: false,
                    error: expect.stringMatching(/"manager-\d+@shop\.test".*\bReadFlowFiles\b.*\bManageFlowFiles\b/),
                    code: 'FORBIDDEN',
                },
            ]);
        });

        it('are not checked for a channel that does not exist', async () => {
            const { status, body } = await call('files', { channel: 'no-such-channel' });
            expect([status, body]).toEqual([
                400,
                { success: false, error: expect.stringMatching(naming('channel', 'token')), code: 'INPUT_INVALID' },
            ]);
        });

        it('allow 60 uploads a minute for each user', async () => {
            const busy = await makeAdministrator(at.shop, {
                name: `busy-${database}`,
                permissions: ['ManageFlowFiles'],
            });
            const answers = await Promise.all(Array.from({ length: 61 }, () => uploadJson('[]', { as: busy })));
            expect(answers.filter(({ status }) => status === 400)).toHaveLength(60);
            const rejected = answers.find(({ status }) => status === 429)!;
            expect(rejected.body).toEqual({
                success: false,
                error: expect.stringMatching(naming(60, 'uploads')),
                code: 'RATE_LIMITED',
            });
            expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(50);
            expect((await uploadForm([{ filename: 'a.csv' }], { as: at.shop.adminClient })).status).toBe(201);
        });

        it('allow a maximum number of files for each channel', async () => {
            const row =
                "INSERT INTO flow_managed_file (channel_id, filename, mime_type, format, size, sha256, blob_key) VALUES (1, 'a.csv', 'text/csv', 'csv', 1, 'x', ";
            for (let i = 0; i < MAX_FILES - 1; i++) await at.shop.dataSource.query(`${row}'key-${i}')`);
            const answers = await Promise.all(
                [1, 2, 3].map(() => uploadForm([{ filename: 'a.csv' }], { as: at.shop.adminClient })),
            );
            expect(answers.map(({ status }) => status).sort()).toEqual([201, 413, 413]);
            expect(answers.find(({ status }) => status === 413)!.body).toEqual({
                success: false,
                error: expect.stringMatching(naming(MAX_FILES)),
                code: 'FILE_LIMIT',
            });
            expect(stored()).toHaveLength(1);
        });
    });
}

import { charactersRead } from '../../../test/kit/characters-read';
import { detectFormat } from './detect';
import { OLE, ZIP } from './signatures';

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
/** The header of a file in a ZIP archive, as far as it is looked at. */
const entry = (name: string): string => `${ZIP}${'\0'.repeat(22)}${String.fromCharCode(name.length)}\0\0\0${name}`;
const stream = (name: string): Buffer => Buffer.concat([latin1(OLE), Buffer.alloc(504), Buffer.from(name, 'utf16le')]);

const XLSX = latin1(entry('[Content_Types].xml') + entry('xl/workbook.xml'));

describe('a file is taken', () => {
    it.each<[string, Buffer, string | undefined, object]>([
        ['a.csv', Buffer.from('a,b\n'), 'text/csv; charset=utf-8', { format: 'csv', encoding: 'utf-8' }],
        ['A.CSV', Buffer.from('<b>x</b>,{y}\n'), 'application/vnd.ms-excel', { format: 'csv', encoding: 'utf-8' }],
        ['brackets.csv', Buffer.from('[id],[name]\n'), '', { format: 'csv', encoding: 'utf-8' }],
        [
            'a.tsv',
            Buffer.from('a\tb\n', 'utf16le'),
            'TEXT/Tab-Separated-Values',
            { format: 'csv', encoding: 'utf-16le' },
        ],
        ...['text/comma-separated-values', 'text/x-csv', 'application/csv', 'text/tab-separated-values'].flatMap(type =>
            ['a.csv', 'a.tsv'].map((name): [string, Buffer, string, object] => [
                name,
                Buffer.from('a\tb\n'),
                type,
                { format: 'csv', encoding: 'utf-8' },
            ]),
        ),
        ['empty.csv', Buffer.alloc(0), undefined, { format: 'csv', encoding: 'utf-8' }],
        ['a.json', Buffer.from('\ufeff [1'), 'application/json', { format: 'json', encoding: 'utf-8' }],
        ['a.ndjson', Buffer.from('{"a": 1}\n'), 'application/x-ndjson', { format: 'json', encoding: 'utf-8' }],
        ['a.jsonl', Buffer.from('{"a": 1}\n'), 'application/octet-stream', { format: 'json', encoding: 'utf-8' }],
        ['a.xml', Buffer.from('<?xml version="1.0"?><html-list/>'), 'text/xml', { format: 'xml', encoding: 'utf-8' }],
        ['a.xml', Buffer.from('<title>x</title>'), 'application/xml', { format: 'xml', encoding: 'utf-8' }],
        ['a.txt', Buffer.from('{"any": "<html>"}'), 'text/plain', { format: 'txt', encoding: 'utf-8' }],
        ['a.b.xlsx', XLSX, 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', { format: 'xlsx' }],
        ['exceljs.xlsx', latin1(entry('xl/worksheets/sheet1.xml')), undefined, { format: 'xlsx' }],
        ['a.xls', stream('Workbook'), 'application/vnd.ms-excel', { format: 'xls' }],
        // A name without an ending leaves it to the type.
        ['prices', Buffer.from('a,b\n'), 'text/csv', { format: 'csv', encoding: 'utf-8' }],
        ['feed', Buffer.from('[{"a": 1}]'), 'application/json; charset=utf-8', { format: 'json', encoding: 'utf-8' }],
        ['notes', Buffer.from('{"any": 1}'), 'text/plain', { format: 'txt', encoding: 'utf-8' }],
        ['book', XLSX, 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', { format: 'xlsx' }],
        ['old', stream('Workbook'), 'application/vnd.ms-excel', { format: 'xls' }],
        ['excel-csv', Buffer.from('a;b\n'), 'application/vnd.ms-excel', { format: 'csv', encoding: 'utf-8' }],
    ])('%s', (filename, head, mimeType, detected) => {
        expect(detectFormat({ head, filename, mimeType })).toEqual(detected);
    });
});

describe('a file is rejected', () => {
    it.each<[string, Buffer, string | undefined, string]>([
        ['a.pdf', latin1('%PDF-1.7'), undefined, 'its name ends in ".pdf"'],
        ['csv', Buffer.from('a,b'), undefined, 'its name has no ending, and its mimeType is not declared'],
        ['folder.csv/data', Buffer.from('a,b'), 'application/octet-stream', 'its mimeType is not declared'],
        [
            'scan',
            latin1('%PDF-1.7'),
            'application/pdf',
            'its name has no ending, and its mimeType is "application/pdf"',
        ],
        [
            'prices',
            latin1('\x89PNG\r\n\x1a\n'),
            'text/csv',
            'its mimeType says CSV, but its bytes look like a PNG image',
        ],
        [
            'feed',
            Buffer.from('a;b'),
            'application/json',
            'its mimeType says JSON, but its content looks like plain text',
        ],
        ['a.csv', Buffer.from('a,b'), 'application/pdf', 'it is declared as "application/pdf", and its name says CSV'],
        ['a.json', Buffer.from('[]'), 'text/csv', 'it is declared as "text/csv", and its name says JSON'],
        ['a.csv', latin1('\x89PNG\r\n\x1a\n'), undefined, 'its name says CSV, but its bytes look like a PNG image'],
        ['a.csv', latin1('\xff\xd8\xff\xe0'), undefined, 'look like a JPEG image'],
        ['a.txt', latin1('RIFF....WEBPVP8 '), undefined, 'look like a WebP image'],
        ['a.json', latin1('%PDF-1.7'), undefined, 'look like a PDF document'],
        ['a.xml', latin1('\x1f\x8b\x08'), undefined, 'look like a gzip archive'],
        ['a.csv', latin1(`${'x'.repeat(257)}ustar`), undefined, 'look like a tar archive'],
        ['a.csv', latin1(entry('a.csv')), undefined, 'look like a ZIP archive that holds no workbook'],
        ['a.csv', XLSX, undefined, 'look like an Excel workbook (XLSX)'],
        ['a.xls', XLSX, undefined, 'look like an Excel workbook (XLSX)'],
        [
            'a.xlsx',
            latin1(entry('[Content_Types].xml') + entry('word/document.xml')),
            undefined,
            'look like a Word document',
        ],
        [
            'a.xlsx',
            latin1(`${entry('mimetype')}application/vnd.oasis.opendocument.spreadsheet`),
            undefined,
            'look like an OpenDocument file',
        ],
        ['a.xlsx', stream('Workbook'), undefined, 'look like an old Excel workbook (XLS; save it as XLSX)'],
        [
            'a.xlsx',
            stream('EncryptedPackage'),
            undefined,
            'look like a workbook that is protected by a password (save it without one)',
        ],
        ['a.xls', stream('WordDocument'), undefined, 'look like a Word document'],
        ['a.xlsx', Buffer.from('a,b\n'), undefined, 'its name says XLSX, but its bytes are not a workbook'],
        ['a.xlsx', Buffer.alloc(0), undefined, 'its name says XLSX, but its bytes are not a workbook'],
        ['a.csv', Buffer.from('\ufeff <!doctype HTML><html>'), undefined, 'its content looks like HTML'],
        [
            'a.xml',
            Buffer.from('<?xml version="1.0"?>\n<!-- x --><!DOCTYPE html>'),
            undefined,
            'its content looks like HTML',
        ],
        ['a.csv', Buffer.from('<?xml version="1.0"?>', 'utf16le'), undefined, 'its content looks like XML'],
        ['a.xml', Buffer.from('{"a": 1}'), undefined, 'its content looks like JSON'],
        ['a.json', Buffer.from('a;b\n1;2'), undefined, 'its content looks like plain text: "a;b\\n1;2"'],
        ['a.xml', Buffer.from('a;b'), undefined, 'its content looks like plain text: "a;b"'],
    ])('%s', (filename, head, mimeType, problem) => {
        expect(() => detectFormat({ head, filename, mimeType })).toThrow(
            expect.objectContaining({
                code: 'FILE_TYPE_MISMATCH',
                treat: 'request',
                message: expect.stringContaining(problem),
            }),
        );
        expect(() => detectFormat({ head, filename, mimeType })).toThrow(
            'allowed: CSV, TSV, JSON, NDJSON, XML, TXT, XLS and XLSX files',
        );
    });

    it.each(['<!---->', '<!--', '<?xml ', ' '])(
        'or not, after a look at the beginning alone, when %j over and over makes it hard to see what it is',
        async part => {
            const head = Buffer.from(part.repeat(65_536 / part.length));
            const detect = async () => detectFormat({ head, filename: 'a.csv' });
            let found: unknown;
            const read = await charactersRead(head.length / 2, async () => {
                found = await detect().catch((error: unknown) => error);
            });
            expect(found).toMatchObject(part === ' ' ? { format: 'csv' } : { code: 'FILE_TYPE_MISMATCH' });
            expect(read).toBeGreaterThan(0);
        },
    );
});

describe('the encoding of a text', () => {
    it('is known if the bytes fit it, even with a character cut at their end, and else undefined', () => {
        expect(detectFormat({ head: Buffer.from('a,ü'), filename: 'a.csv' })).toEqual({
            format: 'csv',
            encoding: 'utf-8',
        });
        expect(detectFormat({ head: Buffer.from('a,ü').subarray(0, 3), filename: 'a.csv' })).toEqual({
            format: 'csv',
            encoding: 'utf-8',
        });
        expect(detectFormat({ head: Buffer.from('Stra\xdfe,1\n', 'latin1'), filename: 'a.csv' })).toEqual({
            format: 'csv',
        });
    });

    it('is undefined for bytes that are not text', () => {
        const noise = Buffer.from(Array.from({ length: 200 }, (_, i) => 1 + ((i * 37) % 255)));
        expect(() => detectFormat({ head: noise, filename: 'a.csv' })).toThrow(
            expect.objectContaining({
                code: 'FILE_TYPE_MISMATCH',
                facts: expect.objectContaining({ filename: 'a.csv', problem: expect.stringContaining('binary data') }),
            }),
        );
    });
});

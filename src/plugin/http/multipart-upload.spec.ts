import fc from 'fast-check';
import { Readable } from 'node:stream';
import { isFlowError } from '../../core/errors/flow-error';
import type { HttpRequest } from './exchange';
import { readForm } from './multipart-upload';

const HEAD = '--x\r\nContent-Disposition: form-data; name=';
const FILE = `${HEAD}"file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\nsku\r\nA-1\r\n`;
const MINUTES = `${HEAD}"expiresInMinutes"\r\n\r\n5\r\n`;
const END = '--x--\r\n';

const inPieces = (body: Buffer, size: number): Buffer[] =>
    Array.from({ length: Math.ceil(body.length / size) }, (_, i) => body.subarray(i * size, (i + 1) * size));
const requestOf = (body: string | Buffer, size = 7): HttpRequest =>
    Object.assign(Readable.from(inPieces(Buffer.from(body), size), { objectMode: false }), {
        method: 'POST',
        headers: {},
        headersDistinct: {},
    });

/** The result of a form: its file with its bytes, or why it is rejected. */
async function read(
    request: HttpRequest,
    { contentType = 'multipart/form-data; boundary=x', stop = new AbortController() } = {},
): Promise<unknown> {
    try {
        return await readForm(request, {
            contentType,
            signal: stop.signal,
            use: async ({ filename, mimeType, bytes, expiry }) => {
                const chunks: Uint8Array[] = [];
                for await (const chunk of bytes) chunks.push(chunk);
                return { filename, mimeType, content: Buffer.concat(chunks).toString(), expiry: expiry() };
            },
        });
    } catch (error) {
        if (isFlowError(error)) return `${error.code}: ${error.message}`;
        throw error;
    }
}

describe('a form', () => {
    it.each([1, 2, 3, 16, 1_000])('is read in pieces of %d bytes', async size => {
        expect(await read(requestOf(FILE + MINUTES + END, size))).toEqual({
            filename: 'a.csv',
            mimeType: 'text/csv',
            content: 'sku\r\nA-1',
            expiry: { minutes: 5 },
        });
    });

    it('preserves any bytes, including those that look like its boundary', async () => {
        await fc.assert(
            fc.asyncProperty(
                fc.uint8Array({ maxLength: 300 }),
                fc.integer({ min: 1, max: 64 }),
                async (bytes, size) => {
                    const content = Buffer.concat([Buffer.from('\r\n--\r\n--y\r\n-'), bytes]);
                    if (content.includes('\r\n--x')) return;
                    const body = Buffer.concat([
                        Buffer.from(`${HEAD}"file"; filename="a.csv"\r\n\r\n`),
                        content,
                        Buffer.from(`\r\n${END}`),
                    ]);
                    expect(await read(requestOf(body, size))).toMatchObject({ content: content.toString() });
                },
            ),
        );
    });

    it.each<[string, string]>([
        ['is cut in the file', FILE.slice(0, -8)],
        ['is cut in the header of the file', FILE.slice(0, 30)],
        ['is cut after the file', FILE],
        ['is empty', ''],
        ['has an invalid header', '--x\r\nno header\r\n\r\nA-1\r\n--x--\r\n'],
        ['has another boundary', FILE.replaceAll('--x', '--z')],
    ])('is rejected when it %s', async (_, body) => {
        expect(await read(requestOf(body))).toMatch(/^INPUT_INVALID: .*(malformed|no .*file)/);
    });

    it.each([
        [
            'an error after the file',
            FILE + `${HEAD}"other"\r\n\r\n5\r\n` + END,
            'INPUT_INVALID: The form has the unknown field "other"; known: file, expiresInMinutes, persistent.',
        ],
        ['a second file', FILE + FILE + END, 'INPUT_INVALID: The form has the field file twice; allowed: once.'],
        ['a third file', FILE + FILE + FILE + END, 'INPUT_INVALID: The form has the field file twice; allowed: once.'],
        [
            'a field without a name',
            `--x\r\nContent-Disposition: form-data\r\n\r\n5\r\n${END}`,
            'INPUT_INVALID: The form has the unknown field ""; known: file, expiresInMinutes, persistent.',
        ],
        [
            "a field named like an object's own",
            `${HEAD}"__proto__"\r\n\r\n5\r\n${END}`,
            'INPUT_INVALID: The form has the unknown field "__proto__"; known: file, expiresInMinutes, persistent.',
        ],
        [
            'a value without end',
            `${HEAD}"persistent"\r\n\r\n${'t'.repeat(5_000)}\r\n${END}`,
            'INPUT_INVALID: persistent is longer than 100 characters.',
        ],
        [
            'a file in base64',
            FILE.replace('\r\n\r\nsku', '\r\nContent-Transfer-Encoding: base64\r\n\r\nc2t1') + END,
            'MEDIA_TYPE_UNSUPPORTED: The request\'s Content-Transfer-Encoding is "base64"; allowed: 7bit, 8bit, binary.',
        ],
    ])('is rejected with %s', async (_, body, message) => {
        expect(await read(requestOf(body))).toBe(message);
    });

    it('is rejected with more fields than exist', async () => {
        expect(await read(requestOf(Array(50).fill(MINUTES).join('') + FILE + END))).toMatch(
            /^INPUT_INVALID: .*expiresInMinutes twice/,
        );
    });

    it.each(['multipart/form-data', 'multipart/form-data; boundary=', 'multipart/mixed; boundary=x'])(
        'is rejected with the content type %s',
        async contentType => {
            expect(await read(requestOf(FILE + END), { contentType })).toMatch(/^INPUT_INVALID: .*malformed/);
        },
    );

    it('is read to its end when it is not used, so that its sender can read the response', async () => {
        const request = requestOf(FILE + 'x'.repeat(500_000) + END, 4_096);
        const ended = new Promise(resolve => {
            request.once('end', resolve);
        });
        const rejected = readForm(request, {
            contentType: 'multipart/form-data; boundary=x',
            signal: new AbortController().signal,
            use: () => Promise.reject(new Error('full')),
        });
        await expect(rejected).rejects.toThrow('full');
        await ended;
    });

    it('ends when its sender disconnects', async () => {
        const stop = new AbortController();
        const request = Object.assign(new Readable({ read: () => undefined }), {
            method: 'POST',
            headers: {},
            headersDistinct: {},
        }) as unknown as HttpRequest;
        const answer = read(request, { stop });
        request.push(FILE);
        setTimeout(() => stop.abort(new Error('The sender has disconnected')), 20);
        await expect(answer).rejects.toThrow('The sender has disconnected');
        const broken = read(
            Object.assign(
                new Readable({
                    read() {
                        this.destroy(new Error('ECONNRESET'));
                    },
                }),
                { method: 'POST', headers: {}, headersDistinct: {} },
            ) as unknown as HttpRequest,
        );
        expect(await broken).toMatch(/^INPUT_INVALID: .*caller .*connection/);
    });

    it('always results in a file or an error', async () => {
        await fc.assert(
            fc.asyncProperty(
                fc.array(fc.constantFrom(FILE, MINUTES, END, HEAD, '\r\n', '--x', 'x', '"', 'name="file"'), {
                    maxLength: 8,
                }),
                fc.integer({ min: 1, max: 40 }),
                async (parts, size) => {
                    const answer = await read(requestOf(parts.join(''), size));
                    expect(typeof answer === 'string' ? answer : (answer as { filename: string }).filename).toMatch(
                        /^(INPUT_INVALID: |MEDIA_TYPE|a\.csv)/,
                    );
                },
            ),
            { numRuns: 300 },
        );
    });
});

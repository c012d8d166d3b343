import { Readable } from 'node:stream';
import { textNaming } from '../../../test/kit/naming';
import { largeBodies } from './large-bodies';

/** The result of a request: its body as the next handler receives it, or the immediate response. */
async function take(
    text: string,
    headers: Record<string, string> = {},
): Promise<{ body?: unknown; status?: number; message?: string }> {
    const stream = Readable.from([Buffer.from(text)]);
    const request = Object.assign(stream, {
        headers: { 'content-type': 'application/json', 'content-length': String(text.length), ...headers },
        body: undefined as unknown,
    });
    return new Promise(resolve => {
        const response = {
            code: 0,
            status(code: number) {
                this.code = code;
                return this;
            },
            json(answer: { errors: Array<{ message: string }> }) {
                resolve({ status: this.code, message: answer.errors[0]!.message });
            },
        };
        const { handler } = largeBodies('/admin-api') as unknown as { handler: (...args: unknown[]) => void };
        handler(request, response, () => {
            resolve({ body: request.body });
        });
    });
}

const large = JSON.stringify({ note: 'x'.repeat(200_000) });

describe('a request to the admin API', () => {
    it('may be as large as a definition', async () => {
        expect(await take(large)).toEqual({ body: JSON.parse(large) });
    });

    it("is left to the shop's own parser when it is small, compressed or not JSON", async () => {
        expect(await take('{}')).toEqual({ body: undefined });
        expect(await take(large, { 'content-encoding': 'gzip' })).toEqual({ body: undefined });
        expect(await take(large, { 'content-type': 'multipart/form-data' })).toEqual({ body: undefined });
    });

    it('is rejected when it is too large or malformed', async () => {
        expect(await take('x'.repeat(4 * 1024 * 1024 + 1))).toEqual({
            status: 413,
            message: textNaming(4_194_305, '; allowed: ', 4_194_304),
        });
        expect(await take(large.slice(0, -1))).toMatchObject({
            status: 400,
            message: expect.stringContaining('is not JSON') as string,
        });
    });

    it('may have large variables, but not a large operation', async () => {
        const of = (chars: number): string =>
            JSON.stringify({ query: 'x'.repeat(chars), variables: JSON.parse(large) });
        expect(await take(of(102_400))).toMatchObject({ body: { variables: JSON.parse(large) as unknown } });
        expect(await take(of(102_401))).toEqual({
            status: 413,
            message: textNaming(102_401, '; allowed: ', 102_400, 'variables'),
        });
    });

    it('is only handled on the path of the admin API, and before the middleware of the shop', () => {
        expect(largeBodies('admin-api')).toMatchObject({ route: '/admin-api', beforeListen: true });
    });
});

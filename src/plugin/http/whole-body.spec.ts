import { PassThrough } from 'node:stream';
import type { HttpRequest } from './exchange';
import { readWholeBody } from './whole-body';

/** A request that sends this text and then stalls. */
function slow(text: string): HttpRequest {
    const stream = new PassThrough();
    stream.write(text);
    return Object.assign(stream, { method: 'POST', headers: {}, headersDistinct: {} }) as unknown as HttpRequest;
}

describe('a body', () => {
    it('that stalls has its connection closed', async () => {
        const request = slow('{"a":');
        const limit = { what: 'body', maxBytes: 100, maxMs: 5 };
        await expect(readWholeBody(request, limit)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
        expect(request.destroyed).toBe(true);
    });

    it('that arrives in time is complete', async () => {
        const request = slow('{}') as HttpRequest & PassThrough;
        request.end();
        expect((await readWholeBody(request, { what: 'body', maxBytes: 100, maxMs: 60_000 })).toString()).toBe('{}');
    });
});

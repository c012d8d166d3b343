import { Readable } from 'node:stream';
import { textNaming } from '../../../test/kit/naming';
import type { HttpRequest } from './exchange';
import { readJsonUpload } from './json-upload';

function requestOf(body: string): HttpRequest {
    return Object.assign(Readable.from([Buffer.from(body)]), { method: 'POST', headers: {}, headersDistinct: {} });
}

describe('an upload as JSON', () => {
    it('is rejected when its envelope has a field twice', async () => {
        const once = '{"filename": "a.csv", "content": "YQ=="}';
        expect(await readJsonUpload(requestOf(once))).toMatchObject({ filename: 'a.csv' });
        await expect(
            readJsonUpload(requestOf('{"filename": "a.csv", "content": "YQ==", "file\\u006eame": "b.csv"}')),
        ).rejects.toMatchObject({
            code: 'INPUT_INVALID',
            message: textNaming('"filename"', 'twice'),
        });
    });
});

import { gzipSync } from 'node:zlib';
import { runAtOnce } from '../../core/concurrency/yielding-task';
import { MAX_MESSAGE_CHARS, recordsOfMessage } from './message-records';

const read = (body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}) =>
    runAtOnce(recordsOfMessage({ body: typeof body === 'string' ? Buffer.from(body) : body, headers }));

describe('what a message brings', () => {
    it.each([
        ['{"sku":"A"}', [{ sku: 'A' }]],
        ['[{"sku":"A"},{"sku":"B"}]', [{ sku: 'A' }, { sku: 'B' }]],
        ['{"id":12345678901234567890}', [{ id: '12345678901234567890' }]],
    ])('of %s is a list of records', (body, records) => {
        const { text, count } = read(body);
        expect(JSON.parse(text)).toEqual(records);
        expect(count).toBe(records.length);
    });

    it('is to be deleted where its header says so and the record says nothing else', () => {
        const { text, count } = read('[{"sku":"A"},{"sku":"B","__operation":"UPDATE"}]', {
            'x-flow-operation': 'DELETE',
        });
        expect(JSON.parse(text)).toEqual([
            { __operation: 'DELETE', sku: 'A' },
            { sku: 'B', __operation: 'UPDATE' },
        ]);
        expect(count).toBe(2);
        expect(read('{"sku":"A"}', { 'x-flow-operation': 'UPSERT' }).text).toBe('[{"sku":"A"}]');
    });

    it.each([
        ['gzip', { 'Content-Encoding': 'gzip' }],
        ['br', { 'content-encoding': 'br' }],
    ])('is nothing where its header says that it is compressed, and the message names %s', (encoding, headers) => {
        expect(() => read(Buffer.from([1, 2, 3]), headers)).toThrow(`"${encoding}"`);
        expect(read('{"sku":"A"}', { 'content-encoding': 'utf-8' }).count).toBe(1);
    });

    it.each<readonly [what: string, body: string | Uint8Array, problem: RegExp]>([
        ['no JSON', 'sku=A', /is not JSON/],
        ['a number', '5', /is 5; allowed: an object, or a list of objects/],
        ['a list of texts', '["A"]', /as its element 0; allowed: an object/],
        ['empty', '', /is not JSON/],
        ['no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), /is no UTF-8/],
        ['compressed', gzipSync('{"sku":"A"}'), /"gzip"/],
        ['too large', Buffer.alloc(MAX_MESSAGE_CHARS + 1, 32), /has 10485761 bytes; allowed: at most 10485760/],
    ])('is nothing where it is %s, and the message says so', (_, body, problem) => {
        expect(() => read(body)).toThrow(problem);
        expect(() => read(body)).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }) as Error);
    });
});

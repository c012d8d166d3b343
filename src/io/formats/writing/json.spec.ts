import fc from 'fast-check';
import type { JsonObject } from '../../../core/value/json';
import { textFile } from './batches';
import { jsonFile, jsonLines } from './json';

async function* batches(all: ReadonlyArray<readonly JsonObject[]>): AsyncGenerator<readonly JsonObject[]> {
    yield* all;
}

async function textOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
    const pieces: Uint8Array[] = [];
    for await (const piece of bytes) pieces.push(piece);
    return Buffer.concat(pieces).toString('utf8');
}

it('are read as they were written, however they came, none at all included', async () => {
    const some = fc.array(fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 3 }), { maxLength: 4 });
    await fc.assert(
        fc.asyncProperty(some, async given => {
            const all = JSON.parse(JSON.stringify(given)) as JsonObject[][];
            expect(JSON.parse(await textOf(jsonFile(batches(all))))).toEqual(all.flat());
            const lines = (await textOf(textFile(batches(all), jsonLines))).split('\n');
            expect(lines.pop()).toBe('');
            expect(lines.map(line => JSON.parse(line) as JsonObject)).toEqual(all.flat());
        }),
    );
});

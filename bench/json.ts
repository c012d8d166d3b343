import { createReadStream } from 'node:fs';
import { JSONParser } from '@streamparser/json';
import StreamArray from 'stream-json/streamers/StreamArray';
import { parser as jsonlParser } from 'stream-json/jsonl/Parser';
import { jsonReader } from '../src/io/formats/json';
import type { Row } from './report';
import { type Contender, passesOf, race, withFile } from './text-files';

const USUAL_RECORDS = 500_000;

/**
 * Compares both passes through a list of records and through NDJSON with the two libraries that read JSON piece by
 * piece.
 */
export async function benchJson(records = USUAL_RECORDS): Promise<readonly Row[]> {
    const ours = passesOf('jsonReader', text => jsonReader(text));
    const list = await withFile(listOf(records), file =>
        race('json list', file, [streamParser(['$.*']), streamArray, ...ours]),
    );
    const lines = await withFile(linesOf(records), file =>
        race('ndjson', file, [streamParser(['$'], '\n'), jsonl, ...ours]),
    );
    return [...list, ...lines];
}

function streamParser(paths: string[], separator?: string): Contender {
    return {
        name: '@streamparser/json',
        async run(file) {
            let seen = 0;
            const parser = new JSONParser({
                paths,
                keepStack: false,
                ...(separator === undefined ? {} : { separator }),
            });
            parser.onValue = () => {
                seen++;
            };
            for await (const piece of createReadStream(file)) parser.write(piece as Buffer);
            return seen;
        },
    };
}

const streamArray: Contender = {
    name: 'stream-json',
    run: file => countOf(createReadStream(file).pipe(StreamArray.withParser())),
};
const jsonl: Contender = { name: 'stream-json', run: file => countOf(createReadStream(file).pipe(jsonlParser())) };

async function countOf(values: AsyncIterable<unknown>): Promise<number> {
    let seen = 0;
    for await (const _ of values) seen++;
    return seen;
}

function recordOf(i: number): string {
    return JSON.stringify({
        sku: `SKU-${i}`,
        name: `Product ${i}, "best"`,
        description: `Line one of ${i}\nline two, with some more words to it`,
        price: (i % 1000) / 10,
        stock: i % 500,
        isActive: i % 2 === 0,
        brand: null,
        tags: ['a', `b${i}`],
        dimensions: { width: i % 90, height: 12.5 },
        ean: `40${String(i).padStart(11, '0')}`,
    });
}

/** A list of products. */
export function* listOf(records: number): Generator<string> {
    for (let i = 0; i < records; i++) yield `${i === 0 ? '[\n' : ',\n'}${recordOf(i)}`;
    yield '\n]\n';
}

/** The same products, one per line. */
export function* linesOf(records: number): Generator<string> {
    for (let i = 0; i < records; i++) yield `${recordOf(i)}\n`;
}

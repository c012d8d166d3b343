import { createReadStream } from 'node:fs';
import Papa from 'papaparse';
import { inferSchema, initParser, type Parser } from 'udsv';
import { csvReader } from '../src/io/formats/csv';
import type { Row } from './report';
import { type Contender, passesOf, race, withFile } from './text-files';

const USUAL_RECORDS = 600_000;

/**
 * Compares both passes through a CSV of ten columns with the two libraries that read CSV piece by piece into objects.
 */
export function benchCsv(records = USUAL_RECORDS): Promise<readonly Row[]> {
    const contenders = [
        udsv,
        papaparse,
        ...passesOf('csvReader', text => csvReader(text, { delimiter: ',', hasHeader: true })),
    ];
    return withFile(csvRows(records), file => race('csv', file, contenders));
}

const udsv: Contender = {
    name: 'udsv, objects',
    async run(file) {
        let parser: Parser | undefined;
        let seen = 0;
        for await (const piece of createReadStream(file, { encoding: 'utf8' })) {
            parser ??= initParser(inferSchema(String(piece)));
            parser.chunk<Record<string, string>>(String(piece), parser.stringObjs, () => {
                seen++;
            });
        }
        parser?.end();
        return seen;
    },
};

const papaparse: Contender = {
    name: 'papaparse, objects',
    run: file =>
        new Promise((resolve, reject) => {
            let seen = 0;
            Papa.parse<Record<string, string>>(createReadStream(file, { encoding: 'utf8' }), {
                header: true,
                skipEmptyLines: true,
                chunk: ({ data }) => {
                    seen += data.length;
                },
                complete: () => resolve(seen),
                error: reject,
            });
        }),
};

/** Rows of ten columns after a header. */
export function* csvRows(records: number): Generator<string> {
    yield 'sku,name,description,price,stock,group,brand,ean,note,updated\n';
    for (let i = 0; i < records; i++) {
        const description = `"Line one of ${i}\nline two, with a comma and some more words to it, number ${i * 7}"`;
        yield `SKU-${i},"Product ${i}, ""best""",${description},${(i % 1000) / 10},${i % 500},group-${i % 20},"Brand ${i % 50}",40${String(i).padStart(11, '0')},plain note ${i} of the row,2024-01-0${(i % 9) + 1}T10:00:00Z\n`;
    }
}

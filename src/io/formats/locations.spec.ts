import { toldPlaces } from '../../../test/kit/told-places';
import { csvReader } from './csv';
import { jsonReader } from './json';
import { rejectsCsvReader } from './rejects-csv-reader';
import type { OpenText, RecordReader } from './source';
import { xmlReader } from './xml';

const READERS: Readonly<Record<string, (text: OpenText) => RecordReader>> = {
    csv: text => csvReader(text, { delimiter: ',', hasHeader: true }),
    'CSV without a header': text => csvReader(text, { delimiter: ',', hasHeader: false }),
    'returned CSV': text => rejectsCsvReader(text, { delimiter: ',', hasHeader: true }),
    json: text => jsonReader(text),
    'JSON at a path': text => jsonReader(text, { itemsPath: 'all.items' }),
    xml: text => xmlReader(text),
    'XML at a path': text => xmlReader(text, { recordPath: 'a.b.r' }),
};

/** The lines of all records. */
async function linesOf(kind: string, text: string, { size = 1000, skip = 0 } = {}): Promise<readonly unknown[]> {
    const reader = READERS[kind]!(async function* () {
        for (let from = 0; from < text.length; from += size) yield text.slice(from, from + size);
    });
    const lines: unknown[] = [];
    for await (const page of reader.read({ skip, pageSize: 2 })) {
        for (const place of toldPlaces(page).places) lines.push(Number(String(place).replace(/^line /, '')));
        expect(page.placeOf(page.records.length)).toBeUndefined();
    }
    return lines;
}

const CASES: ReadonlyArray<readonly [string, string, readonly number[]]> = [
    ['csv', 'a,b\n1,2\n3,4\n5,6', [2, 3, 4]],
    ['csv', '\ufeff\n\na,b\r\n\r\n1,2\r\n,\r\n3,4\r\n', [5, 7]],
    ['csv', 'a\r1\r\r2\r', [2, 4]],
    ['csv', 'a,b\n"1\n\n1",2\n3,"4\r\n4"\n5,6', [2, 5, 7]],
    ['csv', '"a\na",b\n1,2\n3\n4,5', [3, 5]],
    ['CSV without a header', 'a\n"b\nb"\nc', [1, 2, 4]],
    ['returned CSV', 'sku,Flow: reason,Flow: place\n1,no,line 9\n"\'=\n2",no,line 10\n3,,', [2, 3, 5]],
    ['json', '[{"a":1},{"a":2},\n{"a":\n3}, {"a":4}]', [1, 1, 2, 3]],
    ['json', '\n\n  {\n"a":1}', [3]],
    ['json', '{"a":1}\n\n{"a":"\\n"}\n7\n{"a":3}', [1, 3, 5]],
    ['JSON at a path', '{"x":[\n1],"all":{\n"items":[\n\n{"a":1},\r\n{"a":2}]}}', [5, 6]],
    ['xml', '<?xml version="1.0"?>\n<r>\n<i>1</i><i>\n2</i>\n<i/>\n</r>', [3, 3, 5]],
    ['xml', '<r>\r\n<i\r\n\tn="1"\n>\n<n\n/></i><i\rn="2"/>\r<i\n></i></r>', [2, 6, 8]],
    ['XML at a path', '<a>\n<c><r>no</r></c>\n<b><r\n>1</r>\n<!-- \n\n --><r>2</r></b></a>', [3, 7]],
];

describe('the place of a record', () => {
    it.each(CASES)('is the line where it begins: %s %j', async (kind, text, lines) => {
        expect(await linesOf(kind, text)).toEqual(lines);
    });

    it.each(CASES)('is the same wherever the text is cut: %s %j', async (kind, text, lines) => {
        for (const size of [1, 2, 3, 5, 7]) expect([size, await linesOf(kind, text, { size })]).toEqual([size, lines]);
    });

    it.each(CASES)('is the same if a run resumes: %s %j', async (kind, text, lines) => {
        for (let skip = 1; skip <= lines.length; skip++) {
            // The skipped rows may not have been records.
            const rest = await linesOf(kind, text, { skip });
            expect(rest).toEqual(rest.length === 0 ? [] : lines.slice(-rest.length));
            expect(rest.length).toBeGreaterThanOrEqual(lines.length - skip);
        }
    });
});

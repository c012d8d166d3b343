import fc from 'fast-check';
import { csvReader } from '../../io/formats/csv';
import { cellOf, lineOf } from './rejects-lines';

describe('a cell', () => {
    it.each([
        ['=1+1', "'=1+1"],
        ["'x", "''x"],
        ['-5', '-5'],
        [-1.5, '-1.5'],
        ['a=b', 'a=b'],
        [null, ''],
        [undefined, ''],
        [true, 'true'],
        [{ a: [1] }, '{"a":[1]}'],
    ])('of %j is %j', (value, cell) => expect(cellOf(value)).toBe(cell));

    it.each([',', ';', '\t', '|'])('is quoted if it contains %j, whatever delimiter the file has', sign => {
        for (const delimiter of [',', ';', '\t', '^'])
            expect(lineOf([`a${sign}b`, 'c'], delimiter)).toBe(`"a${sign}b"${delimiter}c\r\n`);
    });

    it('is read again as it was written, whatever is in it', async () => {
        const text = fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\n', '\r', ' ', 'é', "'") });
        await fc.assert(
            fc.asyncProperty(
                fc.array(text, { minLength: 1, maxLength: 4 }),
                fc.constantFrom(',', ';', '\t'),
                async (cells, delimiter) => {
                    const names = cells.map((_, i) => `c${i}`);
                    const csv =
                        lineOf(names, delimiter) + lineOf([...cells.slice(0, -1), `${cells.at(-1)!}x`], delimiter);
                    const read = csvReader(
                        async function* textValue() {
                            yield csv;
                        },
                        { delimiter, hasHeader: true },
                    );
                    for await (const { records } of read.read({}))
                        expect(Object.values(records[0]!)).toEqual([...cells.slice(0, -1), `${cells.at(-1)!}x`]);
                },
            ),
        );
    });
});

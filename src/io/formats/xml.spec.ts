import fc from 'fast-check';
import { toldPlaces } from '../../../test/kit/told-places';
import { WorkBetweenTurns } from '../../../test/kit/work-between-turns';
import type { JsonObject, JsonValue } from '../../core/value/json';
import { isFlowError } from '../../core/errors/flow-error';
import { Markup } from './markup';
import type { ReadFrom, RecordPage } from './source';
import { xmlReader, type XmlOptions } from './xml';
import { xmlEncoding } from './xml-encoding';

const textOf = (...pieces: readonly string[]) =>
    async function* (): AsyncGenerator<string> {
        yield* pieces;
    };

async function pagesOf(xml: string, options: XmlOptions = {}, from: ReadFrom = {}): Promise<RecordPage[]> {
    const pages: RecordPage[] = [];
    for await (const page of xmlReader(textOf(xml), options).read(from)) pages.push(page);
    return pages;
}
const recordsOf = async (xml: string, options?: XmlOptions): Promise<JsonObject[]> =>
    (await pagesOf(xml, options)).flatMap(({ records }) => records);
const check = (xml: string, options?: XmlOptions): Promise<unknown> => xmlReader(textOf(xml), options).check();

describe('an XML document lets other work run while it is read, even if the whole text is available at once', () => {
    const RECORDS = 100_000;
    const xml = `<a>${'<r n="1"/>'.repeat(RECORDS)}</a>`;
    afterEach(() => jest.restoreAllMocks());

    it.each([
        ['checks', () => check(xml)],
        ['makes records', async () => ({ rows: (await recordsOf(xml)).length })],
    ])('when it %s', async (_what, read) => {
        const work = new WorkBetweenTurns(8);
        const write = Markup.prototype.write;
        jest.spyOn(Markup.prototype, 'write').mockImplementation(function (this: Markup, piece) {
            work.did();
            write.call(this, piece);
        });
        const { value, total, most } = await work.during<unknown>(read);
        expect(value).toEqual({ rows: RECORDS });
        // Pieces of 64 KB.
        expect([total, most]).toEqual([Math.ceil(xml.length / 65_536), 1]);
    });
});

describe('the records of an XML document', () => {
    it('are those at the path, whatever other elements of their name there are', async () => {
        const xml =
            '<c><a><i n="1"/></a><b><i n="not at the path"/></b><a><b><i n="too deep"/></b><i n="2"/></a><i n="too high"/></c>';
        expect(await recordsOf(xml, { recordPath: 'c.a.i' })).toEqual([{ '@n': '1' }, { '@n': '2' }]);
    });
});

it('an error at the beginning of a line is at its first column', async () => {
    await expect(check('<catalog>\n<p/>\n')).rejects.toMatchObject({
        code: 'SOURCE_MALFORMED',
        facts: { where: 'line 3, column 1', problem: expect.stringMatching(/catalog.*line 1$/) },
    });
});

describe('an XML document without a record at the path', () => {
    const recordPath = 'shop.goods.item';
    it.each([
        [
            'names another element',
            '<shop><goods><product><id/></product><product/></goods></shop>',
            '"shop.goods.product" (2 times)',
        ],
        ['stops before it', '<shop><wares><item><id/></item></wares></shop>', '"shop.wares.item"'],
        ['has it further down', '<shop><goods><box><item/></box></goods></shop>', '"shop.goods.box"'],
    ])('is rejected with the existing paths if it %s', async (_, xml, found) => {
        for (const read of [check, recordsOf]) {
            const reading = read(xml, { recordPath });
            const error: unknown = await reading.catch((thrown: unknown) => thrown);
            expect(error).toMatchObject({
                code: 'SOURCE_MALFORMED',
                facts: { problem: expect.stringContaining(`"${recordPath}"`) },
            });
            expect((error as Error).message).toContain(found);
        }
    });

    it.each([
        '<shop><goods/></shop>',
        '<shop><goods> <!-- none --> </goods></shop>',
        '<shop><goods><box/></goods><goods></goods></shop>',
        '<shop><goods><item/></goods><goods><box/></goods></shop>',
    ])('is an empty list if the element around them is empty: %s', async xml => {
        await expect(check(xml, { recordPath })).resolves.toEqual({ rows: xml.includes('item') ? 1 : 0 });
    });

    it('and without a path is one whose root holds nothing', async () => {
        expect(await check('<shop/>')).toEqual({ rows: 0 });
    });
});

describe('an XML document is rejected', () => {
    it.each([
        ['elements nested deeper than 100', `<r>${'<a>'.repeat(100)}`, 'elements are nested deeper than 100'],
        [
            'an element of 200,000 attributes',
            `<r><p ${Array.from({ length: 200_000 }, (_, i) => `a${i}=""`).join(' ')}/></r>`,
            'an element has more than 1000 attributes',
        ],
        [
            'the name of an element that is too long',
            `<r><${'a'.repeat(1001)}/></r>`,
            'a name is longer than 1000 characters',
        ],
        [
            'the name of an attribute that is too long',
            `<r><a ${'a'.repeat(1001)}=""/></r>`,
            'a name is longer than 1000 characters',
        ],
        [
            'a record of many small elements',
            `<r><p>${'<a/>'.repeat(1_048_577)}</p></r>`,
            'a record is longer than 4194304 characters',
        ],
        ['a record of one long text', `<r><p>${'x'.repeat(4_194_400)}</p></r>`, 'is longer than 4194304 characters'],
        [
            'a long comment outside of the records',
            `<r><!--${'x'.repeat(4_200_000)}--></r>`,
            'a text, tag or comment is longer than 4194304 characters',
        ],
        ['a DOCTYPE in the middle', '<r><!DOCTYPE r><p/></r>', 'inappropriately located doctype'],
        [
            'a path that ends at the wrong root',
            '<shop/>',
            'the root element "shop": the document has no element at the path "catalog"',
        ],
    ])('for %s', async (_, xml, message) => {
        const options = message.includes('catalog') ? { recordPath: 'catalog' } : {};
        await expect(check(xml, options)).rejects.toMatchObject({
            code: 'SOURCE_MALFORMED',
            message: expect.stringContaining(message),
        });
        await expect(recordsOf(xml, options)).rejects.toMatchObject({ code: 'SOURCE_MALFORMED' });
    });

    it.each(['<r><!-- ', '<r><p a="', '<r><p>', '<!DOCTYPE r [', '<r>&', '<r><', '<?xml '])(
        'soon, when it continues without end after %s',
        async start => {
            let given = 0;
            async function* endless(): AsyncGenerator<string> {
                yield start;
                for (; ; given++) yield 'x'.repeat(65_536);
            }
            await expect(xmlReader(endless).check()).rejects.toMatchObject({ code: 'SOURCE_MALFORMED' });
            expect(given).toBeLessThan(80);
        },
    );

    it('not for what is just within the limits', async () => {
        const attributes = Array.from({ length: 1000 }, (_, i) => `a${i}=""`).join(' ');
        await expect(
            check(
                `<r><${'p'.repeat(1000)} ${attributes}>${'<a>'.repeat(98)}${'</a>'.repeat(98)}</${'p'.repeat(1000)}></r>`,
            ),
        ).resolves.toEqual({ rows: 1 });
        await expect(check(`<r><p>${'<a/>'.repeat(1_000_000)}</p></r>`)).resolves.toEqual({ rows: 1 });
    });
});

describe('pages of XML', () => {
    const xml = `<r>${Array.from({ length: 25 }, (_, i) => `<p><n>${i}</n></p>`).join('\n')}</r>`;

    it('resume after any of them with the same pages as a whole read', async () => {
        const whole = await pagesOf(xml, {}, { pageSize: 4 });
        expect(whole.map(page => page.records.length)).toEqual([4, 4, 4, 4, 4, 4, 1]);
        for (const [i, page] of whole.entries()) {
            const rest = await pagesOf(xml, {}, { pageSize: 4, skip: page.rows });
            expect(rest.map(toldPlaces)).toEqual(whole.slice(i + 1).map(toldPlaces));
        }
        expect(await pagesOf(xml, {}, { skip: 26 })).toEqual([]);
    });

    it('are smaller where records are large, so that memory stays bounded', async () => {
        const large = `<r>${`<p>${'x'.repeat(1_000_000)}</p>`.repeat(12)}</r>`;
        expect((await pagesOf(large)).map(page => page.records.length)).toEqual([5, 5, 2]);
    });

    it('are read one by one, and leaving early closes the source', async () => {
        let given = 0;
        let isClosed = false;
        async function* source(): AsyncGenerator<string> {
            try {
                yield '<r>';
                for (; given < 1000; given++) yield '<p/>';
            } finally {
                isClosed = true;
            }
        }
        const pages = xmlReader(source).read({ pageSize: 10 });
        await pages.next();
        expect(given).toBeLessThan(12);
        await pages.return();
        expect(isClosed).toBe(true);
    });
});

describe('the declared encoding', () => {
    it.each([
        ['<?xml version="1.0" encoding="UTF-8"?>', 'utf-8'],
        ['\xef\xbb\xbf<?xml version="1.0" encoding=\'windows-1252\' ?>', 'windows-1252'],
        ['<?xml version="1.0" encoding="ISO-8859-1" standalone="yes"?>', 'windows-1252'],
        ['<?xml version="1.0" encoding="utf-16"?>', undefined],
        ['<?xml version="1.0"?><a encoding="latin1"/>', undefined],
        ['<a/>', undefined],
    ])('of %s is %s', (head, encoding) => expect(xmlEncoding(Buffer.from(head, 'latin1'))).toBe(encoding));

    it('that Flow does not read is malformed', () => {
        expect(() => xmlEncoding(Buffer.from('<?xml version="1.0" encoding="EBCDIC-CP-US"?>'))).toThrow(
            expect.objectContaining({
                code: 'SOURCE_MALFORMED',
                facts: { where: 'line 1', problem: expect.stringMatching(/"EBCDIC-CP-US".*; allowed: UTF-8, /) },
            }),
        );
    });
});

describe('any XML', () => {
    const name = fc.constantFrom('a', 'b', 'c:d', '__proto__', 'constructor', 'x.y');
    const text = fc.string({ unit: fc.constantFrom('x', ' ', '<', '&', '>', '"', '😀', ']]>', '\n'), maxLength: 8 });
    const escaped = (value: string): string =>
        value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
    const flat = fc.array(fc.tuple(name, text), { minLength: 1, maxLength: 5 });

    it('gives back what was written, wherever it is cut', async () => {
        await fc.assert(
            fc.asyncProperty(fc.array(flat, { maxLength: 5 }), fc.integer({ min: 1, max: 9 }), async (rows, size) => {
                const xml = `<r>${rows.map(fields => `<p>${fields.map(([key, value]) => `<${key}>${escaped(value)}</${key}>`).join('')}</p>`).join('')}</r>`;
                const pieces = Array.from({ length: Math.ceil(xml.length / size) }, (_, i) =>
                    xml.slice(i * size, (i + 1) * size),
                );
                const found: JsonObject[] = [];
                for await (const page of xmlReader(textOf(...pieces)).read({})) found.push(...page.records);
                const expected = rows.map(fields => {
                    const values = new Map<string, JsonValue[]>();
                    for (const [key, value] of fields) values.set(key, [...(values.get(key) ?? []), value]);
                    return Object.fromEntries(
                        [...values].map(([key, list]) => [key, list.length === 1 ? list[0]! : list]),
                    );
                });
                expect(JSON.stringify(found)).toBe(JSON.stringify(expected));
            }),
        );
    });

    it('and any text at all gives records or a malformed source, the same in both passes', async () => {
        const valid = '<?xml version="1.0"?><r><!-- c --><p a="1">t<b>x</b><![CDATA[y]]>&amp;</p><p/></r>';
        const damaged = fc
            .array(
                fc.tuple(
                    fc.nat(valid.length),
                    fc.string({
                        unit: fc.constantFrom(
                            '<',
                            '>',
                            '/',
                            '&',
                            ';',
                            '!',
                            '-',
                            '[',
                            ']',
                            '"',
                            '?',
                            'D',
                            '\0',
                            '\ud800',
                            'é',
                        ),
                        maxLength: 3,
                    }),
                    fc.nat(3),
                ),
                { minLength: 1, maxLength: 4 },
            )
            .map(edits => edits.reduce((xml, [at, put, cut]) => xml.slice(0, at) + put + xml.slice(at + cut), valid));
        await fc.assert(
            fc.asyncProperty(fc.oneof(damaged, fc.string({ unit: 'binary' })), async xml => {
                const outcome = await check(xml).catch((error: unknown) => (isFlowError(error) ? error.code : error));
                const records = await recordsOf(xml).catch((error: unknown) =>
                    isFlowError(error) ? error.code : error,
                );
                expect(Array.isArray(records) ? { rows: records.length } : records).toEqual(outcome);
                if (!Array.isArray(records)) expect(records).toBe('SOURCE_MALFORMED');
            }),
            { numRuns: 500 },
        );
    });
});

import { SaxesParser } from 'saxes';
import { Markup } from './markup';

afterEach(() => jest.restoreAllMocks());

const AMPERSANDS = 5_000;

/** Pieces that the parser is given for a document, and the text that it holds. */
function parsed(...pieces: readonly string[]): { readonly writes: number; readonly text: string } {
    const write = jest.spyOn(SaxesParser.prototype, 'write');
    let text = '';
    const markup = new Markup({ open: () => undefined, text: piece => void (text += piece), close: () => undefined });
    for (const piece of pieces) markup.write(piece);
    markup.end();
    const writes = write.mock.calls.length;
    write.mockRestore();
    return { writes, text };
}

describe('an "&" that begins no entity', () => {
    it.each([
        ['CDATA', (text: string) => `<a><![CDATA[${text}]]></a>`],
        ['CDATA, after brackets', (text: string) => `<a><![CDATA[]]${text}]]></a>`],
        ['a comment', (text: string) => `<a><!-- ${text} --></a>`],
        ['a processing instruction', (text: string) => `<a><?b ${text}?></a>`],
    ])('costs no more than any other character in %s', (_, document) => {
        const text = 'a & b && c; '.repeat(AMPERSANDS);
        const whole = document(text);
        expect(parsed(whole).writes).toBeLessThan(6);
        // Cut within it, and directly after an "&".
        const cut = whole.indexOf('&', 1000) + 1;
        expect(parsed(whole.slice(0, cut), whole.slice(cut)).writes).toBeLessThan(10);
    });

    it('is text in CDATA, wherever that is cut, and an error after it', () => {
        const document = '<a>x<![CDATA[ &b; & ]&] ]]&]]>&amp;<![CDATA[&]]></a>';
        for (let cut = 1; cut < document.length; cut++)
            expect(parsed(document.slice(0, cut), document.slice(cut)).text).toBe('x &b; & ]&] ]]&&&');
        for (const wrong of ['<a><![CDATA[&]]>& </a>', '<a><!-- & -->& </a>', '<a><?b & ?>& </a>'])
            expect(() => parsed(wrong)).toThrow(
                expect.objectContaining({
                    code: 'SOURCE_MALFORMED',
                    facts: expect.objectContaining({ problem: expect.stringContaining('&amp;') }),
                }),
            );
    });
});

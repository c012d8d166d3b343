import fc from 'fast-check';
import { charactersRead } from '../../../../test/kit/characters-read';
import { linesOfHtml, textOfHtml } from './html';

describe('the text of HTML', () => {
    it.each([
        ['a \t\u00a0 b', 'a b'],
        ['a\u2028b', 'a b'],
        ['<p> a </p>\n<p>b</p>', 'a\nb'],
        ['a &nbsp; b', 'a b'],
        ['a&#10;b', 'a\nb'],
        ['  a b  ', 'a b'],
        ['&amp;lt;', '&lt;'],
        ['&amp', '&amp'],
        ['&&amp;&', '&&&'],
        ['&nope;', '&nope;'],
        ['&toString;', '&toString;'],
        ['&CounterClockwiseContourIntegral;&ccedil;&Scaron;&alpha;&le;&NotEqualTilde;&fjlig;', '∳çŠα≤≂̸fj'],
        ['&hearts;&rarr;&permil;&Dagger;&thinsp;x', '♥→‰‡ x'],
        ['Soft&shy;ware and soft&#173;ware', 'Software and software'],
        ['&copy=1&amp;reg=2 &notit;', '&copy=1&reg=2 &notit;'],
        ['&AMP;&Amp;', '&&Amp;'],
        ['&__proto__;&constructor;', '&__proto__;&constructor;'],
        ['&#150;&#x80;&#147;x&#148;', '–€“x”'],
        ['&#0;&#xD800;&#1114112;&#99999999999999999999;', '\ufffd\ufffd\ufffd\ufffd'],
        ['&#;&#x;&#xg;', '&#;&#x;&#xg;'],
        ['&#x1F600;&#65;', '😀A'],
        ['a < b > c', 'a < b > c'],
        ['<a title="x>y">z</a>', 'z'],
        ['<H1>a</H1>b', 'a\nb'],
        ['a<!-- <p> -->b', 'ab'],
        ['<tr><td>a</td><td>b</td></tr><tr><th>c<th>d</tr>', 'a b\nc d'],
        ['<table>\n <caption>x</caption><tbody>\n <tr>\n <td> a </td>\n <td>b</td>\n </tr></table>y', 'x\na\nb\ny'],
        ['<ul><li>a</li><li><p>b</p></li></ul>c', 'a\nb\nc'],
        ['<select><option>a</option><option>b</select>', 'a\nb'],
        ['<dl><dt>a</dt><dd>b</dd></dl>', 'a\nb'],
        ['a<b>b</b><span>c</span>', 'abc'],
        ['<script>if (a < b) x</script>c', 'c'],
    ])('of %j is %j', (html, text) => {
        expect(textOfHtml(html)).toBe(text);
    });

    it('for a layout also separates the cells of a table', () => {
        const lines = linesOfHtml('<tr><td>a</td> <td>b</td></tr><tr><td>c</td></tr>\nx  y').split('\n');
        expect(lines).toEqual(['a b', 'c', 'x  y']);
    });

    it('for a layout has no no-break spaces', () => {
        expect(linesOfHtml('5&nbsp;&euro; and 7&#160;kg')).toBe('5 € and 7 kg');
    });

    it('of words without markup is those words, with any white space between them', () => {
        const space = fc.stringMatching(/^[ \t\u00a0\u2009\r]{1,4}$/);
        fc.assert(
            fc.property(fc.array(fc.tuple(fc.stringMatching(/^[a-zé]{1,5}$/), space), { minLength: 1 }), words => {
                expect(textOfHtml(words.flat().join(''))).toBe(words.map(([word]) => word).join(' '));
            }),
        );
    });

    it.each(['<', '&', ' \n', '<!--', '<a "', '&#', '</', ' ', '&amp;', '&#1', '&a', '&;'])(
        'is found in a single pass: %j many times',
        async part => {
            const html = part.repeat(20_000);
            const read = await charactersRead(15 * html.length, () => textOfHtml(html));
            expect(read).toBeGreaterThanOrEqual(html.length);
        },
    );
});

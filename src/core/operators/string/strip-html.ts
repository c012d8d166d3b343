import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { path } from '../../schema/fields';
import { CHANGED_IN_PLACE, changeText } from './change-text';
import { textOfHtml } from './html';

/** Removes HTML tags from a text. */
export const stripHtml = recordOperator({
    code: 'stripHtml',
    category: 'String',
    title: 'Strip HTML',
    summary: 'Converts HTML to plain text.',
    config: z.strictObject({
        source: path('From', `The HTML. ${CHANGED_IN_PLACE}`),
        target: path('To', 'The field for the text. Default: the field itself.').optional(),
    }),
    notes: [
        'Paragraphs, headings, list items, table rows, all other blocks and <br> begin a new line. Table cells are separated by a space, or by a line end if the HTML has one there. Inline tags (<b>, <span>) are removed. Scripts, styles and comments are removed with their content.',
        'All HTML entities become characters, by name or by number; &nbsp; becomes a space, and &shy; is removed. An unknown entity, or one without its semicolon, is left unchanged.',
        'This is for readability and is not a sanitizer: the result is plain text, and must be escaped before it is put into a page.',
    ],
    examples: [
        { args: { source: 'd' }, in: { d: '<p>Rot &amp; <b>grün</b></p><p>Neu</p>' }, out: { d: 'Rot & grün\nNeu' } },
        {
            args: { source: 'd', target: 't' },
            in: { d: 'a < b' },
            out: { d: 'a < b', t: 'a < b' },
            note: 'A "<" that does not begin a tag is kept.',
        },
        {
            args: { source: 'd' },
            in: { d: '<style>p{}</style>x<script>alert("</p>")</script><!-- no -->' },
            out: { d: 'x' },
        },
        { args: { source: 'd' }, in: { d: '&euro;&#8364;&#x20AC;&nbsp;&unknown;' }, out: { d: '€€€ &unknown;' } },
        { args: { source: 'd' }, in: { d: '<ul><li>a<li>b</ul>' }, out: { d: 'a\nb' } },
        {
            args: { source: 'd' },
            in: { d: '<table><tr><td>Höhe</td><td>20 cm</td></tr><tr><td>Breite</td><td>30 cm</td></tr></table>' },
            out: { d: 'Höhe 20 cm\nBreite 30 cm' },
        },
        { args: { source: 'd' }, in: { d: 3 }, out: { d: 3 } },
        { args: { source: 'd', target: 't' }, in: { d: 3 }, out: { d: 3, t: '3' } },
        { args: { source: 'd', target: 't' }, in: { d: ['<b>'] }, out: { d: ['<b>'] } },
    ],
    reads: ({ source }) => [source],
    compile({ source, target }, { bounds }) {
        const from = compilePath(source);
        const to = bounds.field(target ?? source);
        return changeText(from, to, textOfHtml);
    },
});

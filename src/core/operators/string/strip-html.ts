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
    summary: 'Leaves the text of a piece of HTML.',
    config: z.strictObject({
        source: path('From', `The HTML. ${CHANGED_IN_PLACE}`),
        target: path('To', 'Where the text goes; the field itself where absent.').optional(),
    }),
    notes: [
        'Paragraphs, headings, list items, table rows, all other blocks and <br> begin a new line; between the cells of a table is a blank, or the line end that the HTML has there. Tags within a line (<b>, <span>) leave nothing. Scripts, styles and comments go with what they hold.',
        'All entities of HTML become characters, by name or by number; &nbsp; is a blank, and &shy; is nothing. One without its semicolon, and one that HTML does not know, stays as it is.',
        'This is for reading, not a sanitiser: what comes out is plain text and must be escaped again where it is put into a page.',
    ],
    examples: [
        { args: { source: 'd' }, in: { d: '<p>Rot &amp; <b>grün</b></p><p>Neu</p>' }, out: { d: 'Rot & grün\nNeu' } },
        {
            args: { source: 'd', target: 't' },
            in: { d: 'a < b' },
            out: { d: 'a < b', t: 'a < b' },
            note: 'A "<" that begins no tag is a character.',
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

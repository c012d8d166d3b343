import { searchAdapters } from './search-adapters';

const adapter = (kind: string, code: string, title: string, summary = '') => ({
    kind,
    code,
    title,
    summary,
    aliases: code === 'trim' ? ['strip'] : [],
    category: 'Text',
});
const all = [
    adapter('OPERATOR', 'trim', 'Trim', 'Takes blanks away.'),
    adapter('OPERATOR', 'blankToNull', 'Blank to null', 'Trims first.'),
    adapter('EXTRACTOR', 'csv', 'CSV', 'Reads text.'),
];
const found = (text: string, kind?: string): readonly string[] =>
    searchAdapters(all, { text, kind }).map(({ code }) => code);

describe('the search of the reference', () => {
    it('finds by code, alias, title, summary and category', () => {
        // By its alias, then what trims by another word.
        expect(found('strip')).toEqual(['trim', 'blankToNull']);
        expect(found('BLANKS')).toEqual(['trim', 'blankToNull']);
        expect(found('text reads')).toEqual(['csv']);
        expect(found('')).toEqual(['blankToNull', 'csv', 'trim']);
    });

    it('has first what is called so', () => expect(found('trim')).toEqual(['trim', 'blankToNull']));

    it('keeps to a kind', () => expect(found('text', 'OPERATOR')).toEqual(['blankToNull', 'trim']));
});

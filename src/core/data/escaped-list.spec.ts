import fc from 'fast-check';
import { escapedElement, splitEscaped } from './escaped-list';

describe('an escaped list', () => {
    it('has the elements that were joined, whatever is in them', () => {
        const part = fc.array(fc.constantFrom('|', '\\', 'a', ' ', '||', '\\|'), { maxLength: 5 });
        fc.assert(
            fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), parts => {
                const texts = parts.map(pieces => pieces.join(''));
                expect(splitEscaped(texts.map(text => escapedElement(text, '|')).join('|'), '|')).toEqual(texts);
            }),
        );
    });

    it('reads texts that were not escaped, and delimiters of several characters', () => {
        expect(splitEscaped('a|b\\c|', '|')).toEqual(['a', 'b\\c', '']);
        expect(splitEscaped('a, b\\, c, d', ', ')).toEqual(['a', 'b, c', 'd']);
        expect(splitEscaped('a|b|c', '|', 2)).toEqual(['a', 'b']);
    });
});

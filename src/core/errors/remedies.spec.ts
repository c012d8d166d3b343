import { ERRORS } from './catalogue';
import { remedyOf } from './remedies';

describe('the remedy for an error', () => {
    it.each(Object.keys(ERRORS))('is a sentence for %s', code => {
        expect(remedyOf(code)).toMatch(/^[A-Z].*\.$/s);
    });

    it('is given for a code that no longer exists as well', () => {
        expect(remedyOf('LONG_GONE')).toMatch(/\.$/);
    });
});

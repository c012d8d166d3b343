import { codeOfName } from './code-of-name';

describe('the code of a new pipeline', () => {
    it.each([
        ['Supplier prices', 'supplier-prices'],
        ['  Größe & Maße (2) ', 'grosse-masse-2'],
        ['日本', ''],
        ['x'.repeat(80), 'x'.repeat(64)],
        [`${'x'.repeat(63)} y`, 'x'.repeat(63)],
    ])('called %j is %j', (name, code) => expect(codeOfName(name)).toBe(code));
});

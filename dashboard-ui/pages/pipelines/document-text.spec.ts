import { codeOf, formatOf } from './document-text';

describe('a document of a pipeline', () => {
    it.each([
        ['{ "code": "stock", "definition": {} }', 'JSON', 'stock'],
        ['\n  { "definition": { "code": "inner" } }', 'JSON', undefined],
        ['{ not json', 'JSON', undefined],
        ['name: Stock\ncode: stock\ndefinition:\n  code: inner\n', 'YAML', 'stock'],
        ["code: 'stock-2'", 'YAML', 'stock-2'],
        ['definition:\n  code: inner', 'YAML', undefined],
    ])('%j is %s of %s', (text, format, code) => {
        expect(formatOf(text)).toBe(format);
        expect(codeOf(text)).toBe(code);
    });
});

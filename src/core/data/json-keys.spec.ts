import { said } from '../../../test/kit/said';
import { duplicateKey } from './json-keys';

describe('a repeated key in JSON', () => {
    it.each([
        [
            'in the outermost object',
            '{"a": 1,\n "a": 2}',
            said('line-column-key-comes-twice', { line: 2, column: 2, key: 'a' }),
        ],
        [
            'in an object of a list',
            '[{"x": [1], "y": {}, "x": 2}]',
            said('line-column-key-comes-twice', { line: 1, column: 22, key: 'x' }),
        ],
        [
            'in another spelling',
            '{"\\u0061": 1, "a": 2}',
            said('line-column-key-comes-twice', { line: 1, column: 15, key: 'a' }),
        ],
        ['after an inner object', '{"a": {"b": [{"a": 1}]}, "a": 2}', 'the key "a" comes twice'],
    ])('is found %s', (_, text, told) => {
        expect(() => {
            JSON.parse(text);
        }).not.toThrow();
        expect(duplicateKey(text)).toContain(told);
    });

    it.each([
        '{"a": "a", "b": "a", "c": ["a", "a", "b"]}',
        '{"a": {"a": {"a": 1}}}',
        '["a", "a"]',
        '{"a\\"": 1, "a": "{\\"a\\": 1, \\"a\\": 2}"}',
        '"a"',
        '{}',
    ])('is not found in %s', text => {
        expect(duplicateKey(text)).toBeUndefined();
    });
});

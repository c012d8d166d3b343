import { duplicateKey } from './json-keys';

describe('a key that comes twice in JSON', () => {
    it.each([
        ['in the outermost object', '{"a": 1,\n "a": 2}', 'line 2, column 2: the key "a" comes twice'],
        ['in an object of a list', '[{"x": [1], "y": {}, "x": 2}]', 'line 1, column 22: the key "x" comes twice'],
        ['in another spelling', '{"\\u0061": 1, "a": 2}', 'line 1, column 15: the key "a" comes twice'],
        ['behind an inner object', '{"a": {"b": [{"a": 1}]}, "a": 2}', 'the key "a" comes twice'],
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
    ])('is not seen in %s', text => {
        expect(duplicateKey(text)).toBeUndefined();
    });
});

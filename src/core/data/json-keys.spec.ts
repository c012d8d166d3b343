import { naming } from '../../../test/kit/naming';
import { duplicateKey } from './json-keys';

describe('a repeated key in JSON', () => {
    it.each([
        ['in the outermost object', '{"a": 1,\n "a": 2}', naming('line 2', 'column 2', '"a"')],
        ['in an object of a list', '[{"x": [1], "y": {}, "x": 2}]', naming('line 1', 'column 22', '"x"')],
        ['in another spelling', '{"\\u0061": 1, "a": 2}', naming('line 1', 'column 15', '"a"')],
        ['after an inner object', '{"a": {"b": [{"a": 1}]}, "a": 2}', naming('line 1', 'column 26', '"a"')],
    ])('is found %s', (_, text, named) => {
        expect(() => {
            JSON.parse(text);
        }).not.toThrow();
        expect(duplicateKey(text)).toMatch(named);
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

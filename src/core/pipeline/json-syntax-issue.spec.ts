import * as fc from 'fast-check';
import { naming } from '../../../test/kit/naming';
import { jsonSyntaxIssue } from './json-syntax-issue';

function parses(text: string): boolean {
    try {
        JSON.parse(text);
        return true;
    } catch {
        // The test only checks whether it throws.
        return false;
    }
}

describe('the place where JSON ends too early', () => {
    it.each([
        ['', 'line 1, column 1: expected a value, the text ends'],
        ['{"a": 1,}', 'line 1, column 9: expected a key in double quotes, found "}"'],
        ['{a: 1}', 'line 1, column 2: expected a key in double quotes or }, found "a"'],
        ['{"a" 1}', 'line 1, column 6: expected a colon, found "1"'],
        ['{"a": 1\n"b": 2}', 'line 2, column 1: expected a comma or }, found "\\""'],
        ['[1 2]', 'line 1, column 4: expected a comma or ], found "2"'],
        ['[01]', 'line 1, column 3: expected a comma or ], found "1"'],
        ['{"a": "b\nc"}', 'line 1, column 7: expected a value, found "\\""'],
        ['{} {}', 'line 1, column 4: expected the end of the text, found "{"'],
        ['[1,', 'line 1, column 4: expected a value, the text ends'],
    ])('%j: %s', (text, message) => {
        expect(jsonSyntaxIssue(text)?.message).toBe(message);
    });

    it('agrees with JSON.parse about valid JSON', () => {
        const json = fc.json().chain(text =>
            fc.record({
                text: fc.constant(text),
                at: fc.nat(text.length),
                put: fc.constantFrom('', ',', '}', ']', '"', '1', ':', '\\', '\n'),
            }),
        );
        const broken = json.map(({ text, at, put }) => text.slice(0, at) + put + text.slice(at + 1));
        fc.assert(
            fc.property(
                fc.oneof(fc.json(), broken, fc.string()),
                text => (jsonSyntaxIssue(text) === undefined) === parses(text),
            ),
            { numRuns: 3000 },
        );
    });

    it('bears a million levels and a string of a megabyte', () => {
        expect(jsonSyntaxIssue('['.repeat(1_000_000))?.message).toMatch(naming('line 1', 'column 1000001', ']'));
        expect(jsonSyntaxIssue(`["${'x\\n'.repeat(350_000)}" 1]`)?.message).toMatch(
            naming('line 1', 'column 1050005', ']', '"1"'),
        );
    });
});

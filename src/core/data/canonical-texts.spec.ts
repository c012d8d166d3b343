import fc from 'fast-check';
import { runAtOnce } from '../concurrency/yielding-task';
import { canonicalTexts } from './canonical-texts';
import { canonicalJson, type JsonValue } from '../value/json';

describe('the chunks of a canonical text', () => {
    const textOf = (value: JsonValue | undefined): string => {
        let text = '';
        runAtOnce(canonicalTexts(value, piece => (text += piece)));
        return text;
    };

    it('are the canonical text together', () => {
        fc.assert(
            fc.property(fc.jsonValue(), value => textOf(value as JsonValue) === canonicalJson(value as JsonValue)),
        );
        expect(textOf(undefined)).toBe(canonicalJson(undefined));
    });

    it('are emitted after a number of values, at any depth', () => {
        const value = Array.from({ length: 10_000 }, (_, i) => ({ [`k${i % 7}`]: [i, { a: 1 }] }));
        const pieces: string[] = [];
        runAtOnce(canonicalTexts(value, piece => pieces.push(piece)));
        expect(pieces.length).toBeGreaterThan(100);
        expect(pieces.join('')).toBe(canonicalJson(value));
    });
});

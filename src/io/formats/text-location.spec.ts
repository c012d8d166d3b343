import fc from 'fast-check';
import { charactersRead } from '../../../test/kit/characters-read';
import { TextLocation } from './text-location';

describe('a place in a text', () => {
    it('has the line and column that counting gives, wherever the text is cut', () => {
        const moves = fc.array(fc.record({ by: fc.nat(6), cuts: fc.boolean() }), { maxLength: 20 });
        fc.assert(
            fc.property(fc.string({ unit: fc.constantFrom('a', '\n'), maxLength: 60 }), moves, (text, steps) => {
                const place = new TextLocation();
                let held = 0;
                let at = 0;
                for (const { by, cuts } of steps) {
                    at = Math.min(text.length, at + by);
                    const lines = text.slice(0, at).split('\n');
                    expect(String(place.moveTo(at - held, text.slice(held)))).toBe(
                        `line ${lines.length}, column ${lines.at(-1)!.length + 1}`,
                    );
                    if (!cuts) continue;
                    place.cut();
                    held = at;
                }
            }),
        );
    });

    it('moves on in a long line without looking for its end each time', async () => {
        const text = 'x'.repeat(4_000_000);
        const place = new TextLocation();
        const read = await charactersRead(3 * 40_000, () => {
            for (let at = 0; at <= 40_000; at++) place.moveTo(at, text);
        });
        expect(String(place)).toBe('line 1, column 40001');
        expect(read).toBeGreaterThanOrEqual(40_000);
    });
});

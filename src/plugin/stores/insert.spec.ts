import type { JsonObject } from '../../core/value/json';
import { storableFacts, storableMessage, timeOrderedId } from './insert';

describe('ids that Flow makes in a shop with UUIDs', () => {
    it('are UUIDs that sort in the order in which they were made, however many a millisecond brings', () => {
        const ids = Array.from({ length: 20_000 }, () => timeOrderedId(1_763_683_200_000));
        expect([...ids].sort()).toEqual(ids);
        expect(new Set(ids).size).toBe(ids.length);
        for (const id of ids.slice(0, 100))
            expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    });

    it('keep ascending when the clock is put back', () => {
        const before = timeOrderedId(1_763_683_300_000);
        expect(timeOrderedId(1_763_683_200_000) > before).toBe(true);
    });
});

describe('a line of a log', () => {
    const given = (facts: unknown) => storableFacts(facts as JsonObject);

    it('keeps facts as JSON has them', () => {
        const shared = { at: new Date(0) };
        expect(given({ rows: 3, a: shared, b: [shared] })).toEqual({
            rows: 3,
            a: { at: '1970-01-01T00:00:00.000Z' },
            b: [{ at: '1970-01-01T00:00:00.000Z' }],
        });
        expect(storableFacts(null)).toBeNull();
    });

    it('marks facts that cannot be stored, and keeps the other facts', () => {
        const circular: Record<string, unknown> = { sku: 'A', deep: [{}] };
        circular['deep'] = [{ of: circular }];
        expect(given(circular)).toEqual({ sku: 'A', deep: [{ of: '[circular]' }] });
        expect(given({ sku: 'A', id: 5n })).toEqual({ sku: 'A', id: '[BigInt]' });
        const throwing = {
            get sku(): string {
                throw new RangeError('no');
            },
        };
        for (const facts of [throwing, () => 'x', 'x'.repeat(1_000_001)])
            expect(given(facts)).toEqual({ notStored: expect.any(String) });
    });

    it('has a message that is a text, and not of any length', () => {
        expect(storableMessage(5n)).toContain('bigint');
        expect(storableMessage([['a password']])).not.toContain('password');
        expect(storableMessage('x'.repeat(3_000_000)).length).toBeLessThan(1_000_100);
        expect(storableMessage('one \0')).toBe('one \uFFFD');
    });
});

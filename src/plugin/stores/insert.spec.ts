import { timeOrderedId } from './insert';

describe('ids that Flow makes in a shop with UUIDs', () => {
    it('are UUIDs that sort in the order in which they were made, however many a millisecond brings', () => {
        const ids = Array.from({ length: 20_000 }, () => timeOrderedId(1_763_683_200_000));
        expect([...ids].sort()).toEqual(ids);
        expect(new Set(ids).size).toBe(ids.length);
        for (const id of ids.slice(0, 100))
            expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    });

    it('go on sorting when the clock is put back', () => {
        const before = timeOrderedId(1_763_683_300_000);
        expect(timeOrderedId(1_763_683_200_000) > before).toBe(true);
    });
});

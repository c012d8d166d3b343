import { LOCK_STRIPES, stripesOf } from './database';

describe('the lock stripes of keys', () => {
    it('are the same in every process, few, and in ascending order', () => {
        const keys = Array.from({ length: 10_000 }, (_, i) => `sku:${i}`);
        const stripes = stripesOf(keys);
        expect(stripes).toHaveLength(LOCK_STRIPES);
        expect([...stripes].sort((a, b) => a - b)).toEqual(stripes);
        expect(stripesOf(['sku:A', 'sku:B'])).toEqual(stripesOf(['sku:B', 'sku:A', 'sku:A']));
    });

    it('meet for two lists that share a key', () => {
        const shared = stripesOf(['sku:shared'])[0];
        expect(stripesOf(['sku:1', 'sku:shared'])).toContain(shared);
        expect(stripesOf(['slug:x', 'sku:shared'])).toContain(shared);
    });

    it('are none for no keys', () => expect(stripesOf([])).toEqual([]));
});

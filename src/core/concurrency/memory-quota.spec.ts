import { MemoryQuota } from './memory-quota';

const BUSY = new Error('busy');

describe('the memory that several holders share', () => {
    it('is bounded, and given back by each when it ends', () => {
        const memoryQuota = new MemoryQuota(10);
        const [one, two] = [memoryQuota.open(() => BUSY), memoryQuota.open(() => BUSY)];
        one.take(6);
        expect(() => two.take(5)).toThrow(BUSY);
        one.release();
        two.release();
        expect(() => memoryQuota.open(() => BUSY).take(10)).not.toThrow();
    });

    it('accepts nothing for a holder that has ended, because it would never be released', () => {
        const memoryQuota = new MemoryQuota(10);
        const late = memoryQuota.open(() => BUSY);
        late.release();
        expect(() => late.take(8)).toThrow(BUSY);
        expect(() => memoryQuota.open(() => BUSY).take(10)).not.toThrow();
    });
});

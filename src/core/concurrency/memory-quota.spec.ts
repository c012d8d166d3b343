import { MemoryQuota } from './memory-quota';

const BUSY = new Error('busy');

describe('what many hold together', () => {
    it('is bounded, and given back by each when it ends', () => {
        const memoryQuota = new MemoryQuota(10);
        const [one, two] = [memoryQuota.open(() => BUSY), memoryQuota.open(() => BUSY)];
        one.take(6);
        expect(() => two.take(5)).toThrow(BUSY);
        one.release();
        two.release();
        expect(() => memoryQuota.open(() => BUSY).take(10)).not.toThrow();
    });

    it('takes nothing more from one that is over: nobody would give it back', () => {
        const memoryQuota = new MemoryQuota(10);
        const late = memoryQuota.open(() => BUSY);
        late.release();
        expect(() => late.take(8)).toThrow(BUSY);
        expect(() => memoryQuota.open(() => BUSY).take(10)).not.toThrow();
    });
});

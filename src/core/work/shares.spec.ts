import { Shares } from './shares';

const BUSY = new Error('busy');

describe('what many hold together', () => {
    it('is bounded, and given back by each when it ends', () => {
        const shares = new Shares(10);
        const [one, two] = [shares.open(() => BUSY), shares.open(() => BUSY)];
        one.take(6);
        expect(() => two.take(5)).toThrow(BUSY);
        one.release();
        two.release();
        expect(() => shares.open(() => BUSY).take(10)).not.toThrow();
    });

    it('takes nothing more from one that is over: nobody would give it back', () => {
        const shares = new Shares(10);
        const late = shares.open(() => BUSY);
        late.release();
        expect(() => late.take(8)).toThrow(BUSY);
        expect(() => shares.open(() => BUSY).take(10)).not.toThrow();
    });
});

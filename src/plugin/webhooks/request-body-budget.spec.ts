import { RequestBodyBudget } from './request-body-budget';

const MIB = 1024 * 1024;

describe('the bodies of unanswered posts', () => {
    const full = (): Error => new Error('full');
    let budget: RequestBodyBudget;
    const of = (address: string, mib: number) => {
        const share = budget.open(address, full);
        share.take(mib * MIB);
        return share;
    };
    beforeEach(() => {
        budget = new RequestBodyBudget();
    });

    it('of one address leave room to those of others', () => {
        const slow = Array.from({ length: 6 }, () => of('203.0.113.7', 10));
        expect(() => of('203.0.113.7', 10)).toThrow('full');
        expect(() => of('198.51.100.1', 10)).not.toThrow();
        slow[0]!.release();
        slow[1]!.release();
        expect(() => of('203.0.113.7', 5)).not.toThrow();
    });

    it('are of one address where they come from one network of IPv6', () => {
        of('2001:db8:1:2::1', 60);
        expect(() => of('2001:db8:1:2::2', 10)).toThrow('full');
        expect(() => of('2001:db8:1:3::1', 10)).not.toThrow();
    });

    it('have at most 128 MiB over all addresses', () => {
        for (const address of ['203.0.113.1', '203.0.113.2']) of(address, 64);
        expect(() => of('203.0.113.3', 1)).toThrow('full');
    });

    it('of an address without unanswered posts are forgotten', () => {
        for (let i = 0; i < 3; i++) of('203.0.113.7', 64).release();
        expect(() => of('203.0.113.7', 64)).not.toThrow();
    });
});

import { takenOver } from './taken-over';

const [approved, rejected] = [{ verdict: 'APPROVED' }, { verdict: 'REJECTED' }];

describe('a run that another worker has taken over', () => {
    it('does not include the first start', () => {
        expect(takenOver({ attempt: 0, gateDecisions: [] })).toBe(0);
        expect(takenOver({ attempt: 1, gateDecisions: [rejected] })).toBe(0);
    });

    it('does not include continuing after a gate', () => {
        expect(takenOver({ attempt: 3, gateDecisions: [approved, approved] })).toBe(0);
    });

    it('is one that was taken up more often', () => {
        expect(takenOver({ attempt: 3, gateDecisions: [] })).toBe(2);
        expect(takenOver({ attempt: 3, gateDecisions: [approved] })).toBe(1);
    });
});

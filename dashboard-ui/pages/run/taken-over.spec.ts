import { takenOver } from './taken-over';

const [approved, rejected] = [{ verdict: 'APPROVED' }, { verdict: 'REJECTED' }];

describe('a run that another worker has taken over', () => {
    it('is none that has begun once', () => {
        expect(takenOver({ attempt: 0, gateDecisions: [] })).toBe(0);
        expect(takenOver({ attempt: 1, gateDecisions: [rejected] })).toBe(0);
    });

    it('is none that has gone on behind its gates', () => {
        expect(takenOver({ attempt: 3, gateDecisions: [approved, approved] })).toBe(0);
    });

    it('is one that was taken up more often', () => {
        expect(takenOver({ attempt: 3, gateDecisions: [] })).toBe(2);
        expect(takenOver({ attempt: 3, gateDecisions: [approved] })).toBe(1);
    });
});

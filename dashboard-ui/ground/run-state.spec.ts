import { hasEnded, stateOf } from './run-state';

describe('the state of a run', () => {
    it('is how it went once it has completed, and its status until then', () => {
        expect(stateOf({ status: 'RUNNING', outcome: null })).toBe('RUNNING');
        expect(stateOf({ status: 'COMPLETED', outcome: 'PARTIAL' })).toBe('PARTIAL');
        expect(stateOf({ status: 'FAILED', outcome: null })).toBe('FAILED');
    });

    it.each([
        ['PENDING', false],
        ['RUNNING', false],
        ['PAUSED', false],
        ['COMPLETED', true],
        ['FAILED', true],
        ['CANCELLED', true],
    ] as const)('%s is final: %s', (status, isFinal) => expect(hasEnded({ status })).toBe(isFinal));
});

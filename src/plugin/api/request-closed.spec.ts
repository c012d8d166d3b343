import { EventEmitter } from 'node:events';
import { untilClosed } from './request-closed';

describe('a request with many fields', () => {
    it('listens once to the end of its response, and then aborts all fields', () => {
        const response = new EventEmitter();
        const signals = Array.from({ length: 20 }, () => untilClosed(response));
        expect(response.listenerCount('close')).toBe(1);
        expect(signals.some(({ aborted }) => aborted)).toBe(false);
        response.emit('close');
        expect(signals.every(({ aborted }) => aborted)).toBe(true);
    });

    it('listens to nothing if it was not sent by HTTP', () => {
        expect(untilClosed(undefined).aborted).toBe(false);
    });
});

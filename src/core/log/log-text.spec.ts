import { flowError } from '../errors/flow-error';
import { logText } from './log-text';

describe('an event of a log', () => {
    it('has the form for its number', () => {
        const textOf = (records: number): string => logText('RUN_PAUSED', { records, step: 'gate' }).message;
        expect([textOf(0), textOf(1), textOf(12)].map(text => /: (.*) at step/.exec(text)?.[1])).toEqual([
            '0 records wait',
            '1 record waits',
            '12 records wait',
        ]);
    });

    it('keeps the code, the message and the facts of an error, and no more of it', () => {
        const facts = { host: 'erp.test', problem: 'answered 503', attempts: 3 };
        const error = flowError('REMOTE_BUSY', facts, { details: { status: 503 } });
        const { message, facts: kept } = logText('RETRYING', { error, retry: 1, of: 3, waitMs: undefined });
        expect(message).toContain(error.message);
        expect(kept).toEqual({ error: { code: 'REMOTE_BUSY', message: error.message, facts }, retry: 1, of: 3 });
    });

    it('does not fill what only a value of it has', () => {
        expect(logText('HOOK_LINE', { text: '{text} {stage}', stage: 'BEFORE_LOAD' }).message).toBe('{text} {stage}');
    });
});

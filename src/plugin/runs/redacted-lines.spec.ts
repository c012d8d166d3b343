import { said } from '../../../test/kit/said';
import { writeConsole } from '../../core/adapter/trusted-line';
import { flowError } from '../../core/errors/flow-error';
import { REDACTED } from '../../core/errors/redacted-text';
import { valueInvalid } from '../../core/errors/record-invalid';
import type { JournalEvent, OffsetStore, Reject } from '../../core/ports/ports';
import { SourceCheckpoints } from '../../core/run/source-checkpoints';
import { logOf } from '../../core/run/execution-context';
import { START } from '../../core/steps/extract';
import { Loads } from '../stores/loads';
import { reportRejects } from '../stores/rejects';
import { type LogLine, Sampler } from '../stores/sampler';
import { redactedLine, type LogText, type StoredLine } from './redacted-lines';

const masked = (message: string, facts: LogText['facts'] = null, isOwn = false): string =>
    redactedLine({ message, facts, isOwn }).message;
const foreign = (text: LogText): StoredLine => ({ ...text, isOwn: false });

/** The lines that a run logs for rejected records. */
function linesOf(rejects: readonly Reject[]): readonly LogLine[] {
    const lines: LogLine[] = [];
    reportRejects(rejects, { emit: event => event.type === 'log' && lines.push(event), flush: async () => undefined });
    return lines;
}
const reject = ({ code, message }: Pick<Reject, 'code' | 'message'>): Reject => ({
    stepKey: 'shape',
    sourceKey: 'read-1',
    seq: 7,
    ordinal: 0,
    code,
    message,
    path: 'price',
    place: 'line 9',
    payload: {},
});

describe('a line of a log for a user who may not read records', () => {
    it('says which record was rejected and why, without its values', () => {
        const [invalid, script] = linesOf([
            reject(valueInvalid('price', 'anna', 'is not a number')),
            reject(flowError('SCRIPT_FAILED', { problem: 'Error: anna' })),
        ]);
        expect(redactedLine(foreign({ message: invalid!.message, facts: invalid!.facts! }))).toEqual({
            message: invalid!.message.replace('"anna"', REDACTED),
            facts: { code: 'RECORD_INVALID', seq: 7, path: 'price', place: 'line 9' },
        });
        expect(masked(script!.message, script!.facts)).toBe(script!.message.replace('Error: anna', REDACTED));
    });

    it('says so of those that were left out, too', () => {
        const sampler = new Sampler();
        const error = valueInvalid('price', 'anna', 'is not a number');
        for (const line of linesOf(Array.from({ length: 12 }, () => reject(error)))) sampler.take(line);
        const [rest] = sampler.rest();
        expect(redactedLine(foreign({ message: rest!.message, facts: rest!.facts! }))).toEqual({
            message: rest!.message.replace('"anna"', REDACTED),
            facts: { leftOut: 2, code: 'RECORD_INVALID' },
        });
    });

    it('of a warning says the field, and no fact that is a value', () => {
        const blanks = said('blanks-left-out', { records: '3 records', field: 'name', value: 'anna' });
        expect(
            redactedLine(
                foreign({
                    message: blanks,
                    facts: { code: 'BLANKS_LEFT_OUT', records: 3, path: 'name', value: ' anna', 'an own': 5 },
                }),
            ),
        ).toEqual({
            message: blanks.replace('"anna"', REDACTED),
            facts: { code: 'BLANKS_LEFT_OUT', records: 3, path: 'name' },
        });
        const warning = said('record-field-is-allowed-at-most-5', { record: 2, step: 'read', field: 'f', value: 6 });
        expect(masked(warning, { code: 'VALIDATION_WARNING range f' })).toBe(warning.replace('is 6', `is ${REDACTED}`));
    });

    it('keeps what becomes of it', () => {
        const facts = { code: 'SCRIPT_FAILED', seq: 3 };
        const failed = said('script-failed-odd-record-goes-on', { line: 1, record: 4 });
        expect(masked(failed, facts)).toBe(failed.replace('Error: odd (line 1)', REDACTED));
        const { code, message } = flowError('REMOTE_BUSY', { host: 'erp.test', problem: 'answered 503', attempts: 3 });
        const again = said('is-tried-again', { message, number: 1, of: 3 });
        expect(masked(again, { code, retry: 1 })).toBe(again);
    });

    it('says why a run has failed, and of how many look-ups which failed first', () => {
        const error = valueInvalid('price', 'anna', 'is not a number');
        const failed = said('run-has-failed', { problem: error.message });
        expect(masked(failed, { code: error.code })).toBe(failed.replace('"anna"', REDACTED));
        const first = said('look-ups-failed-and-got-the-default', { name: 'erp.test' });
        expect(masked(first, { code: 'REMOTE_REFUSED', failed: 1 })).toBe(first);
    });

    it('is as it was where Flow has written it of the run itself, or the definition has the text', () => {
        const line = { message: 'anna: 12', facts: { stage: 'RUN_STARTED', records: 4, value: 'anna' }, isOwn: true };
        expect(redactedLine(line)).toEqual({ message: 'anna: 12', facts: { stage: 'RUN_STARTED', records: 4 } });
    });

    it('is masked where it only reads like one of Flow itself, whatever facts come with it', () => {
        for (const line of [
            'Step finished.',
            said('run-has-started'),
            said('run-has-completed-partial'),
            said('file-is-sound', { file: 'anna', what: '5 rows' }),
            said('webhook-hook-is-not-sent', { of: 'AFTER_LOAD' }),
        ])
            for (const facts of [null, { stage: 'anna' }, { own: true }] as LogText['facts'][])
                expect(masked(line, facts)).toBe(REDACTED);
    });

    it('is masked where a script has written it to its console, and says how many lines were not kept', () => {
        const lines: StoredLine[] = [];
        const journal = {
            emit: (event: JournalEvent) => event.type === 'log' && lines.push({ facts: null, isOwn: false, ...event }),
        };
        const text = said('run-has-started');
        writeConsole(logOf(journal as never, 'shape'), { lines: [{ level: 'INFO', text }], unsaid: 12 });
        const left = said('script-has-written-more-lines', { count: 12 });
        expect(lines.map(line => [line.message, redactedLine(line).message])).toEqual([
            [text, REDACTED],
            [left, left],
        ]);
    });

    it('shows no number that a script has chosen, though it reads like what becomes of the record', () => {
        for (const end of [
            'Record 4711 continues unchanged.',
            'Trying again (4711 of 9).',
            'The batch of 4711 records',
        ]) {
            const { code, message } = flowError('SCRIPT_FAILED', { problem: `odd. ${end}` });
            expect(masked(message, { code, seq: 3 })).not.toContain('4711');
        }
    });

    it('is as it was where an earlier run had left the source, or loaded the batch', async () => {
        const lines: StoredLine[] = [];
        const journal = {
            emit: (event: JournalEvent) => event.type === 'log' && lines.push({ facts: null, isOwn: false, ...event }),
        };
        const restoreCheckpoint = () => Promise.resolve({ position: START, isLeft: true, rejectedBefore: 0 });
        const step = { key: 'read', saved: () => Promise.resolve({ key: 'a', startOver: false }) };
        const source = { step, adds: [] };
        const saved = new SourceCheckpoints({ restoreCheckpoint } as unknown as OffsetStore, { mode: 'live' });
        await saved.startOf(source as never, undefined, { log: logOf(journal as never, 'read') } as never);
        const database = { transaction: () => Promise.resolve({ marker: { digest: 'other', verdicts: 'C' } }) };
        const identity = {
            runId: 1,
            pipelineId: 1,
            channelId: 1,
            token: 't',
            takeovers: 0,
            isTakeover: false,
            dryRun: false,
        };
        const loads = new Loads({ database, tables: {} } as never, identity, { journal } as never);
        const key = { stepKey: 'out', sourceKey: 'in', batchNo: 1, visit: 1 };
        await loads.commit({ key, digest: () => 'd', locks: [], work: () => undefined } as never);
        expect(lines).toHaveLength(2);
        // The second line.
        expect(lines[1]!.message).toMatch(/^Batch 2 of in /);
        for (const line of lines) expect(redactedLine(line).message).toBe(line.message);
    });

    it('is masked if a script or another author has written it', () => {
        for (const line of ['anna@example.com', '5', 'The run has started. anna', 'Record 3 of read is rejected. anna'])
            expect(redactedLine(foreign({ message: line, facts: null }))).toEqual({ message: REDACTED, facts: null });
        expect(redactedLine(foreign({ message: 'customer', facts: { mail: 'anna@example.com' } }))).toEqual({
            message: REDACTED,
            facts: null,
        });
        const problem = valueInvalid('price', 'anna', 'is not a number').message;
        expect(masked(said('run-has-failed', { problem }))).toBe(said('run-has-failed', { problem: REDACTED }));
    });
});

import { textNaming } from '../../../test/kit/naming';
import { logEvent, writeConsole } from '../../core/adapter/log-event';
import { flowError } from '../../core/errors/flow-error';
import { REDACTED } from '../../core/errors/redacted-text';
import { recordInvalid, valueInvalid } from '../../core/errors/record-invalid';
import type { LogCode } from '../../core/log/log-events';
import { type LogFacts, logText } from '../../core/log/log-text';
import type { JournalEvent, OffsetStore, Reject } from '../../core/ports/ports';
import { SourceCheckpoints } from '../../core/run/source-checkpoints';
import { logOf } from '../../core/run/execution-context';
import { START } from '../../core/steps/extract';
import type { JsonObject } from '../../core/value/json';
import { Loads } from '../stores/loads';
import { reportRejects } from '../stores/rejects';
import { type LogLine, Sampler } from '../stores/sampler';
import { redactedLine, type RedactedLine, type StoredLine } from './redacted-lines';

/** A line as the journal gets it. */
const stored = ({ code = null, message, facts = null }: Partial<StoredLine> & { readonly message: string }) => ({
    code,
    message,
    facts,
});
const linesTo = (lines: StoredLine[]) => ({
    emit: (event: JournalEvent) => void (event.type === 'log' && lines.push(stored(event))),
    flush: async () => undefined,
});
const masked = (message: string, facts: JsonObject | null = null): RedactedLine =>
    redactedLine({ message, facts, code: null });
const maskedEvent = <C extends LogCode>(event: C, given: LogFacts<C>): RedactedLine => {
    const { message, facts } = logText(event, given);
    return redactedLine({ code: event, message, facts });
};

/** The lines that a run logs for rejected records. */
function linesOf(rejects: readonly Reject[]): readonly LogLine[] {
    const lines: LogLine[] = [];
    reportRejects(rejects, {
        emit: event => void (event.type === 'log' && lines.push(event)),
        flush: async () => undefined,
    });
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
        const shown = redactedLine(stored(invalid!));
        expect(shown.message).toBe(invalid!.message.replace('"anna"', REDACTED));
        expect(shown.facts).toMatchObject({ record: 8, source: 'read-1', path: 'price', place: 'line 9' });
        expect(JSON.stringify(shown)).not.toContain('anna');
        const failed = redactedLine(stored(script!));
        expect(failed.message).toBe(script!.message.replace('Error: anna', REDACTED));
        expect(JSON.stringify(failed)).not.toContain('anna');
    });

    it('says so of those that were left out, too', () => {
        const sampler = new Sampler();
        const error = valueInvalid('price', 'anna', 'is not a number');
        for (const line of linesOf(Array.from({ length: 12 }, () => reject(error)))) sampler.take(line);
        const [rest] = sampler.rest();
        const shown = redactedLine(stored(rest!));
        expect(shown.message).toBe(rest!.message.replace('"anna"', REDACTED));
        expect(shown.facts).toMatchObject({ leftOut: 2, line: { event: 'RECORD_REJECTED' } });
        expect(JSON.stringify(shown)).not.toContain('anna');
    });

    it('of a warning says the field, and no fact that is a value', () => {
        const facts = { records: 3, path: 'name', value: '" anna"' };
        expect(maskedEvent('BLANKS_LEFT_OUT', facts)).toEqual({
            message: textNaming('3 records', '"name"', REDACTED),
            facts: { ...facts, value: REDACTED },
        });
        const warning = {
            record: 2,
            source: 'read',
            problem: recordInvalid('f', 'is 6; allowed: at most 5'),
            by: 'range',
            seq: 1,
        };
        expect(maskedEvent('RULE_WARNING', warning).message).toBe(
            logText('RULE_WARNING', warning).message.replace('is 6;', `is ${REDACTED};`),
        );
    });

    it('keeps what becomes of it', () => {
        const failed = flowError('SCRIPT_FAILED', { problem: 'Error: odd (line 1)' });
        const facts = { error: failed, record: 4, seq: 3 };
        expect(maskedEvent('SCRIPT_SKIPPED_RECORD', facts).message).toBe(
            logText('SCRIPT_SKIPPED_RECORD', facts).message.replace('Error: odd (line 1)', REDACTED),
        );
        const busy = flowError('REMOTE_BUSY', { host: 'erp.test', problem: 'answered 503', attempts: 3 });
        const retrying = { error: busy, retry: 1, of: 3 };
        expect(maskedEvent('RETRYING', retrying).message).toBe(logText('RETRYING', retrying).message);
    });

    it('says why a run has failed, and of how many look-ups which failed first', () => {
        const error = valueInvalid('price', 'anna', 'is not a number');
        expect(maskedEvent('RUN_FAILED', { error }).message).toBe(
            logText('RUN_FAILED', { error }).message.replace('"anna"', REDACTED),
        );
        const refused = { code: 'REMOTE_REFUSED', message: 'erp.test answered 400.' };
        const failed = { failed: 1, records: 3, error: refused };
        expect(maskedEvent('LOOKUPS_FAILED', failed).message).toBe(logText('LOOKUPS_FAILED', failed).message);
    });

    it('is as it was where Flow has written it of the run itself, or the definition has the text', () => {
        const facts = { text: 'anna: 12', stage: 'RUN_STARTED', records: 4 };
        expect(maskedEvent('HOOK_LINE', facts)).toEqual({ message: 'anna: 12', facts });
    });

    it('is masked where it only reads like one of Flow itself, whatever facts come with it', () => {
        for (const line of [
            logText('STEP_FINISHED', {}),
            logText('RUN_STARTED', {}),
            logText('RUN_COMPLETED', { outcome: 'PARTIAL' }),
            logText('FILE_CHECKED', { file: 'anna', rows: 5 }),
            logText('WEBHOOK_HOOK_SKIPPED', { stage: 'AFTER_LOAD' }),
        ])
            for (const facts of [null, { stage: 'anna' }, { event: 'RUN_STARTED' }] as ReadonlyArray<JsonObject | null>)
                expect(masked(line.message, facts)).toEqual({ message: REDACTED, facts: null });
    });

    it('is masked where nothing is known about its event', () => {
        const line = { code: 'OF_ANOTHER_VERSION', message: 'anna', facts: { code: 'ODD' } };
        expect(redactedLine(line)).toEqual({ message: REDACTED, facts: null });
        expect(redactedLine({ ...line, code: 'toString' })).toEqual({ message: REDACTED, facts: null });
    });

    it('is masked where a script has written it to its console, and says how many lines were not kept', () => {
        const lines: StoredLine[] = [];
        const text = logText('RUN_STARTED', {}).message;
        writeConsole(logOf(linesTo(lines), 'shape'), { lines: [{ level: 'INFO', text }], unsaid: 12 });
        const left = logText('CONSOLE_CUT', { count: 12 }).message;
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
            const error = flowError('SCRIPT_FAILED', { problem: `odd. ${end}` });
            const shown = maskedEvent('SCRIPT_SKIPPED_RECORD', { error, record: 4, seq: 3 });
            expect(JSON.stringify(shown)).not.toContain('4711');
        }
    });

    it('is as it was where an earlier run had left the source, or loaded the batch', async () => {
        const lines: StoredLine[] = [];
        const journal = linesTo(lines);
        const restoreCheckpoint = () => Promise.resolve({ position: START, isLeft: true, rejectedBefore: 0 });
        const step = { key: 'read', saved: () => Promise.resolve({ key: 'a', startOver: false }) };
        const source = { step, adds: [] };
        const saved = new SourceCheckpoints({ restoreCheckpoint } as unknown as OffsetStore, { mode: 'live' });
        await saved.startOf(source as never, undefined, { log: logOf(journal, 'read') } as never);
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
            expect(masked(line)).toEqual({ message: REDACTED, facts: null });
        expect(masked('customer', { mail: 'anna@example.com' })).toEqual({ message: REDACTED, facts: null });
    });

    it('shows what a custom adapter says with a code, without what it quotes', () => {
        expect(masked('Odd: "anna"', { code: 'ODD', seq: 3, mail: 'anna' })).toEqual({
            message: `Odd: ${REDACTED}`,
            facts: { code: 'ODD', seq: 3 },
        });
    });

    it('is not one of Flow because a log without that distinction has written it', () => {
        const lines: StoredLine[] = [];
        const { debug, info, warn, error } = logOf(linesTo(lines), 'shape');
        logEvent({ debug, info, warn, error }, 'RUN_CANCELLED', {});
        expect(redactedLine(lines[0]!).message).toBe(REDACTED);
    });
});

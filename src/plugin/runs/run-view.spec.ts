import { NO_COUNTS } from '../../core/progress/counters';
import { valueInvalid } from '../../core/errors/record-invalid';
import { counterList, errorOf, throughputOf, reportOf } from './run-view';

const counts = { created: 1, updated: 0, deleted: 0, unchanged: 4, rejected: 0 };
const report = {
    steps: { load: counts },
    differencesTotal: 1,
    differences: [{ stepKey: 'load', seq: 0, action: 'CREATE', key: 'A', before: null, after: { name: 'Secret' } }],
};

const at = (ms: number): Date => new Date(1_000_000 + ms);

describe('a run as the API shows it', () => {
    it('lists the counters of each step under its key', () => {
        expect(counterList({ in: { ...NO_COUNTS, in: 2 }, out: { ...NO_COUNTS, created: 1 } })).toEqual([
            { ...NO_COUNTS, stepKey: 'in', in: 2 },
            { ...NO_COUNTS, stepKey: 'out', created: 1 },
        ]);
        expect(counterList(null)).toEqual([]);
    });

    it('has no progress before it starts', () => {
        expect(throughputOf({ startedAt: null, finishedAt: null, recordsProcessed: 0 }, at(0).getTime())).toBeNull();
    });

    it('is measured to now while it runs, and to its end afterwards', () => {
        const run = { startedAt: at(0), finishedAt: null, recordsProcessed: 500 };
        expect(throughputOf(run, at(2000).getTime())).toEqual({ elapsedMs: 2000, recordsPerSecond: 250 });
        expect(throughputOf({ ...run, finishedAt: at(1000) }, at(2000).getTime())).toEqual({
            elapsedMs: 1000,
            recordsPerSecond: 500,
        });
    });

    it('is not infinitely fast in its first moment, nor negative when clocks differ', () => {
        expect(throughputOf({ startedAt: at(5), finishedAt: null, recordsProcessed: 3 }, at(0).getTime())).toEqual({
            elapsedMs: 0,
            recordsPerSecond: 0,
        });
    });

    it('has a report when it was a dry run that has ended', () => {
        expect(reportOf({ dryRun: true, report }, true)).toEqual({
            ...report,
            steps: [{ stepKey: 'load', ...counts }],
        });
        expect(reportOf({ dryRun: true, report: { differences: report.differences } }, true)).toBeNull();
        expect(reportOf({ dryRun: false, report: null }, true)).toBeNull();
    });

    it('hides the content of records from those who may not read it', () => {
        expect(reportOf({ dryRun: true, report }, false)?.differences).toEqual([
            { ...report.differences[0], key: '•••', after: null },
        ]);
    });

    it('says why it failed, with the values of records for those who may read them', () => {
        const {
            code: errorCode,
            message: errorMessage,
            facts: errorFacts = null,
        } = valueInvalid('price', 'a secret', 'is out of range; allowed: 0 to 5');
        const run = { errorCode, errorMessage, errorFacts, errorStepKey: 'load' };
        expect(errorOf(run, true)).toEqual({
            code: errorCode,
            message: errorMessage,
            facts: expect.objectContaining({ path: 'price', value: '"a secret"' }),
            stepKey: 'load',
        });
        expect(errorOf(run, false)).toEqual({
            code: errorCode,
            message: errorMessage.replace('"a secret"', '•••'),
            facts: null,
            stepKey: 'load',
        });
        expect(errorOf({ ...run, errorCode: null }, true)).toBeNull();
    });
});

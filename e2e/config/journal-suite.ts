import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../src/core/value/json';
import { flowError } from '../../src/core/errors/flow-error';
import { NO_COUNTS } from '../../src/core/progress/counters';
import { FlowDifference } from '../../src/plugin/entities/difference';
import { FlowLog } from '../../src/plugin/entities/log';
import { RunJournal } from '../../src/plugin/stores/journal';
import { Rejects } from '../../src/plugin/stores/rejects';
import { RunTransitions } from '../../src/plugin/stores/run-transitions';
import { type OpenStores, reject, type StoreBench } from './store-bench';

/** What users read about a run: its log and the report of a dry run. */
export function journalSuite(open: OpenStores): void {
    let bench: StoreBench;
    let transitions: RunTransitions;
    beforeAll(async () => {
        bench = await open();
        transitions = new RunTransitions(bench.env);
    });

    describe('the journal', () => {
        const log = (level: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR', message: string) =>
            ({ type: 'log', level, stepKey: 'load', message }) as const;
        const linesOf = (runId: unknown) =>
            bench.dataSource.getRepository(FlowLog).find({ where: { runId } as object, order: { id: 'ASC' } });

        it('stores lines in their order, from the chosen level on', async () => {
            const run = await bench.claimed();
            const journal = new RunJournal(bench.env, run, { level: 'INFO', logSteps: true });
            journal.emit(log('DEBUG', 'not kept'));
            journal.emit({ ...log('INFO', 'one \0'), facts: { rows: 3 } });
            journal.emit({ ...log('ERROR', 'two'), stepKey: undefined });
            journal.emit({ type: 'step.finished', stepKey: 'load', counters: { in: 1 }, ms: 1.4 });
            await journal.close();
            expect(await linesOf(run.runId)).toEqual([
                expect.objectContaining({ level: 'INFO', message: 'one \uFFFD', stepKey: 'load', facts: { rows: 3 } }),
                expect.objectContaining({ level: 'ERROR', message: 'two', stepKey: null, facts: null }),
                expect.objectContaining({ level: 'INFO', stepKey: 'load', facts: { in: 1, ms: 1 } }),
            ]);
        });

        it('stores the other lines if the facts of one cannot be stored, and reports that one', async () => {
            const run = await bench.claimed();
            const journal = new RunJournal(bench.env, run, { level: 'INFO', logSteps: true });
            const circular: JsonObject = {};
            Object.assign(circular, { self: circular });
            journal.emit(log('INFO', 'one'));
            journal.emit({ ...log('INFO', 'two'), facts: circular });
            journal.emit({ ...log('INFO', 'three'), facts: { id: 3n } as unknown as JsonObject });
            journal.emit(log('INFO', 'four'));
            await journal.close();
            expect((await linesOf(run.runId)).map(({ message, facts }) => [message, facts])).toEqual([
                ['one', null],
                ['two', { self: '[circular]' }],
                ['three', { id: '[BigInt]' }],
                ['four', null],
            ]);
        });

        it('writes without a call that waits for it', async () => {
            const run = await bench.claimed();
            const journal = new RunJournal(bench.env, run, { level: 'DEBUG', logSteps: true });
            for (let i = 0; i < 500; i++) journal.emit(log('DEBUG', `line ${i}`));
            while ((await linesOf(run.runId)).length < 500) await sleep(50);
            expect((await linesOf(run.runId)).map(({ message }) => message)).toEqual(
                Array.from({ length: 500 }, (_, i) => `line ${i}`),
            );
            await journal.close();
        });

        it('keeps a sample of similar warnings, and counts the rest', async () => {
            const run = await bench.claimed();
            const journal = new RunJournal(bench.env, run, { level: 'DEBUG', logSteps: true });
            const rejects = new Rejects(bench.env, run, journal);
            await rejects.addAll(Array.from({ length: 60 }, (_, seq) => reject(seq)));
            await journal.close();
            const lines = await linesOf(run.runId);
            expect(lines).toHaveLength(11);
            expect(lines[10]).toMatchObject({ code: 'MORE_LINES', facts: { leftOut: 50 } });
        });

        it('drops the least important lines first when the database is too slow, and reports that', async () => {
            const run = await bench.claimed();
            const journal = new RunJournal(bench.env, run, { level: 'DEBUG', logSteps: true });
            journal.emit(log('ERROR', 'kept'));
            // Similar lines are sampled, so all of these must differ.
            for (let i = 0; i < 12_000; i++)
                journal.emit({ ...log(i % 2 ? 'INFO' : 'DEBUG', 'noise'), stepKey: `step-${i}` });
            await journal.close();
            const lines = await linesOf(run.runId);
            expect(lines.length).toBeLessThanOrEqual(5_001);
            expect(lines[0]!.message).toBe('kept');
            const stored = lines.length - 1;
            expect(lines.at(-1)).toMatchObject({ code: 'LINES_LOST', facts: { count: 12_001 - stored } });
        });

        it('keeps its lines when the database rejects them, and stores them with the next flush', async () => {
            const run = await bench.claimed();
            let isAway = true;
            const { database } = bench.env;
            const flaky = {
                ...bench.env,
                database: {
                    dialect: database.dialect,
                    transaction: database.transaction.bind(database),
                    managed: database.managed.bind(database),
                    within: database.within.bind(database),
                    run: (script =>
                        isAway
                            ? Promise.reject(flowError('DATABASE_LOST', { problem: 'test' }))
                            : database.run(script)) as typeof database.run,
                },
            };
            const journal = new RunJournal(flaky, run, { level: 'DEBUG', logSteps: true });
            journal.emit(log('INFO', 'one'));
            await expect(journal.flush()).rejects.toMatchObject({ code: 'DATABASE_LOST' });
            journal.emit(log('INFO', 'two'));
            isAway = false;
            await journal.close();
            expect((await linesOf(run.runId)).map(({ message }) => message)).toEqual(['one', 'two']);
        });

        it('stores a line once, and no difference, if another worker has the run', async () => {
            const run = await bench.claimed();
            const journal = new RunJournal(bench.env, { ...run, token: 'lost' }, { level: 'INFO', logSteps: true });
            journal.emit(log('INFO', 'one'));
            const at = { sourceKey: 'in', batchNo: 0, visit: 0, place: 0 };
            const change = { action: 'update', key: 'sku', before: {}, after: { price: 2 } } as const;
            journal.emit({ type: 'change.planned', stepKey: 'load', seq: 0, at, change });
            await expect(journal.flush()).rejects.toMatchObject({ code: 'LEASE_LOST' });
            await journal.close();
            expect((await linesOf(run.runId)).map(({ message }) => message)).toEqual(['one']);
            const stored = { where: { runId: run.runId } as object };
            expect(await bench.dataSource.getRepository(FlowDifference).count(stored)).toBe(0);
        });

        it('keeps all differences of a dry run and reports the first fifty, however often it pauses', async () => {
            const run = await bench.claimed();
            const change = (seq: number) =>
                ({
                    type: 'change.planned',
                    stepKey: 'load',
                    seq,
                    at: { sourceKey: 'in', batchNo: Math.floor(seq / 10), visit: 0, place: seq % 10 },
                    change: { action: 'update', key: `sku-${seq}`, before: { price: 1 }, after: { price: 2 } },
                }) as const;
            const journal = new RunJournal(bench.env, run, { level: 'INFO', logSteps: true });
            for (let seq = 0; seq < 30; seq++) journal.emit(change(seq));
            await journal.flush();
            for (let seq = 20; seq < 100; seq++) journal.emit(change(seq));
            const report = journal.report({ load: { ...NO_COUNTS, in: 100, out: 100, updated: 100 } }, ['load']);
            expect(report).toMatchObject({
                steps: { load: { created: 0, updated: 100, unchanged: 0 } },
                differencesTotal: 100,
            });
            expect(report.differences.map(({ seq }) => seq)).toEqual(Array.from({ length: 50 }, (_, i) => i));
            expect(report.differences[0]).toEqual({
                stepKey: 'load',
                seq: 0,
                action: 'UPDATE',
                key: 'sku-0',
                before: { price: 1 },
                after: { price: 2 },
            });
            await journal.close();
            const all = await bench.dataSource
                .getRepository(FlowDifference)
                .find({ where: { runId: run.runId }, order: { id: 'ASC' } });
            expect(all.map(({ seq }) => seq)).toEqual(Array.from({ length: 100 }, (_, i) => i));
            expect(all[99]).toMatchObject({
                stepKey: 'load',
                sourceKey: 'in',
                action: 'UPDATE',
                key: 'sku-99',
                before: { price: 1 },
                after: { price: 2 },
            });
            await transitions.finish(run, { status: 'COMPLETED', outcome: 'SUCCESS', report });
            expect((await bench.run(run.runId)).report).toEqual(report);
        });
    });
}

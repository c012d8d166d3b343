import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { clockJudgements, measurements } from './kit/clock-judgements';

/** Figures that test code measures nevertheless, and why no test result depends on them. */
const MEASURED: Readonly<Record<string, string>> = {
    'e2e/config/databases.ts: Date.now() - statSync(lock).mtimeMs': 'ends the wait for a lock whose process was killed',
    'e2e/crash/import.ts: Date.now() - this.disturbedAt': 'the standstills that the long crash suite prints',
    'e2e/crash/import.ts: Date.now() - askedAt': 'the answers to cancels that the long crash suite prints',
    'e2e/crash/killed-in-an-api.ts: Date.now() - diedAt': 'the standstills that the long crash suite prints',
    'e2e/crash/killed-while-rows-change.ts: Date.now() - begunAt':
        'how long a writer was in its transaction, which the long crash suite holds against the lag of the reader',
    'e2e/crash/pim-of-the-dead.ts: Date.now() - diedAt': 'the standstills that the long crash suite prints',
    'e2e/crash/pim-of-the-dead.ts: Date.now() - since': 'the times of the syncs that the long crash suite prints',
    'test/servers/global-setup.ts: Date.now() - statSync(file).mtimeMs': 'removes leftovers that are days old',
    'test/servers/measured-environment.ts: Date.now() - this.startedAt': 'the times of the files, for the budget',
    'test/servers/measured-environment.ts: Date.now() - this.testStartedAt': 'the times of the files, for the budget',
};

const root = join(__dirname, '..');
const filesOf = (folder: string, isWanted: RegExp): readonly string[] =>
    readdirSync(join(root, folder), { recursive: true })
        .map(name =>
            relative(root, join(root, folder, String(name)))
                .split(sep)
                .join('/'),
        )
        .filter(name => isWanted.test(name));
const text = (file: string): string => readFileSync(join(root, file), 'utf8');

const shared = ['test/kit', 'test/servers', 'src/testing', 'e2e/config', 'e2e/fixtures', 'e2e/crash'].flatMap(folder =>
    filesOf(folder, /\.ts$/),
);
const tests = [
    ...['src', 'scripts', 'bench', 'demo'].flatMap(folder => filesOf(folder, /\.spec\.ts$/)),
    ...['src/testing', 'test', 'e2e'].flatMap(folder => filesOf(folder, /\.ts$/)),
];

// Only bench/ measures speed and memory: a slow or busy machine must not fail a test.
describe('no test depends on the clock or on megabytes', () => {
    it('in any of its expectations; work is counted instead (test/kit/work-between-turns.ts, characters-read.ts)', () => {
        expect(tests.length).toBeGreaterThan(100);
        expect(tests.flatMap(file => clockJudgements(file, text(file)))).toEqual([]);
    });

    it('nor gets such a figure from shared code, except to end a wait or to print it', () => {
        expect(shared.flatMap(file => measurements(file, text(file))).sort()).toEqual(Object.keys(MEASURED).sort());
    });
});

describe('an expectation that depends on the clock', () => {
    const judged = (code: string): readonly string[] => clockJudgements('a.spec.ts', code);

    it.each([
        ['expect(performance.now() - start).toBeLessThan(500);'],
        ['expect(Date.now() - start).toBeLessThan(500);'],
        ['const start = Date.now(), end = Date.now(); expect(end - start).toBeGreaterThan(10);'],
        ['expect(process.memoryUsage().rss - before).toBeLessThan(256);'],
        ['const took = process.cpuUsage(start).user / 1000; expect(took).toBeLessThan(4000);'],
        ['const timeOf = () => process.hrtime.bigint(); expect(timeOf()).toBeLessThan(4);'],
        ['function timeOf() { return process.hrtime()[0]; } expect(timeOf()).toBeLessThan(4);'],
        [
            'let peak = 0; setInterval(() => { peak = Math.max(peak, process.memoryUsage().rss); }); expect(peak).toBe(1);',
        ],
        ['const all = []; all.push(performance.now()); expect(Math.min(...all) < 200).toBe(true);'],
        ['const { max } = monitorEventLoopDelay({ resolution: 5 }); expect(max).toBeLessThan(200);'],
        ['expect(performance.eventLoopUtilization(start).utilization).toBeLessThan(0.5);'],
        ['const { longestMs } = await blocking(work); expect(longestMs).toBeLessThan(bound);'],
        ['expect(new Date().getTime() - start).toBeLessThan(500);'],
        ['const start = new Date(); expect(+new Date() - +start).toBeLessThan(500);'],
        ['expect(run.endedAt.getTime() - run.startedAt.getTime()).toBeLessThan(500);'],
        ["import { memoryUsage } from 'node:process'; expect(memoryUsage().rss).toBeLessThan(before);"],
        ["import { cpuUsage } from 'node:process'; const { user } = cpuUsage(); expect(user).toBeLessThan(before);"],
        ["import { hrtime } from 'node:process'; expect(hrtime.bigint() - start).toBeLessThan(500n);"],
        ['assert.ok(performance.now() - start < 500);'],
        ['assert(Date.now() - start < 500);'],
        ['const took = Date.now() - start; assert.equal(took < 500, true);'],
        ['assertSoon(performance.now() - start);'],
        ['assert.ok(run.waitedMs < 100);'],
        ['expect(run.waitedMs < 100).toBe(true);'],
        ["const took = performance.now() - start; if (took > 500) throw new Error('slow');"],
        ["if (Date.now() - start > 500) { log(start); throw new Error('slow'); }"],
        ["if (run.waitedMs > 500) throw new Error('slow');"],
        ['expect(run.waitedMs).not.toBeGreaterThanOrEqual(100);'],
    ])('is found: %s', code => {
        expect(judged(`const a = 1;\n${code}`)).toEqual(['a.spec.ts:2']);
    });

    it.each([
        ['expect(isStale(name, Date.now() + DAY)).toBe(false);'],
        ['const old = new Date(Date.now() - DAY); utimesSync(file, old, old); expect(kept).toBe(1);'],
        ['const deadline = Date.now() + 60_000; while (Date.now() < deadline) await turn(); expect(turns).toBe(1);'],
        ['{ const used = process.cpuUsage(); log(used); } { const used = 1; expect(used).toBeLessThan(2); }'],
        ['expect(progressOf(run)).toEqual({ elapsedMs: 2000 });'],
        ['expect(clock.now() - start).toBe(100);'],
        ['assert.ok(isStale(name, Date.now() + DAY));'],
        ['expect(run.startedAt.getTime()).toBe(startedAt.getTime());'],
        ["const deadline = Date.now() + 60_000; if (Date.now() > deadline) throw new Error('hung');"],
        ['const took = performance.now() - start; if (took > 500) log(took);'],
    ])('is not: %s', code => {
        expect(judged(code)).toEqual([]);
    });
});

describe('a measured figure in shared code', () => {
    const measured = (code: string): readonly string[] => measurements('kit.ts', code);

    it.each([
        ['Date.now() - start', 'export const took = start => Date.now() - start;'],
        [
            'end - start',
            'const start = Date.now(); await work(); const end = Date.now(); export const took = end - start;',
        ],
        ['new Date().getTime() - start', 'export const took = start => new Date().getTime() - start;'],
        ['performance.now()', 'export const moment = () => performance.now();'],
        ['memoryUsage()', "import { memoryUsage } from 'node:process'; export const size = () => memoryUsage().rss;"],
        ['process.hrtime.bigint()', 'export const moment = () => process.hrtime.bigint();'],
    ])('is found by its code: %s', (found, code) => {
        expect(measured(code)).toEqual([`kit.ts: ${found}`]);
    });

    it.each([
        ['export const soon = () => new Date(Date.now() + 60_000);'],
        ['export const yesterday = () => new Date(Date.now() - DAY_MS);'],
        ['const deadline = Date.now() + 60_000; while (Date.now() < deadline) await turn();'],
        ['export const later = clock => clock.now() - 5;'],
    ])('is not a time of day, nor a deadline: %s', code => {
        expect(measured(code)).toEqual([]);
    });
});

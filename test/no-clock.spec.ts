import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { clockJudgements, measurements } from './kit/clock-judgements';

/** Those that judge by the clock still. To be emptied; nothing is to be added. */
const STILL: readonly string[] = [];

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

const kit = filesOf('test/kit', /\.ts$/);
const tests = [
    ...['src', 'scripts', 'bench', 'demo'].flatMap(folder => filesOf(folder, /\.spec\.ts$/)),
    ...filesOf('test', /\.ts$/),
    ...filesOf('e2e', /\.ts$/),
];

// How fast something is and how much memory it takes is for bench/ to say: a machine that is slow or busy must not fail a test.
describe('no test judges by the clock or by megabytes', () => {
    const judging = new Map(tests.map(file => [file, clockJudgements(file, text(file))]));

    it('in any of its expectations; work is counted instead (test/kit/work-between-turns.ts, characters-read.ts)', () => {
        expect(tests.length).toBeGreaterThan(100);
        expect([...judging].filter(([file]) => !STILL.includes(file)).flatMap(([, lines]) => lines)).toEqual([]);
    });

    it('and whatever was an exception once is none any more when it has been mended', () => {
        expect(STILL.filter(file => (judging.get(file) ?? []).length === 0)).toEqual([]);
    });

    it('nor is handed such a figure by the kit', () => {
        expect(kit.flatMap(file => measurements(file, text(file)))).toEqual([]);
    });
});

describe('an expectation that judges by the clock', () => {
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
    ])('is not: %s', code => {
        expect(judged(code)).toEqual([]);
    });
});

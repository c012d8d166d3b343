import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FileTimes } from '../test/servers/measured-environment';

interface Line {
    readonly seconds: number;
    readonly setUpShare: number;
}
interface Budget {
    readonly all: Pick<Line, 'setUpShare'>;
    readonly others: Line;
    readonly files: Readonly<Record<string, Line>>;
}
interface BudgetModule {
    faultsOf(times: readonly FileTimes[], budget: Budget): readonly string[];
    report(times: readonly FileTimes[]): string;
}

const ROOT = join(__dirname, '..');
const budget: Budget = {
    all: { setUpShare: 0.95 },
    others: { seconds: 40, setUpShare: 0.9 },
    files: { 'e2e/long.e2e.ts': { seconds: 100, setUpShare: 0.5 } },
};
const took = (file: string, wallMs: number, part: Partial<FileTimes> = {}): FileTimes => ({
    file,
    wallMs,
    inTestsMs: wallMs / 2,
    workedMs: wallMs / 4,
    waitedMs: 0,
    tests: 1,
    ...part,
});

describe('the budget of time', () => {
    let module: BudgetModule;
    beforeAll(async () => {
        module = (await import('./budget.mjs' as string)) as BudgetModule;
    });
    const issues = (...times: readonly FileTimes[]): readonly string[] => module.faultsOf(times, budget);

    it('allows each file what its line says, and others what all may take', () => {
        expect(issues(took('e2e/a.e2e.ts', 39_000), took('e2e/long.e2e.ts', 99_000))).toEqual([]);
        expect(issues(took('e2e/a.e2e.ts', 41_000))).toEqual([expect.stringMatching(/^e2e\/a\.e2e\.ts .*41\.0 s/)]);
        expect(issues(took('test/contract/a.contract.ts', 41_000))).toHaveLength(1);
        expect(issues(took('e2e/long.e2e.ts', 101_000))).toEqual([
            expect.stringMatching(/^e2e\/long\.e2e\.ts .*101\.0 s/),
        ]);
    });

    it('does not count what a file waited for a processor', () => {
        expect(issues(took('e2e/a.e2e.ts', 120_000, { workedMs: 30_000, waitedMs: 90_000 }))).toEqual([]);
    });

    it('takes it that databases were stretched as the file was itself', () => {
        const time = { workedMs: 15_000, waitedMs: 15_000 };
        expect(issues(took('e2e/a.e2e.ts', 79_000, time))).toEqual([]);
        expect(issues(took('e2e/a.e2e.ts', 82_000, time))).toEqual([expect.stringMatching(/41\.0 s/)]);
    });

    it('counts all of it if the system does not report processor times', () => {
        expect(issues(took('e2e/a.e2e.ts', 41_000, { workedMs: 0 }))).toHaveLength(1);
    });

    it('allows a file that takes its time only so much of it for set-up', () => {
        const share = { inTestsMs: 30_000 };
        expect(issues(took('e2e/long.e2e.ts', 90_000, share))).toEqual([
            expect.stringMatching(/^e2e\/long\.e2e\.ts .*67 %/),
        ]);
        expect(issues(took('e2e/long.e2e.ts', 9_000, { inTestsMs: 1_000 }))).toEqual([]);
    });

    it('allows all of them together only so much of it, and finds out when none has said anything', () => {
        const idle = Array.from({ length: 20 }, (_, i) => took(`e2e/${i}.e2e.ts`, 1_000, { inTestsMs: 10 }));
        expect(issues(...idle)).toEqual([expect.stringMatching(/99 %/)]);
        expect(issues()).toHaveLength(1);
    });

    it('leaves unit tests alone, and shows the slowest files of all', () => {
        expect(issues(took('src/a.spec.ts', 500_000), took('e2e/a.e2e.ts', 1_000))).toEqual([]);
        const lines = module
            .report(Array.from({ length: 12 }, (_, i) => took(`src/${i}.spec.ts`, i * 1000)))
            .split('\n');
        expect(lines).toHaveLength(14);
        expect(lines[1]).toContain('src/11.spec.ts');
    });

    it('reports how long the unit tests, the contracts and the e2e tests took', () => {
        const files = ['grouped-specs/01.spec.js', 'src/a.spec.ts', 'test/contract/a.contract.ts', 'e2e/a.e2e.ts'];
        const lines = module.report(files.map(file => took(file, 1000))).split('\n');
        for (const [tier, text] of [
            ['Unit', '2 files: 2.0 s'],
            ['Contract', '1 files: 1.0 s'],
            ['E2E', '1 files: 1.0 s'],
        ])
            expect(lines).toContainEqual(expect.stringContaining(`${tier}, ${text}`));
    });

    it('names files that are there', () => {
        const { files } = JSON.parse(readFileSync(join(ROOT, 'e2e/budget.json'), 'utf8')) as Budget;
        expect(Object.keys(files).filter(file => !existsSync(join(ROOT, file)))).toEqual([]);
    });
});

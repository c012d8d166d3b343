import { TestEnvironment } from 'jest-environment-node';
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { keepCompiledScripts } from './compiled-scripts';

type Parameters = ConstructorParameters<typeof TestEnvironment>;

// A worker whose run was ended would go on with its file for minutes, and with the processes that it has started.
process.once('disconnect', () => process.exit(1));

// Once for each worker, in which this module is evaluated once.
keepCompiledScripts();

/** One line of `.test-data/times.jsonl`: where the time of a test file went. */
export interface FileTimes {
    readonly file: string;
    /** From the first line that is evaluated to the end of the last hook. */
    readonly wallMs: number;
    /** In the functions of its tests; the rest is set-up: evaluating, booting, hooks. */
    readonly inTestsMs: number;
    /** At work on a processor. 0 where the system does not tell. */
    readonly workedMs: number;
    /** Ready to work, but no processor was free: what a busy machine adds. 0 where the system does not tell. */
    readonly waitedMs: number;
    readonly tests: number;
}

/** Measures each test file, for the budget in `e2e/budget.json`. */
export default class MeasuredEnvironment extends TestEnvironment {
    private readonly file: string;
    private readonly list: string;
    private readonly startedAt = Date.now();
    private readonly before = processorTimes();
    private inTestsMs = 0;
    private testStartedAt = 0;
    private tests = 0;

    constructor(config: Parameters[0], context: Parameters[1]) {
        super(config, context);
        const { rootDir } = config.globalConfig;
        this.file = relative(rootDir, context.testPath).split('\\').join('/');
        this.list = join(rootDir, '.test-data', 'times.jsonl');
    }

    handleTestEvent({ name }: { readonly name: string }): void {
        if (name === 'test_fn_start') this.testStartedAt = Date.now();
        if (name !== 'test_fn_success' && name !== 'test_fn_failure') return;
        this.inTestsMs += Date.now() - this.testStartedAt;
        this.tests += 1;
    }

    override async teardown(): Promise<void> {
        const { file, inTestsMs, tests, before } = this;
        const now = processorTimes();
        const times: FileTimes = {
            file,
            wallMs: Date.now() - this.startedAt,
            inTestsMs,
            workedMs: Math.round(now.workedMs - before.workedMs),
            waitedMs: Math.round(now.waitedMs - before.waitedMs),
            tests,
        };
        mkdirSync(dirname(this.list), { recursive: true });
        appendFileSync(this.list, `${JSON.stringify(times)}\n`);
        await super.teardown();
    }
}

/** How long this process has had a processor, and waited for one, since it began. Linux counts it for each thread; ours is the first. */
function processorTimes(): Pick<FileTimes, 'workedMs' | 'waitedMs'> {
    try {
        const [worked, waited] = readFileSync('/proc/self/schedstat', 'utf8').split(' ').map(Number);
        return { workedMs: worked! / 1e6, waitedMs: waited! / 1e6 };
    } catch {
        return { workedMs: 0, waitedMs: 0 }; // Another system, which does not tell.
    }
}

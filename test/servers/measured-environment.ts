import { TestEnvironment } from 'jest-environment-node';
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { keepCompiledScripts } from './compiled-scripts';

type Parameters = ConstructorParameters<typeof TestEnvironment>;

// Once for each worker, since this module is evaluated once there.
keepCompiledScripts();

/** One line of `.test-data/times.jsonl`: how the time of a test file was spent. */
export interface FileTimes {
    readonly file: string;
    /** From its first line to the end of its last hook. */
    readonly wallMs: number;
    /** In the functions of its tests. The rest is setup: evaluating, booting, hooks. */
    readonly inTestsMs: number;
    /** Processor time. 0 if the system does not report it. */
    readonly workedMs: number;
    /** Time spent ready to run, waiting for a processor, which grows on a busy machine. 0 if the system does not report it. */
    readonly waitedMs: number;
    readonly tests: number;
}

/** Ends a worker whose run was aborted. Otherwise it would continue with its file for minutes, and its child processes too. */
const exit = (): never => process.exit(1);

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
        // Only while a file runs: a worker with this listener does not end by itself, and jest would kill it.
        process.once('disconnect', exit);
    }

    handleTestEvent({ name }: { readonly name: string }): void {
        if (name === 'test_fn_start') this.testStartedAt = Date.now();
        if (name !== 'test_fn_success' && name !== 'test_fn_failure') return;
        this.inTestsMs += Date.now() - this.testStartedAt;
        this.tests += 1;
    }

    override async teardown(): Promise<void> {
        process.off('disconnect', exit);
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

/** How long this process has run, and has waited for a processor, since it started. Linux counts each thread; this is the first one. */
function processorTimes(): Pick<FileTimes, 'workedMs' | 'waitedMs'> {
    try {
        const [worked, waited] = readFileSync('/proc/self/schedstat', 'utf8').split(' ').map(Number);
        return { workedMs: worked! / 1e6, waitedMs: waited! / 1e6 };
    } catch {
        return { workedMs: 0, waitedMs: 0 }; // Another system, which does not report it.
    }
}

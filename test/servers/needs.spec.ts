import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import jestConfig from '../../jest.config';

const root = join(__dirname, '../..');

const NEEDS_REDIS = `needs('redis', 'counts in Redis', ({ redis }) => {
    it('has the address', () => expect(redis).toBe('redis://there:1'));
});`;

/** Runs jest on one suite that needs Redis, in a separate process, and returns the results. */
function runSuite(env: NodeJS.ProcessEnv, suite = NEEDS_REDIS) {
    const folder = mkdtempSync(join(tmpdir(), 'flow-needs-'));
    try {
        writeFileSync(
            join(folder, 'probe.spec.ts'),
            `
            import { itNeeds, needs } from '${join(root, 'test/servers/needs').replaceAll('\\', '/')}';
            ${suite}
        `,
        );
        const [unit] = jestConfig.projects as unknown as ReadonlyArray<{ transform: Record<string, [string, object]> }>;
        const transform = Object.fromEntries(
            Object.entries(unit!.transform).map(([files, [name, options]]) => [
                files,
                [require.resolve(name), options],
            ]),
        );
        writeFileSync(
            join(folder, 'jest.config.json'),
            JSON.stringify({ rootDir: folder, transform, testMatch: ['**/*.spec.ts'] }),
        );
        const list = join(folder, 'not-run.jsonl');
        writeFileSync(list, '');
        const output = join(folder, 'out.json');
        const { status } = spawnSync(
            process.execPath,
            [join(root, 'node_modules/jest/bin/jest.js'), '--json', `--outputFile=${output}`],
            {
                cwd: folder,
                stdio: 'ignore',
                env: {
                    ...process.env,
                    FLOW_TEST_REDIS_URL: '',
                    FLOW_TEST_REQUIRE: '',
                    FLOW_TEST_NOT_RUN: list,
                    FLOW_TEST_MISSING: '{"redis":"it is not there"}',
                    ...env,
                },
            },
        );
        const { numPassedTests, numFailedTests, numTodoTests } = JSON.parse(readFileSync(output, 'utf8'));
        return {
            status,
            passed: numPassedTests,
            failed: numFailedTests,
            todo: numTodoTests,
            list: readFileSync(list, 'utf8'),
        };
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}

describe('a suite that needs a server', () => {
    it('runs with the address of a server that is available', () => {
        const there = { FLOW_TEST_REDIS_URL: 'redis://there:1', FLOW_TEST_MISSING: '{}' };
        expect(runSuite(there)).toEqual({ status: 0, passed: 1, failed: 0, todo: 0, list: '' });
    });

    it('is listed with the command that installs a missing server', () => {
        const { list, ...counts } = runSuite({});
        expect(counts).toEqual({ status: 0, passed: 0, failed: 0, todo: 1 });
        expect(JSON.parse(list)).toMatchObject({
            suite: 'counts in Redis',
            server: 'redis',
            reason: 'it is not there',
            bring: expect.stringContaining('redis'),
        });
    });

    it('fails if all servers are required', () => {
        expect(runSuite({ FLOW_TEST_REQUIRE: 'all' })).toMatchObject({ status: 1, passed: 0, failed: 1, list: '' });
    });
});

describe('a test that starts its own server', () => {
    const needsOwn = (reason: string | undefined): string =>
        `itNeeds(${JSON.stringify({ name: 'redis', reason, bring: 'fetch redis-server' })}, 'stops Redis', () => Promise.resolve());`;
    const MISSING = 'Redis: none';

    it('runs if the server can be started', () => {
        expect(runSuite({}, needsOwn(undefined))).toMatchObject({ passed: 1, failed: 0, todo: 0, list: '' });
    });

    it('is listed with the command that installs a missing program', () => {
        const { list, ...counts } = runSuite({}, needsOwn(MISSING));
        expect(counts).toEqual({ status: 0, passed: 0, failed: 0, todo: 1 });
        expect(JSON.parse(list)).toMatchObject({
            suite: 'stops Redis',
            server: 'redis',
            reason: MISSING,
            bring: 'fetch redis-server',
        });
    });

    it('fails if all servers are required', () => {
        const required = { FLOW_TEST_REQUIRE: 'all' };
        expect(runSuite(required, needsOwn(MISSING))).toMatchObject({ status: 1, passed: 0, failed: 1, list: '' });
    });
});

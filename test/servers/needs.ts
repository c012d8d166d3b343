import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import { SERVER_FACTS, type ServerName } from './server';

/** One line of the file that lists the skipped suites. */
export interface NotRun {
    readonly suite: string;
    readonly file: string;
    readonly server: ServerName | ProgramName;
    readonly reason: string;
    readonly bring: string;
}

/** Whether a server that suites need is not available. */
export function isMissing(name: ServerName): boolean {
    return !process.env[SERVER_FACTS[name].variable] || missing()[name] !== undefined;
}

/** Why servers are not available. */
function missing(): Partial<Record<ServerName, string>> {
    return JSON.parse(process.env.FLOW_TEST_MISSING ?? '{}') as Partial<Record<ServerName, string>>;
}

/**
 * A suite that needs servers: `needs('postgres', 'imports on PostgreSQL', ({ postgres }) => { … })`.
 *
 * If one is missing, the suite does not run. It is a todo in the output, and is listed at the end of `npm test`. With `FLOW_TEST_REQUIRE=all` it
 * fails.
 */
export function needs<N extends ServerName>(
    servers: N | readonly N[],
    title: string,
    suite: (urls: Record<N, string>) => void,
): void {
    const names = (typeof servers === 'string' ? [servers] : [...servers]) as N[];
    const reasons = missing();
    const absent = names.filter(isMissing);
    if (absent.length === 0) {
        const urls = Object.fromEntries(names.map(name => [name, process.env[SERVER_FACTS[name].variable]])) as Record<
            N,
            string
        >;
        describe(title, () => suite(urls));
        return;
    }
    const wants = absent.map(name => {
        const { title: server, variable, bring } = SERVER_FACTS[name];
        return {
            name,
            reason: reasons[name] ?? 'not looked for',
            bring,
            why: `${server}: ${reasons[name] ?? `${variable} is not set`}`,
        };
    });
    notRun(title, wants);
}

/** Programs that suites use to start servers. Suites run without them if they are not installed. */
export type ProgramName = 'proftpd' | 'openssh-sftp-server';

/** A server that a test starts itself, since it stops it. The program may be missing even if another such server is available. */
export interface OwnServer {
    readonly name: ServerName | ProgramName;
    /** Why it cannot be started; undefined if it can. */
    readonly reason: string | undefined;
    /** The command that installs the program. */
    readonly bring: string;
}

/** A test that starts its own server. If that is not possible, it is handled like a suite whose server is missing. */
export function itNeeds({ reason, ...own }: OwnServer, title: string, test: () => Promise<void>): void {
    if (reason === undefined) it(title, test);
    else notRun(title, [{ ...own, reason, why: reason }]);
}

/** A suite that starts its own server, like `itNeeds`. */
export function suiteNeeds({ reason, ...own }: OwnServer, title: string, suite: () => void): void {
    if (reason === undefined) describe(title, suite);
    else notRun(title, [{ ...own, reason, why: reason }]);
}

interface Want extends Pick<OwnServer, 'name' | 'bring'> {
    readonly reason: string;
    /** The reason, for a line about several servers. */
    readonly why: string;
}

function notRun(title: string, wants: readonly Want[]): void {
    const why = wants.map(want => want.why).join('; ');
    if (process.env.FLOW_TEST_REQUIRE === 'all') {
        describe(title, () => {
            it('has the servers that it needs', () => {
                throw new Error(`${why}. To bring it: ${wants.map(({ bring }) => bring).join(' && ')}`);
            });
        });
        return;
    }
    test.todo(`not run: ${title} (${why})`);
    const { FLOW_TEST_NOT_RUN: list } = process.env;
    if (!list) return;
    const file = relative(process.cwd(), expect.getState().testPath ?? '');
    for (const { name: server, reason, bring } of wants) {
        const line: NotRun = { suite: title, file, server, reason, bring };
        appendFileSync(list, `${JSON.stringify(line)}\n`);
    }
}

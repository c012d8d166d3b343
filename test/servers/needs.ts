import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import { SERVER_FACTS, type ServerName } from './server';

/** One line of the file that lists the suites that did not run. */
export interface NotRun {
    readonly suite: string;
    readonly file: string;
    readonly server: ServerName | ProgramName;
    readonly reason: string;
    readonly bring: string;
}

/** Whether a server that suites asked for could not be had. */
export function isMissing(name: ServerName): boolean {
    return !process.env[SERVER_FACTS[name].variable] || missing()[name] !== undefined;
}

/** Why servers could not be had. */
function missing(): Partial<Record<ServerName, string>> {
    return JSON.parse(process.env.FLOW_TEST_MISSING ?? '{}') as Partial<Record<ServerName, string>>;
}

/**
 * A suite that needs servers: `needs('postgres', 'imports on PostgreSQL', ({ postgres }) => { … })`.
 *
 * When one is missing the suite is not run: it stands as a todo in the output and in the list at the end of `npm test`. With
 * `FLOW_TEST_REQUIRE=all` it fails.
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

/** Programs that suites start servers of themselves, and run without where they are not installed. */
export type ProgramName = 'proftpd' | 'openssh-sftp-server';

/** A server that a test starts itself, since it stops it; the program may be missing where another such server answers. */
export interface OwnServer {
    readonly name: ServerName | ProgramName;
    /** Why it cannot be started; undefined where it can. */
    readonly reason: string | undefined;
    /** The one command that brings the program. */
    readonly bring: string;
}

/** A test that starts a server of its own. Where it cannot, it is treated as a suite whose server is missing. */
export function itNeeds({ reason, ...own }: OwnServer, title: string, test: () => Promise<void>): void {
    if (reason === undefined) it(title, test);
    else notRun(title, [{ ...own, reason, why: reason }]);
}

/** A suite that starts a server of its own, as `itNeeds`. */
export function suiteNeeds({ reason, ...own }: OwnServer, title: string, suite: () => void): void {
    if (reason === undefined) describe(title, suite);
    else notRun(title, [{ ...own, reason, why: reason }]);
}

interface Want extends Pick<OwnServer, 'name' | 'bring'> {
    readonly reason: string;
    /** What is told of it where there is one line for all. */
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

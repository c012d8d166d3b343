import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import { SERVER_FACTS, type ServerName } from './server';

/** One line of the file that lists the suites that did not run. */
export interface NotRun {
    readonly suite: string;
    readonly file: string;
    readonly server: ServerName;
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
    const why = absent
        .map(name => `${SERVER_FACTS[name].title}: ${reasons[name] ?? `${SERVER_FACTS[name].variable} is not set`}`)
        .join('; ');
    if (process.env.FLOW_TEST_REQUIRE === 'all') {
        describe(title, () => {
            it('has the servers that it needs', () => {
                throw new Error(`${why}. To bring it: ${absent.map(name => SERVER_FACTS[name].bring).join(' && ')}`);
            });
        });
        return;
    }
    test.todo(`not run: ${title} (${why})`);
    const { FLOW_TEST_NOT_RUN: list } = process.env;
    if (!list) return;
    const file = relative(process.cwd(), expect.getState().testPath ?? '');
    for (const server of absent) {
        const line: NotRun = {
            suite: title,
            file,
            server,
            reason: reasons[server] ?? 'not looked for',
            bring: SERVER_FACTS[server].bring,
        };
        appendFileSync(list, `${JSON.stringify(line)}\n`);
    }
}

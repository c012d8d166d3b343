/**
 * npm run test:golden [-- --check]: runs the rounds of the equality suites with Vendure's own services on each available database, stores the resulting state
 * of the shops in e2e/golden, and prints what has changed. With --check nothing is written, and a difference is a failure.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Database } from '../e2e/config/databases';
import { type Outcome, outcomeThroughServices } from '../e2e/fixtures/equality-outcome';
import { ROUNDS } from '../e2e/fixtures/equality-rounds';
import { Golden, type Outcomes, lineChanges } from '../e2e/fixtures/golden';
import { keyOfToday } from '../e2e/fixtures/golden-key';
import { type Provided, provision } from '../test/servers/provision';
import { SERVER_FACTS } from '../test/servers/server';

const ROOT = join(__dirname, '..');
const DATA = join(ROOT, '.test-data');
const SHOWN = 3;

/** A separate process for each database, since Vendure registers the columns of custom fields once per process, for the first database. */
async function outcomeOn(database: Database): Promise<Outcome> {
    mkdirSync(DATA, { recursive: true });
    const folder = mkdtempSync(join(DATA, 'golden-'));
    const file = join(folder, `${database}.json`);
    const args = ['-r', '@swc-node/register', __filename, '--on', database, '--into', file];
    const started = Date.now();
    try {
        const child = spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
        const code = await new Promise<number | null>((resolve, reject) => {
            child.once('error', reject);
            child.once('close', resolve);
        });
        if (code !== 0) throw new Error(`The services' half on ${database} ended with exit code ${code}.`);
        console.log(`${database}: ${ROUNDS.length} rounds in ${Math.round((Date.now() - started) / 1000)} s`);
        return JSON.parse(readFileSync(file, 'utf8')) as Outcome;
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}

/** A few lines for each table, index or response that has changed. A row counts in the round in which it first appears. */
function differences(before: Outcome, after: Outcome): readonly string[] {
    const told: string[] = [];
    const seen = new Set<string>();
    const tell = (place: string, was: readonly string[] = [], is: readonly string[] = []): void => {
        const { gone, come } = lineChanges(was, is);
        const lines = [...gone.map(line => `- ${line}`), ...come.map(line => `+ ${line}`)];
        const news = lines.filter(line => !seen.has(line));
        if (news.length === 0) return;
        for (const line of news) seen.add(line);
        told.push(`${place}: ${gone.length} lines removed, ${come.length} added`);
        told.push(...news.slice(0, SHOWN).map(line => `    ${line}`));
        if (news.length > SHOWN) told.push(`    … and ${news.length - SHOWN} more`);
    };
    after.dumps.forEach((dump, i) => {
        const was = before.dumps[i] ?? {};
        for (const table of new Set([...Object.keys(was), ...Object.keys(dump)]))
            tell(`${ROUNDS[i]!.name}, ${table}`, was[table], dump[table]);
    });
    tell('search index', before.index, after.index);
    for (const question of new Set([...Object.keys(before.answers), ...Object.keys(after.answers)]))
        tell(`answer to ${question}`, before.answers[question], after.answers[question]);
    return told;
}

/** All databases share one expected half, so the services must have the same results on each. Only responses may differ. */
function assertAlike({ sqlite, ...others }: Outcomes & { readonly sqlite: Outcome }): void {
    for (const [database, outcome] of Object.entries(others)) {
        const told = differences(sqlite, { ...outcome, answers: sqlite.answers });
        if (told.length > 0)
            throw new Error(`On ${database} the services store other things than on SQLite:\n${told.join('\n')}`);
    }
}

function changesSince(kept: Outcomes, made: Outcomes): readonly string[] {
    return (Object.keys(made) as Database[]).flatMap(database => {
        const before = kept[database];
        if (!before) return [`${database}: nothing was kept`];
        return differences(before, made[database]!).map(line => `${database}: ${line}`);
    });
}

/** Computes the outcomes on SQLite and on the available servers. */
async function makeOutcomes(): Promise<{ made: Outcomes & { sqlite: Outcome }; absent: readonly string[] }> {
    const found = await Promise.all((['postgres', 'mariadb'] as const).map(provision));
    const servers = found.filter((server): server is Provided => 'url' in server);
    const absent = found.flatMap(server =>
        'reason' in server
            ? [`${SERVER_FACTS[server.name].title} is not available (${SERVER_FACTS[server.name].bring})`]
            : [],
    );
    try {
        for (const { name, url } of servers) process.env[SERVER_FACTS[name].variable] = url;
        const made: Partial<Record<Database, Outcome>> = {};
        for (const { name } of servers) made[name as Database] = await outcomeOn(name as Database);
        return { made: { ...made, sqlite: await outcomeOn('sqlite') }, absent };
    } finally {
        await Promise.all(servers.map(({ started }) => started?.stop()));
    }
}

async function main(isCheck: boolean): Promise<number> {
    // Computed before the work, so that the result is outdated if the rounds are edited in the meantime.
    const golden = new Golden(keyOfToday());
    const { outcomes: kept, isOfToday } = golden.kept();
    const { made, absent } = await makeOutcomes();
    assertAlike(made);
    const changes = changesSince(kept, made);
    console.log(changes.length > 0 ? changes.join('\n') : 'All is as it is kept.');
    for (const each of absent) console.log(each);
    if (isCheck) {
        if (!isOfToday) console.log('What is kept is of another version of Vendure, or of other rounds.');
        const isUnproved = absent.length > 0 && process.env.FLOW_TEST_REQUIRE === 'all';
        return changes.length > 0 || !isOfToday || isUnproved ? 1 : 0;
    }
    if (changes.length === 0 && isOfToday) return 0;
    // The outcome of an unavailable database is kept if it is of the same rounds.
    const file = golden.keep(isOfToday ? { ...kept, ...made } : made);
    const lost = changesSince(golden.kept().outcomes, made);
    if (lost.length > 0) throw new Error(`The file does not give back what was put in:\n${lost.join('\n')}`);
    console.log(`Kept in ${relative(ROOT, file)}, ${Math.round(statSync(file).size / 1024)} KB.`);
    return 0;
}

const [, , option, database, , file] = process.argv;
const work =
    option === '--on'
        ? outcomeThroughServices(database as Database).then(outcome => {
              writeFileSync(file!, JSON.stringify(outcome));
              return 0;
          })
        : main(option === '--check');
work.then(
    code => process.exit(code),
    (error: unknown) => {
        console.error(error);
        process.exit(1);
    },
);

// Repeats what `npm test` does a few times with short leases, and prints a table at the end:
//
//   npm run test:kills    -- [--kills 20] [--records 0] [--orders 1000] [--messages 20000] [--queue sql|bullmq] [--times short|default]
//   npm run `test:faults` -- [--cuts 20] [--commits 50] [--drops 50] [--statements 9999] [--outages 2] [--seconds 120] [--freezes 20] [--cancels 10]
//                            [--redis 1] [--kills 20] [--times short|default]
//   both                     [--database postgres|mariadb] [--only <row>,<row>] [--keep <file>]
//
// --records sets the length of the import in which workers are killed. Default: as long as the kills need. 0 omits a kind of failure. --only runs only these
// rows, by their names in the table. If a row takes too long for one session, run a part of it at a time: --keep appends the results to a file, and the table
// then contains all results of the file. Each row has its own process and its own database server, which ends idle transactions after two minutes; BullMQ uses
// the Redis of the tests. Leases are short (3 s) unless Flow's default times are selected; the kills run with both.
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import './install.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const number = fallback => ({ type: 'string', default: String(fallback) });
const COUNTS = {
    kills: 20,
    records: 0,
    orders: 1000,
    messages: 20_000,
    cuts: 20,
    commits: 50,
    drops: 50,
    statements: 9999,
    outages: 2,
    freezes: 20,
    cancels: 10,
    redis: 1,
    seconds: 120,
};
const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
        ...Object.fromEntries(Object.entries(COUNTS).map(([name, usual]) => [name, number(usual)])),
        queue: { type: 'string' },
        times: { type: 'string' },
        database: { type: 'string' },
        only: { type: 'string' },
        keep: { type: 'string' },
    },
});
/** Exits with the problem before anything has run. */
function refuse(problem) {
    console.error(problem);
    process.exit(2);
}
for (const name of Object.keys(COUNTS))
    if (!/^\d{1,5}$/.test(values[name])) refuse(`--${name} is "${values[name]}"; allowed: a whole number, 0 to 99999.`);
for (const [name, known] of Object.entries({
    queue: ['sql', 'bullmq'],
    times: ['short', 'default'],
    database: ['postgres', 'mariadb'],
}))
    if (values[name] !== undefined && !known.includes(values[name]))
        refuse(`--${name} is "${values[name]}"; allowed: ${known.join(', ')}.`);

const awayMs = Number(values.seconds) * 1000;
const row = (fault, count, more) => ({
    fault,
    count: Number(count),
    records: Number(values.records),
    queue: 'sql',
    times: values.times ?? 'short',
    moment: 'anytime',
    isSilent: false,
    awayMs,
    ...more,
});
const chosen = (value, all) => (value === undefined ? all : [value]);
const NAMES = { postgres: 'PostgreSQL', mariadb: 'MariaDB' };
const { kills, orders: placed, messages, cuts, commits, drops, statements, outages, freezes, cancels, redis } = values;
/** How long Redis is stopped. */
const A_MINUTE_MS = 60_000;
/** The rows by their names, for one database. */
const SUITES = {
    kills: () => [
        {
            name: 'brokers',
            title: '100,000 messages to each broker, producers killed',
            isAlone: true,
            ...row('brokers', kills),
        },
        ...chosen(values.queue, ['sql', 'bullmq']).flatMap(queue => {
            const name = queue === 'sql' ? 'SQL queue' : 'BullMQ';
            return [
                ...chosen(values.times, ['short', 'default']).map(times => ({
                    name: `kills-${queue}`,
                    title: `workers killed, ${name}`,
                    ...row('kills', kills, { queue, times }),
                })),
                ...(queue === 'sql'
                    ? [
                          { name: 'apis', title: 'killed while they read APIs', ...row('apis', kills) },
                          { name: 'own-apis', title: 'the same, 10,000 products', ...row('own-apis', kills) },
                          { name: 'changes', title: 'killed while rows change', ...row('changes', kills) },
                          { name: 'messages', title: 'killed while messages come', ...row('messages', messages) },
                          { name: 'files', title: 'killed while files are read, moved', ...row('files', kills) },
                      ]
                    : []),
                {
                    name: `deliveries-${queue}`,
                    title: `killed at any moment, two runs, file, search, API, ${name}`,
                    ...row('deliveries', kills, { queue }),
                },
                {
                    name: `orders-${queue}`,
                    title: `orders placed, servers and workers killed, ${name}`,
                    ...row('orders', placed, { queue }),
                },
            ];
        }),
    ],
    faults: () => [
        { name: 'drops', title: 'cut at random in 3 % of transactions', ...row('drops', drops) },
        { name: 'commits', title: 'cut at 4 % of the COMMITs', ...row('commits', commits) },
        { name: 'cuts-load', title: 'all cut in mid-load', ...row('cuts', cuts, { moment: 'inLoad' }) },
        { name: 'cuts', title: 'all cut at random', ...row('cuts', cuts) },
        { name: 'statements', title: 'cut at each statement of a run', ...row('statements', statements) },
        { name: 'outages', title: `database away ${values.seconds} s`, ...row('outages', outages) },
        { name: 'frozen-rest', title: 'frozen between loads', ...row('freezes', freezes, { moment: 'atRest' }) },
        { name: 'frozen-load', title: 'frozen in mid-load', ...row('freezes', freezes, { moment: 'inLoad' }) },
        { name: 'frozen', title: 'frozen at random', ...row('freezes', freezes) },
        { name: 'frozen-silent', title: 'frozen, network silent', ...row('freezes', freezes, { isSilent: true }) },
        { name: 'frozen-queue', title: 'frozen, holds the SQL queue', ...row('held', freezes) },
        { name: 'cancelled-load', title: 'cancelled, frozen', ...row('cancels', cancels, { moment: 'inLoad' }) },
        { name: 'cancelled', title: 'cancelled, frozen at random', ...row('cancels', cancels) },
        { name: 'pim', title: 'all of a PIM: syncs, webhooks, failures, kills', ...row('pim', kills) },
        {
            name: 'redis',
            title: 'Redis away a minute, empty then, BullMQ',
            ...row('redis', redis, { queue: 'bullmq', awayMs: A_MINUTE_MS }),
        },
    ],
};
/** Runs one row. Ctrl-C reaches its process as well, which then stops what it has started. */
function perform({ title, name, ...order }) {
    return new Promise(resolve => {
        const script = join('e2e', 'crash', order.isAlone ? 'long-brokers.ts' : 'long-row.ts');
        const args = ['-r', '@swc-node/register', script, JSON.stringify(order)];
        const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
        const started = Date.now();
        let [rest, done, told] = ['', 0, undefined];
        child.stdout.on('data', chunk => {
            const lines = (rest + chunk).split('\n');
            rest = lines.pop();
            for (const line of lines)
                if (line.startsWith('ONE ')) console.log(`  ${++done}, ${since(started)} s: ${line.slice(4)}`);
                else if (line.startsWith('MORE ')) console.log(`    ${line.slice(5)}`);
                else if (line.startsWith('ROW ')) told = JSON.parse(line.slice(4));
        });
        child.once('close', code => {
            const notes = [`it has ended with ${code} and said no more`];
            resolve({ name, title, ...(told ?? { ...NOTHING, notes }), seconds: since(started) });
        });
    });
}
const NOTHING = { times: 0, equal: 0, failed: 0, rejected: 0, standstillsMs: [], answersMs: [], isGood: false };
const since = started => Math.round((Date.now() - started) / 1000);

/** All results of each row, from this session and earlier ones. */
function summed(rows) {
    const all = new Map();
    for (const one of rows) {
        const before = all.get(one.title);
        const sum = before && {
            ...one,
            ...Object.fromEntries(
                ['times', 'equal', 'failed', 'rejected', 'seconds'].map(key => [key, before[key] + one[key]]),
            ),
            ...Object.fromEntries(
                ['standstillsMs', 'answersMs', 'notes'].map(key => [key, [...before[key], ...one[key]]]),
            ),
            isGood: before.isGood && one.isGood,
        };
        all.set(one.title, sum ?? one);
    }
    return [...all.values()];
}

const inSeconds = ms => (ms === undefined ? '–' : (ms / 1000).toFixed(1));

function cells({ title, times, equal, failed, rejected, standstillsMs, answersMs, seconds, isGood }) {
    const sorted = [...standstillsMs].sort((a, b) => a - b);
    const outcome = isGood ? 'as due' : 'FAILED';
    const answer = answersMs.length > 0 ? Math.max(...answersMs) : undefined;
    const figures = [times, equal, failed, rejected].map(String);
    const [longest, median] = [sorted.at(-1), sorted[sorted.length >> 1]];
    return [title, ...figures, ...[longest, median, answer].map(inSeconds), String(seconds), outcome];
}

const suite = SUITES[positionals[0]];
if (!suite) refuse(`There is no suite "${positionals[0]}". Known: ${Object.keys(SUITES).join(', ')}.`);
const names = [...new Set(suite().map(({ name }) => name))];
const only = values.only?.split(',') ?? names;
for (const name of only) if (!names.includes(name)) refuse(`--only "${name}"; allowed: ${names.join(', ')}.`);
const ordered = suite().filter(({ name, count }) => count > 0 && only.includes(name));
const orders = [
    // Rows without a shop, and so without a database.
    ...ordered.filter(({ isAlone }) => isAlone),
    ...chosen(values.database, ['postgres', 'mariadb']).flatMap(type =>
        ordered
            .filter(({ isAlone }) => !isAlone)
            .map(one => ({ ...one, type, title: `${NAMES[type]}: ${one.title}, ${one.times} leases` })),
    ),
];
if (orders.length === 0) refuse('All counts are 0, so nothing would run.');
let interrupted = false;
process.on('SIGINT', () => {
    interrupted = true;
});
const { keep } = values;
const lines = keep && existsSync(keep) ? readFileSync(keep, 'utf8').split('\n').filter(Boolean) : [];
const rows = lines.map(line => JSON.parse(line));
for (const order of orders) {
    if (interrupted) break;
    console.log(`${order.title} (${order.name}): ${order.count} times …`);
    const done = await perform(order);
    rows.push(done);
    if (keep) appendFileSync(keep, `${JSON.stringify(done)}\n`);
    console.log(`  ${done.isGood ? 'as it should be' : 'FAILED'}, after ${done.seconds} s`);
}
const head = [
    'scenario',
    'times',
    'equal runs',
    'failed',
    'rejected',
    'longest standstill s',
    'median s',
    'slowest answer s',
    'took s',
    'outcome',
];
const sums = summed(rows);
const table = [head, ...sums.map(cells)];
const widths = head.map((_, i) => Math.max(...table.map(line => line[i].length)));
const line = texts => texts.map((text, i) => (i === 0 ? text.padEnd(widths[i]) : text.padStart(widths[i]))).join('  ');
console.log(`\n${[line(head), line(widths.map(width => '-'.repeat(width))), ...table.slice(1).map(line)].join('\n')}`);
for (const { title, notes } of sums) for (const note of notes) console.log(`\n${title}: ${note}`);
process.exitCode = interrupted ? 130 : sums.every(({ isGood }) => isGood) ? 0 : 1;

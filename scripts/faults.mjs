// What `npm test` does a few times with short leases, as often as it takes to trust it, with a table at the end:
//
//   npm run test:kills  -- [--kills 20] [--queue sql|bullmq] [--times short|default]
//   npm run test:faults -- [--cuts 20] [--commits 50] [--outages 10] [--seconds 20] [--freezes 20] [--cancels 10]
//                          [--database postgres|mariadb] [--times short|default]
//
// 0 leaves a fault out. Each row has a process and a database server of its own, which ends idle transactions after 30 s, as the guide
// advises; BullMQ takes the Redis of the tests. Leases are short (3 s) unless Flow's default times are asked for; the kills come with
// both, and on PostgreSQL.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import './install.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const number = fallback => ({ type: 'string', default: String(fallback) });
const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
        kills: number(20),
        cuts: number(20),
        commits: number(50),
        outages: number(10),
        freezes: number(20),
        cancels: number(10),
        seconds: number(20),
        queue: { type: 'string' },
        times: { type: 'string' },
        database: { type: 'string' },
    },
});
/** Ends with what is wrong, before anything has run. */
function refuse(problem) {
    console.error(problem);
    process.exit(2);
}
for (const name of ['kills', 'cuts', 'commits', 'outages', 'freezes', 'cancels', 'seconds'])
    if (!/^\d{1,4}$/.test(values[name])) refuse(`--${name} is "${values[name]}"; allowed: a whole number, 0 to 9999.`);
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
    queue: 'sql',
    times: values.times ?? 'short',
    type: 'postgres',
    moment: 'anytime',
    isSilent: false,
    awayMs,
    ...more,
});
const chosen = (value, all) => (value === undefined ? all : [value]);
const NAMES = { postgres: 'PostgreSQL', mariadb: 'MariaDB' };
const SUITES = {
    kills: () =>
        chosen(values.queue, ['sql', 'bullmq']).flatMap(queue =>
            chosen(values.times, ['short', 'default']).map(times => ({
                title: `workers killed, ${queue === 'sql' ? 'SQL queue' : 'BullMQ'}, ${times} leases`,
                ...row('kills', values.kills, { queue, times }),
            })),
        ),
    faults: () =>
        chosen(values.database, ['postgres', 'mariadb']).flatMap(type =>
            [
                { title: 'cut at 4 % of the COMMITs', ...row('commits', values.commits) },
                { title: 'connections cut in mid-load', ...row('cuts', values.cuts, { moment: 'inLoad' }) },
                { title: 'connections cut at random', ...row('cuts', values.cuts) },
                { title: `database away ${values.seconds} s`, ...row('outages', values.outages) },
                { title: 'worker frozen between loads', ...row('freezes', values.freezes, { moment: 'atRest' }) },
                { title: 'worker frozen in mid-load', ...row('freezes', values.freezes, { moment: 'inLoad' }) },
                { title: 'worker frozen at random', ...row('freezes', values.freezes) },
                { title: 'the same, network silent', ...row('freezes', values.freezes, { isSilent: true }) },
                { title: 'cancelled, worker frozen', ...row('cancels', values.cancels, { moment: 'inLoad' }) },
                { title: 'cancelled, frozen at random', ...row('cancels', values.cancels) },
            ].map(one => ({ ...one, type, title: `${NAMES[type]}: ${one.title}, ${one.times} leases` })),
        ),
};
/** Does one row; Ctrl-C reaches it as well, and it stops what it has started. */
function perform({ title, ...order }) {
    return new Promise(resolve => {
        const args = ['-r', '@swc-node/register', join('e2e', 'crash', 'long-row.ts'), JSON.stringify(order)];
        const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
        let output = '';
        child.stdout.on('data', chunk => {
            output += chunk;
        });
        child.once('close', code => {
            const line = output.split('\n').find(text => text.startsWith('ROW '));
            const notes = [`it has ended with ${code} and said no more`];
            resolve(
                line
                    ? { title, ...JSON.parse(line.slice(4)) }
                    : {
                          title,
                          times: 0,
                          equal: 0,
                          failed: 0,
                          rejected: 0,
                          standstillsMs: [],
                          answersMs: [],
                          notes,
                          isGood: false,
                      },
            );
        });
    });
}

const seconds = ms => (ms === undefined ? '–' : (ms / 1000).toFixed(1));

function cells({ title, times, equal, failed, rejected, standstillsMs, answersMs, isGood }) {
    const sorted = [...standstillsMs].sort((a, b) => a - b);
    const outcome = isGood ? 'as due' : 'FAILED';
    const answer = answersMs.length > 0 ? Math.max(...answersMs) : undefined;
    const figures = [times, equal, failed, rejected].map(String);
    return [title, ...figures, seconds(sorted.at(-1)), seconds(sorted[sorted.length >> 1]), seconds(answer), outcome];
}

const suite = SUITES[positionals[0]];
if (!suite) refuse(`There is no suite "${positionals[0]}". Known: ${Object.keys(SUITES).join(', ')}.`);
const orders = suite().filter(({ count }) => count > 0);
if (orders.length === 0) refuse('Every fault was left out; nothing would be tried.');
let interrupted = false;
process.on('SIGINT', () => {
    interrupted = true;
});
const rows = [];
for (const order of orders) {
    if (interrupted) break;
    const started = Date.now();
    console.log(`${order.title}: ${order.count} times …`);
    const done = await perform(order);
    rows.push(done);
    console.log(
        `  ${done.isGood ? 'as it should be' : 'FAILED'}, after ${Math.round((Date.now() - started) / 1000)} s`,
    );
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
    'outcome',
];
const table = [head, ...rows.map(cells)];
const widths = head.map((_, i) => Math.max(...table.map(line => line[i].length)));
const line = texts => texts.map((text, i) => (i === 0 ? text.padEnd(widths[i]) : text.padStart(widths[i]))).join('  ');
console.log(`\n${[line(head), line(widths.map(width => '-'.repeat(width))), ...table.slice(1).map(line)].join('\n')}`);
for (const { title, notes } of rows) for (const note of notes) console.log(`\n${title}: ${note}`);
process.exitCode = interrupted ? 130 : rows.every(({ isGood }) => isGood) ? 0 : 1;

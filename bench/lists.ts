import { writeFileSync } from 'node:fs';
import { type INestApplication } from '@nestjs/common';
import { TransactionalConnection } from '@vendure/core';
import { fillHistory } from './history';
import { benchListPages, dashboardToLookAt } from './list-pages';
import { countStatements, measure } from './meter';
import { type BenchDatabase, openShop } from './shop';

const HISTORY = { pipelines: 1_000, runs: 100_000, logs: 1_000_000, errors: 200_000 };
const ROUNDS = 20;
const WARM_UP = 3;
/** The limits for the median of a list, and for that of a query about totals of all runs. */
const BAR_MS = 300;
const ANALYTICS_BAR_MS = 100;

const RUN =
    'id status createdAt pipeline { code } revision { number publishedBy { identifier } } startedBy { identifier } progress { elapsedMs } counters { stepKey in out }';
const LOG = 'id createdAt level message stepKey facts runId';
const run = (args: string): string => `{ flowPipelineRuns(${args}) { totalItems items { ${RUN} } } }`;
const log = (args: string): string => `{ flowLogs(${args}) { totalItems items { ${LOG} } } }`;
const figures = (days: number, more: string): string => {
    const from = new Date(Date.now() - days * 86_400_000).toISOString();
    const of = '{ runs success failed recordsRead recordsLoaded recordsRejected medianMs p95Ms p99Ms }';
    return `{ flowAnalytics(from: "${from}", ${more}) { total ${of} pipelines { pipeline { code } figures ${of} } periods { start figures ${of} } } }`;
};

const SUMMARY = `code openErrors days { start figures { runs failed } } revision { number triggers { text warnings { code } } } lastRun { ${RUN} }`;
const GROUP =
    'id stepKey code path records firstSeenAt lastSeenAt states { state records } pipelines { pipeline { code } records } example { id message payload }';

const QUERIES: Readonly<Record<string, string>> = {
    'runs, first page': run('options: { take: 100 }'),
    'runs, 50 pages deep': run('options: { take: 100, skip: 5000 }'),
    'runs of a pipeline': run('pipelineId: 7, options: { take: 100 }'),
    'runs by status': run('options: { take: 100, filter: { status: { eq: "FAILED" } } }'),
    'pipelines with their last runs': `{ flowPipelines(options: { take: 50 }) { totalItems items { code revision { number } lastRun { ${RUN} } } } }`,
    'logs, first page': log('options: { take: 100 }'),
    'logs, 50 pages deep': log('options: { take: 100, skip: 5000 }'),
    'logs of a run': log('runId: 50000, options: { take: 100 }'),
    'logs by level ERROR': log('options: { take: 100, filter: { level: { eq: "ERROR" } } }'),
    'logs by level INFO': log('options: { take: 100, filter: { level: { eq: "INFO" } } }'),
    'record errors, first page':
        '{ flowRecordErrors(options: { take: 100 }) { totalItems items { id code message payload } } }',
    'record errors of a run':
        '{ flowRecordErrors(runId: 50000, options: { take: 100 }) { totalItems items { id code message payload } } }',
    overview: `{ flowOverview {
        failures { id pipeline { code } error { code remedy } } failuresTotal waitingGates { id } running { id } openRecordErrors causes { ${GROUP} }
        triggerWarnings { code } lastDay { runs failed } hours { start figures { runs recordsLoaded } } } }`,
    'pipelines with all fields of a list': `{ flowPipelines(options: { take: 50 }) { totalItems items { ${SUMMARY} } } }`,
    'pipelines by their last runs': `{ flowPipelines(options: { take: 50 }, selection: { orderBy: LAST_RUN }) { totalItems items { ${SUMMARY} } } }`,
    'pipelines by their open errors': `{ flowPipelines(options: { take: 50 }, selection: { orderBy: OPEN_ERRORS }) { totalItems items { ${SUMMARY} } } }`,
    'pipelines whose last run has failed': `{ flowPipelines(options: { take: 50 }, selection: { lastRunStatus: FAILED, hasOpenErrors: true }) { totalItems items { ${SUMMARY} } } }`,
    'open record errors by cause': `{ flowRecordErrorGroups { totalItems totalRecords items { ${GROUP} } } }`,
    'open record errors of a pipeline by cause': `{ flowRecordErrorGroups(selection: { pipelineId: 7 }) { totalItems totalRecords items { ${GROUP} } } }`,
    'open record errors of a cause':
        '{ flowRecordErrors(selection: { groupIds: "history-7" }, options: { take: 100 }) { totalItems items { id code message payload state } } }',
    'open record errors with a text':
        '{ flowRecordErrors(selection: { text: "number" }, options: { take: 100 }) { totalItems items { id code message payload state } } }',
    'a run step by step':
        '{ flowPipelineRun(id: 50000) { status waitsFor { reason } steps { stepKey counters { in out } recordsPerSecond source { place total } waitsFor { reason } } } }',
    'analytics of all runs by day': figures(80, 'period: DAY'),
    'analytics of 30 days by hour': figures(30, 'period: HOUR'),
    'analytics of a pipeline by day': figures(80, 'pipelineId: 7, period: DAY'),
};

interface ListRow {
    readonly list: string;
    readonly totalItems: number;
    readonly statements: number;
    readonly medianMs: number;
    readonly slowestMs: number;
}

/** What a database does by itself after some time. */
const LOOKED_OVER: Readonly<Record<BenchDatabase, readonly string[]>> = {
    postgres: ['VACUUM ANALYZE'],
    sqlite: ['ANALYZE'],
    mariadb: ['flow_pipeline_run', 'flow_log', 'flow_record_error', 'flow_run_statistics'].map(
        table => `ANALYZE TABLE ${table}`,
    ),
};

/**
 * Measures the admin API's lists with 100,000 runs and a million log lines, requested over HTTP as the dashboard does,
 * and its pages in a browser.
 */
export async function benchLists(database: BenchDatabase, jsonFile: string | undefined): Promise<void> {
    countStatements();
    console.log(database);
    const dashboard = await dashboardToLookAt();
    const shop = await openShop(database, {}, { as: 'server', dashboard });
    try {
        const { rawConnection } = shop.app.get(TransactionalConnection);
        const [[channel], [user]] = [
            await rawConnection.query('SELECT id FROM channel'),
            await rawConnection.query(`SELECT id FROM ${rawConnection.driver.escape('user')}`),
        ];
        await fillHistory(rawConnection, { ...HISTORY, channelId: channel.id, userId: user.id });
        for (const statement of LOOKED_OVER[database]) await rawConnection.query(statement);
        const base = await (shop.app as INestApplication).getUrl();
        const ask = await login(`${base}/admin-api`);
        const rows: ListRow[] = [];
        for (const [list, query] of Object.entries(QUERIES)) rows.push(await rowOf(list, () => ask(query)));
        tell(rows);
        if (dashboard === undefined) console.log('No Chromium, no pages: FLOW_BENCH_CHROMIUM names one.');
        else await benchListPages(base);
        if (jsonFile !== undefined) writeFileSync(jsonFile, `${JSON.stringify(rows, null, 2)}\n`);
    } finally {
        await shop.close();
    }
}

type Answer = Readonly<Record<string, { readonly totalItems?: number; readonly total?: { readonly runs: number } }>>;

async function login(url: string): Promise<(query: string) => Promise<Answer>> {
    let token = '';
    const ask = async (query: string): Promise<Answer> => {
        const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
        const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query }) });
        token = response.headers.get('vendure-auth-token') ?? token;
        const { data, errors } = (await response.json()) as { data: Answer; errors?: unknown };
        if (errors) throw new Error(JSON.stringify(errors));
        return data;
    };
    await ask('mutation { login(username: "superadmin", password: "superadmin") { __typename } }');
    return ask;
}

async function rowOf(list: string, ask: () => Promise<Answer>): Promise<ListRow> {
    for (let i = 0; i < WARM_UP; i++) await ask();
    const times: number[] = [];
    let [statements, totalItems] = [0, 0];
    for (let i = 0; i < ROUNDS; i++) {
        const { value, seconds, statements: sent } = await measure(ask);
        times.push(seconds * 1000);
        statements = sent;
        const [answer] = Object.values(value);
        totalItems = answer?.totalItems ?? answer?.total?.runs ?? 0;
    }
    times.sort((a, b) => a - b);
    return { list, totalItems, statements, medianMs: times[ROUNDS / 2]!, slowestMs: times[ROUNDS - 1]! };
}

function tell(rows: readonly ListRow[]): void {
    const widest = Math.max(...rows.map(({ list }) => list.length));
    console.log(`${'list'.padEnd(widest)}  totalItems  statements  median ms  slowest ms`);
    for (const { list, totalItems, statements, medianMs, slowestMs } of rows) {
        const cells = [
            String(totalItems).padStart(10),
            String(statements).padStart(10),
            medianMs.toFixed(0).padStart(9),
            slowestMs.toFixed(0).padStart(10),
        ];
        const bar = list.startsWith('analytics') ? ANALYTICS_BAR_MS : BAR_MS;
        console.log(`${list.padEnd(widest)}  ${cells.join('  ')}${medianMs > bar ? `  above ${bar} ms` : ''}`);
    }
}

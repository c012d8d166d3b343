import { type ID, User } from '@vendure/core';
import gql from 'graphql-tag';
import { fillHistory } from '../bench/history';
import { countStatements, watchStatements } from '../bench/meter';
import { FlowPlugin } from '../src';
import { FlowFeed } from '../src/plugin/entities/feed';
import { FlowManagedFile } from '../src/plugin/entities/managed-file';
import type { Database } from './config/databases';
import { type FlowServer, flowServer, until } from './config/flow-server';
import { onEachDatabase } from './config/matrix';

countStatements();

const PIPELINES = 120;
const RUNS = 20_000;
const LOGS = 100_000;
const ERRORS = 40_000;
const FEEDS = 100;

const RUN =
    'id status pipeline { code lastRun { id } } revision { number publishedBy { identifier } } startedBy { identifier } counters { stepKey in }';
const runs = (options: string, pipelineId?: string) =>
    `flowPipelineRuns(options: { ${options} }${pipelineId ? `, pipelineId: "${pipelineId}"` : ''}) { totalItems items { ${RUN} } }`;
const logs = (options: string, runId?: string) =>
    `flowLogs(options: { ${options} }${runId ? `, runId: "${runId}"` : ''}) { totalItems items { id level message runId } }`;
const errors = (options: string, runId?: string) =>
    `flowRecordErrors(options: { ${options} }${runId ? `, runId: "${runId}"` : ''}) { totalItems items { id code payload } }`;
const open = (selection: string) =>
    `flowRecordErrors(selection: ${selection}, options: { take: 100 }) { totalItems items { id code payload } }`;
const pipelines = (options: string) => `flowPipelines(options: { ${options} }) { totalItems items { code
    revision { number publishedBy { identifier } } workingCopy { definition updatedBy { identifier } } lastRun { ${RUN} } } }`;

const feeds = (options: string) =>
    `flowFeeds(options: { ${options} }) { totalItems items { exportCode createdBy { identifier } file { filename } } }`;

interface Sent {
    readonly text: string;
    readonly params: readonly unknown[];
}

/** Tables that grow with every run. The others hold what users have written. */
const GROWING = /flow_(pipeline_run|log|record_error)\b/;
/** The same tables in SQLite's plans, which use their aliases. */
const SCANNED = /^SCAN (flow_?(pipeline_?run|log|record_?error)|run|last)\b/i;

function lists(database: Database): void {
    let shop: FlowServer;

    beforeAll(async () => {
        shop = await flowServer(
            database,
            FlowPlugin.init({ retention: { runsDays: 0, recordErrorsDays: 0, logsDays: 0 } }),
            { jobs: 'none' },
        );
        const [channel] = await shop.dataSource.query('SELECT id FROM channel ORDER BY id');
        const user = await shop.dataSource.getRepository(User).findOneByOrFail({ identifier: 'superadmin' });
        await fillHistory(shop.dataSource, {
            channelId: channel.id,
            userId: Number(user.id),
            pipelines: PIPELINES,
            runs: RUNS,
            logs: LOGS,
            errors: ERRORS,
        });
        await fillFeeds(shop, channel.id);
        // PostgreSQL's autovacuum does this after some time.
        if (database === 'postgres') await vacuumed(shop);
        if (database === 'mariadb')
            await shop.dataSource.query('ANALYZE TABLE flow_pipeline_run, flow_log, flow_record_error, flow_pipeline');
        else await shop.dataSource.query('ANALYZE');
        await shop.adminClient.query(gql`{ flowPipelines { totalItems } }`);
    });
    afterAll(() => shop?.destroy());

    /** Waits until the index alone can be used. It cannot while some transaction might see another version of a row. */
    async function vacuumed({ dataSource }: FlowServer): Promise<void> {
        await until(
            async () => {
                await dataSource.query('VACUUM ANALYZE');
                const [{ left }] = await dataSource.query(
                    "SELECT count(*)::int AS left FROM pg_class WHERE relname IN ('flow_log', 'flow_pipeline_run', 'flow_record_error') AND relallvisible < relpages",
                );
                return left as number;
            },
            left => left === 0,
        );
    }

    /** A feed of each of the exports, which have three files each. */
    async function fillFeeds({ dataSource }: FlowServer, channelId: ID): Promise<void> {
        const codes = Array.from({ length: FEEDS }, (_, n) => `export-${n}`);
        await dataSource
            .getRepository(FlowFeed)
            .insert(codes.map(exportCode => ({ channelId, exportCode, name: exportCode, tokenHash: exportCode })));
        const files = [2, 3, 1].flatMap(n =>
            codes.map(exportCode => ({
                channelId,
                exportCode,
                filename: `${exportCode}-${n}.csv`,
                mimeType: 'text/csv',
                format: 'CSV',
                size: 1,
                sha256: exportCode,
                blobKey: `${exportCode}-${n}`,
                createdAt: new Date(Date.UTC(2026, 0, n)),
            })),
        );
        await dataSource.getRepository(FlowManagedFile).insert(files);
    }

    async function ask(field: string): Promise<{
        answer: { totalItems: number; items: ReadonlyArray<Record<string, unknown>> };
        sent: readonly Sent[];
    }> {
        const jobMessage: Sent[] = [];
        const stop = watchStatements((text, params) => {
            if (/flow_|"user" "User"/.test(text)) jobMessage.push({ text, params });
        });
        try {
            const answer = await shop.adminClient.query(gql`{ list: ${field} }`);
            return { answer: answer.list, sent: jobMessage };
        } finally {
            stop();
        }
    }

    describe('need a fixed number of statements', () => {
        it.each([
            ['runs with all that belongs to them', runs, 8],
            ['pipelines with all that belongs to them', pipelines, 14],
            // The lines and their number; whether there are hidden pipelines of others.
            ['log lines', logs, 3],
            // The rows and their number, the users, the newest files.
            ['feeds with their newest files', feeds, 4],
            // The rows and their number; whether there are hidden pipelines of others; the size of the records, and the records.
            ['record errors', errors, 5],
        ] as const)('%s', async (_, list, bar) => {
            const few = await ask(list('take: 10'));
            const many = await ask(list('take: 100'));
            expect(few.answer.items).toHaveLength(10);
            expect(many.answer.items).toHaveLength(100);
            expect(many.sent.map(({ text }) => text.slice(0, 60))).toHaveLength(few.sent.length);
            expect(many.sent.length).toBeLessThanOrEqual(bar);
        });

        it('and return each row with its own values', async () => {
            const { answer } = await ask(runs('take: 100, skip: 30'));
            for (const { id, pipeline, revision, startedBy } of answer.items) {
                const number = Number(String(id).replace('T_', '')) - 1;
                const code = `history-${number % PIPELINES}`;
                expect(pipeline).toEqual({ code, lastRun: { id: `T_${newestRunOf(number % PIPELINES)}` } });
                expect(revision).toMatchObject({ number: 1, publishedBy: { identifier: 'superadmin' } });
                expect(startedBy).toEqual({ identifier: 'superadmin' });
            }
        });

        it('and show the newest file of each feed', async () => {
            const { answer } = await ask(feeds('take: 100'));
            for (const { exportCode, file } of answer.items)
                expect(file).toEqual({ filename: `${exportCode as string}-3.csv` });
        });

        const newestRunOf = (pipeline: number): number => {
            for (let n = RUNS - 1; ; n--) if (n % PIPELINES === pipeline) return n + 1;
        };
    });

    describe('never scan a table that grows', () => {
        it.each([
            ['runs', runs('take: 100'), RUNS],
            ['runs, 50 pages deep', runs('take: 100, skip: 5000'), RUNS],
            ['runs of a pipeline', runs('take: 100', 'T_7'), Math.ceil((RUNS - 6) / PIPELINES)],
            ['runs by status', runs('take: 100, filter: { status: { eq: "FAILED" } }'), RUNS / 10],
            [
                'runs of a pipeline by status',
                runs('take: 100, filter: { status: { eq: "FAILED" } }', 'T_11'),
                Math.ceil((RUNS - 10) / PIPELINES),
            ],
            ['runs, the oldest first', runs('take: 100, sort: { createdAt: ASC }'), RUNS],
            ['pipelines with their last runs', pipelines('take: 100'), PIPELINES],
            ['log lines', logs('take: 100'), LOGS],
            ['log lines of a run', logs('take: 100', 'T_5000'), LOGS / RUNS],
            ['log lines by level', logs('take: 100, filter: { level: { eq: "ERROR" } }'), LOGS / 100],
            [
                'log lines of a run by step',
                logs('take: 100, filter: { stepKey: { eq: "load" } }', 'T_5000'),
                LOGS / RUNS,
            ],
            ['record errors', errors('take: 100'), ERRORS],
            ['record errors that are open, of a cause', open('{ groupIds: "history-7" }'), ERRORS / 160],
            ['record errors that are open, of a pipeline', open('{ pipelineId: "T_7" }'), expect.any(Number)],
            ['record errors of a run', errors('take: 100', 'T_5000'), ERRORS / RUNS],
        ])('%s', async (_, field, totalItems) => {
            const { answer, sent } = await ask(field);
            expect(answer.totalItems).toEqual(totalItems);
            const reads = sent.filter(({ text }) => GROWING.test(text));
            expect(reads.length).toBeGreaterThan(0);
            for (const read of reads) expect(await scansOf(read)).toEqual([]);
        });
    });

    it('would be detected if one did', async () => {
        const text = `SELECT COUNT(1) FROM flow_log WHERE message = ${database === 'postgres' ? '$1' : '?'}`;
        expect(await scansOf({ text, params: ['none'] })).not.toEqual([]);
    });

    it('are in a fixed order: the pages of equal rows contain each row once', async () => {
        const ids: unknown[] = [];
        for (let skip = 0; skip < 200; skip += 50) {
            const { answer } = await ask(runs(`take: 50, skip: ${skip}, sort: { triggerKey: ASC }`));
            ids.push(...answer.items.map(({ id }) => id));
        }
        expect(new Set(ids).size).toBe(200);
    });

    async function scansOf({ text, params }: Sent): Promise<readonly string[]> {
        if (database === 'sqlite') {
            const steps = (await shop.dataSource.query(`EXPLAIN QUERY PLAN ${text}`, [...params])) as ReadonlyArray<{
                detail: string;
            }>;
            const details = steps.map(({ detail }) => detail);
            // A walk in the requested order that LIMIT ends is not a scan.
            const ends = text.includes('LIMIT') && !details.some(detail => detail.includes('TEMP B-TREE'));
            return ends ? [] : details.filter(detail => SCANNED.test(detail));
        }
        if (database === 'mariadb') {
            const rows = (await shop.dataSource.query(`EXPLAIN ${text}`, [...params])) as ReadonlyArray<{
                table: string;
                type: string;
                rows: number | string | null;
            }>;
            return rows
                .filter(({ type, rows: read }) => type === 'ALL' && Number(read) > PIPELINES * 10)
                .map(({ table, rows: read }) => `all ${String(read)} rows of ${table}`);
        }
        const [
            {
                'QUERY PLAN': [{ Plan: plan }],
            },
        ] = await shop.dataSource.query(`EXPLAIN (FORMAT JSON) ${text}`, [...params]);
        return walk(plan as PlanNode);
    }
}

interface PlanNode {
    readonly 'Node Type': string;
    readonly 'Relation Name'?: string;
    readonly Plans?: readonly PlanNode[];
}

function walk(node: PlanNode): string[] {
    const { 'Node Type': type, 'Relation Name': table = '', Plans: below = [] } = node;
    return [
        ...(type.includes('Seq Scan') && GROWING.test(table) ? [`${type} on ${table}`] : []),
        ...below.flatMap(walk),
    ];
}

onEachDatabase('lists', lists);

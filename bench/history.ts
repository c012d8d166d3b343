import type { DataSource } from 'typeorm';

/** The data of a shop that has been in use for some time. */
export interface History {
    readonly channelId: number;
    readonly userId: number;
    readonly pipelines: number;
    readonly runs: number;
    /** Evenly distributed over the runs. */
    readonly logs: number;
    readonly errors: number;
}

const COUNTERS = JSON.stringify(
    Object.fromEntries(
        ['rows', 'shape', 'check', 'load'].map(step => [
            step,
            {
                in: 1_000,
                out: 1_000,
                expanded: 0,
                filtered: 0,
                rejected: 0,
                held: 0,
                created: 0,
                updated: 1_000,
                deleted: 0,
                unchanged: 0,
            },
        ]),
    ),
);
const PAYLOAD = JSON.stringify({
    sku: 'A-12345',
    name: 'Lamp',
    slug: 'lamp',
    description: 'Bright. '.repeat(20),
    price: 'twelve',
    stock: 7,
});

/** The number of different causes of record errors. */
const CAUSES = 40;

const NUMBERS = (count: number): string =>
    `WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count - 1})`;

/**
 * Fills an empty Flow with pipelines `history-0`, `history-1` …, their revisions, runs, log lines and record errors: by SQL, in
 * seconds. A run each minute up to now, every tenth has FAILED; a log line in ten is a warning, one in a hundred an error; a
 * record error in four is open.
 */
export async function fillHistory(
    dataSource: DataSource,
    { channelId, userId, pipelines, runs, logs, errors }: History,
): Promise<void> {
    const { type } = dataSource.options;
    const before = (minutes: string): string => {
        if (type === 'postgres') return `now()::timestamp - (${minutes}) * interval '1 minute'`;
        if (type === 'better-sqlite3') return `datetime('now', '-' || (${minutes}) || ' minutes')`;
        return `now(6) - INTERVAL (${minutes}) MINUTE`;
    };
    const text = (expression: string): string =>
        type === 'mariadb' ? `CONCAT('history-', ${expression})` : `'history-' || ${expression}`;
    const whole = (expression: string): string => (type === 'mariadb' ? `FLOOR(${expression})` : expression);
    const insert = (
        table: string,
        columns: readonly string[],
        {
            count,
            values,
            groupedBy,
        }: { readonly count: number; readonly values: readonly string[]; readonly groupedBy?: string },
    ): Promise<unknown> => {
        const groups = groupedBy === undefined ? '' : ` GROUP BY ${groupedBy}`;
        const selection = `${NUMBERS(count)} SELECT ${values.join(', ')} FROM numbers${groups}`;
        const statement = `INSERT INTO ${table} (${columns.join(', ')}) ${selection}`;
        const limit = type === 'mariadb' ? `SET STATEMENT max_recursive_iterations = ${count} FOR ` : '';
        return dataSource.query(limit + statement);
    };
    await insert('flow_pipeline', ['id', 'code', 'name', 'channel_id', 'selected_revision_id'], {
        count: pipelines,
        values: ['n + 1', text('n'), text('n'), String(channelId), 'n + 1'],
    });
    await insert('flow_working_copy', ['pipeline_id', 'definition', 'updated_by'], {
        count: pipelines,
        values: ['n + 1', `'{"version":1,"steps":[],"edges":[]}'`, String(userId)],
    });
    await insert('flow_pipeline_revision', ['id', 'pipeline_id', 'number', 'definition', 'digest', 'published_by'], {
        count: pipelines,
        values: ['n + 1', 'n + 1', '1', `'{"version":1,"steps":[],"edges":[]}'`, `''`, String(userId)],
    });
    await insert(
        'flow_pipeline_run',
        [
            'id',
            'created_at',
            'pipeline_id',
            'revision_id',
            'channel_id',
            'status',
            'outcome',
            'trigger_key',
            'trigger_type',
            'started_by_user_id',
            'counters',
        ],
        {
            count: runs,
            values: [
                'n + 1',
                before(`${runs} - n`),
                `n % ${pipelines} + 1`,
                `n % ${pipelines} + 1`,
                String(channelId),
                `CASE WHEN n % 10 = 0 THEN 'FAILED' ELSE 'COMPLETED' END`,
                `CASE WHEN n % 10 = 0 THEN NULL ELSE 'SUCCESS' END`,
                `'start'`,
                `'MANUAL'`,
                String(userId),
                `'${COUNTERS}'`,
            ],
        },
    );
    // As if they had been counted when they ended. These are more rows than most shops have for as many runs, since
    // hardly two share a row.
    const hour = `${Math.floor(Date.now() / 3_600_000)} - ${whole(`(${runs} - n) / 60`)}`;
    await insert(
        'flow_run_statistics',
        [
            'pipeline_id',
            'hour',
            'result',
            'duration',
            'channel_id',
            'runs',
            'records_read',
            'records_loaded',
            'records_rejected',
        ],
        {
            count: runs,
            values: [
                `n % ${pipelines} + 1`,
                hour,
                `CASE WHEN n % 10 = 0 THEN 'FAILED' ELSE 'SUCCESS' END`,
                '40 + n % 30',
                String(channelId),
                'COUNT(*)',
                '1000 * COUNT(*)',
                '1000 * COUNT(*)',
                '0',
            ],
            groupedBy: '1, 2, 3, 4, 5',
        },
    );
    await insert('flow_log', ['id', 'created_at', 'run_id', 'channel_id', 'level', 'message', 'step_key', 'facts'], {
        count: logs,
        values: [
            'n + 1',
            before(`${runs} - ${whole(`n / ${logs / runs}`)}`),
            `${whole(`n / ${logs / runs}`)} + 1`,
            String(channelId),
            `CASE WHEN n % 100 = 0 THEN 'ERROR' WHEN n % 10 = 0 THEN 'WARN' ELSE 'INFO' END`,
            `'Record 12345 of in is rejected. Field "price": not a number; allowed: digits with a decimal point.'`,
            `'load'`,
            `'{"code":"RECORD_INVALID","seq":12345}'`,
        ],
    });
    await insert(
        'flow_record_error',
        [
            'id',
            'created_at',
            'run_id',
            'pipeline_id',
            'channel_id',
            'step_key',
            'source_key',
            'seq',
            'ordinal',
            'code',
            'message',
            'payload',
            'cause',
            'state',
        ],
        {
            count: errors,
            values: [
                'n + 1',
                before(`${runs} - ${whole(`n / ${errors / runs}`)}`),
                `${whole(`n / ${errors / runs}`)} + 1`,
                `${whole(`n / ${errors / runs}`)} % ${pipelines} + 1`,
                String(channelId),
                `'load'`,
                `'in'`,
                'n',
                '0',
                `'RECORD_INVALID'`,
                `'Field "price": not a number.'`,
                `'${PAYLOAD}'`,
                text(`(n % ${CAUSES})`),
                // Open record errors with each of the causes.
                `CASE WHEN n % 160 < 40 THEN 'OPEN' ELSE 'LOADED' END`,
            ],
        },
    );
}

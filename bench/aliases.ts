import { TransactionalConnection } from '@vendure/core';
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import { aliased, costOfText, flowFields, flowQueries } from './flow-queries';
import { fillHistory } from './history';
import { shopProcess } from './hooks';
import { operator, pinging } from './pings';
import { openShop } from './shop';

const HISTORY = { pipelines: 1_000, runs: 20_000, logs: 100_000, errors: 20_000 };
const BAR_MS = 300;
const MAX_COST = 10_000;
/** Characters of a text that the API still reads, with room for what a client adds. */
const MAX_CHARS = 102_000;
const REJECTIONS = ['QUERY_TOO_COSTLY', 'BODY_TOO_LARGE'];
/** A field below a query is printed only if it takes at least this long. */
const PRINTED_MS = 100;

const TRIGGER = '{ type: "MANUAL" }';
const VALUES: Readonly<Record<string, string>> = {
    id: '7',
    'flowPipelineRun.id': '5000',
    'flowFile.id': '1',
    'flowEntityHistory.id': '1',
    pipelineId: '7',
    runId: '5000',
    'flowGatePreview.stepKey': '"load"',
    fileId: '1',
    'flowEntityHistory.entity': 'Product',
    from: `"${new Date(Date.now() - 30 * 86_400_000).toISOString()}"`,
    definition: '{ version: 1, steps: [], edges: [] }',
    config: TRIGGER,
    profileId: '"unknown"',
    draftId: '1',
    target: 'PRODUCTS',
    plan: '{}',
    field: '"name"',
    column: '"Name"',
    adapterCode: '"productUpsert"',
};
/** Arguments that are null, so that the lists return all rows. */
const OPTIONAL = [
    'flowPipelineRuns.pipelineId',
    'flowLogs.runId',
    'flowRecordErrors.runId',
    'flowAnalytics.pipelineId',
];

interface AliasRow {
    readonly query: string;
    readonly cost: number;
    readonly aliases: number;
    readonly ms: number;
    readonly chars: number;
    readonly worstPingMs: number;
    readonly refusal: string;
}

/**
 * Sends every query of Flow, and every field below one, under as many names as the budget allows. The server is a
 * separate process; its worst ping meanwhile is measured. Returns whether all pings were below the limit.
 */
export async function benchAliases(only: string | undefined): Promise<boolean> {
    const shop = await openShop('postgres', {});
    const { url } = shop.target as { readonly url: string };
    const { rawConnection } = shop.app.get(TransactionalConnection);
    const [[channel], [user]] = [
        await rawConnection.query('SELECT id FROM channel'),
        await rawConnection.query(`SELECT id FROM "user"`),
    ];
    await fillHistory(rawConnection, { ...HISTORY, channelId: channel.id, userId: user.id });
    await rawConnection.query('VACUUM ANALYZE');
    const server = await shopProcess({ as: 'server', url, queue: 'sql', prefix: '', isBare: true });
    try {
        const address = { port: server.port, pid: server.child.pid! };
        const ask = await operator(server.port);
        const { data } = JSON.parse(await ask(getIntrospectionQuery())) as { data: IntrospectionQuery };
        const schema = buildClientSchema(data);
        const given = Object.fromEntries(OPTIONAL.map(name => [name, 'null']));
        const rows: AliasRow[] = [];
        const idle = await pinging(address, () => new Promise(resolve => setTimeout(resolve, 2_000)));
        console.log(`worst ping of the idle server: ${idle.worst.toFixed(0)} ms`);
        for (const query of flowQueries(schema, { ...VALUES, ...given })) {
            if (only !== undefined && !query.name.includes(only)) continue;
            const one = aliased(query, 1);
            const { cost } = costOfText(schema, one);
            const affordable = Math.floor(MAX_COST / cost);
            const aliases = Math.min(
                affordable,
                longest(count => aliased(query, count)),
            );
            if (aliases === 0) {
                console.log(`${query.name} (${query.form}) costs ${cost}: rejected`);
                continue;
            }
            await ask(one);
            const { value, worst, ms } = await pinging(address, () => ask(aliased(query, aliases)));
            const rejected = await ask(aliased(query, affordable + 1));
            if (!REJECTIONS.some(code => rejected.includes(code)))
                throw new Error(`${query.name}: one alias more is accepted: ${rejected.slice(0, 200)}`);
            const rejection = /"code":"([A-Z_]+)"/.exec(value)?.[1] ?? '';
            const row = {
                query: `${query.name} (${query.form})`,
                cost,
                aliases,
                ms,
                chars: value.length,
                refusal: rejection,
            };
            rows.push({ ...row, worstPingMs: worst });
            print(rows.at(-1)!);
        }
        for (const field of flowFields(schema, { ...VALUES, ...given })) {
            if (only !== undefined && !field.name.includes(only)) continue;
            const [first, second] = [1, 2].map(count => costOfText(schema, field.aliased(count)).cost) as [
                number,
                number,
            ];
            const allowed = 1 + Math.floor((MAX_COST - first) / (second - first));
            const aliases = Math.min(allowed, longest(field.aliased));
            const { value, worst, ms } = await pinging(address, () => ask(field.aliased(aliases)));
            const rejection = /"code":"([A-Z_]+)"/.exec(value)?.[1] ?? '';
            const { cost } = costOfText(schema, field.aliased(aliases));
            const row = {
                query: field.name,
                cost,
                aliases,
                ms,
                chars: value.length,
                refusal: rejection,
                worstPingMs: worst,
            };
            rows.push(row);
            if (worst >= PRINTED_MS) print(row);
        }
        const worst = Math.max(...rows.map(({ worstPingMs }) => worstPingMs));
        console.log(`worst ping of ${rows.length} operations: ${worst.toFixed(0)} ms (limit ${BAR_MS} ms)`);
        return worst < BAR_MS;
    } finally {
        await server.end();
        await shop.close();
    }
}

/** How many aliases a text of the allowed length has at most. */
function longest(text: (aliases: number) => string): number {
    let [fits, tooMany] = [0, MAX_COST];
    while (tooMany - fits > 1) {
        const count = Math.floor((fits + tooMany) / 2);
        if (text(count).length <= MAX_CHARS) fits = count;
        else tooMany = count;
    }
    return fits;
}

function print({ query, cost, aliases, ms, chars, worstPingMs, refusal: rejection }: AliasRow): void {
    const cells = [`cost ${cost}`, `${aliases} names`, `${ms.toFixed(0)} ms`, `${(chars / 1024).toFixed(0)} KiB`];
    const mark = worstPingMs >= BAR_MS ? '  ABOVE THE BAR' : '';
    const ping = `worst ping ${worstPingMs.toFixed(0)} ms`;
    console.log(`${query.padEnd(40)} ${cells.map(cell => cell.padStart(12)).join(' ')}  ${ping}${mark} ${rejection}`);
}

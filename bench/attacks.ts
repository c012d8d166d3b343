import { TransactionalConnection } from '@vendure/core';
import type { JsonObject } from '../src';
import { fillHistory } from './history';
import { shopProcess } from './hooks';
import { operator, pinging } from './pings';
import { openShop } from './shop';

const HISTORY = { pipelines: 1_000, runs: 20_000, logs: 100_000, errors: 20_000 };
const BAR_MS = 300;
/** Slightly less than a definition and a request may have. */
const DEFINITION_CHARS = 1_000_000;
const REQUEST_CHARS = 3_900_000;
const DEPTH = 1_000_000;
/** The default of `definitions.maxPatterns`. */
const PATTERNS = 500;

interface Attack {
    readonly title: string;
    readonly query: string;
    readonly variables?: JsonObject;
    /** The variables as JSON, for values that cannot be serialized. */
    readonly variablesText?: string;
}

type Step = JsonObject & { readonly key: string };

interface Definition {
    readonly version: 1;
    readonly steps: readonly Step[];
    readonly edges: readonly JsonObject[];
}

function definitionOf(steps: readonly Step[], data: readonly JsonObject[] = [{ text: 'a' }]): Definition {
    const all: readonly Step[] = [
        { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
        { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'inMemory', data: [...data] } },
        ...steps,
    ];
    return { version: 1, steps: all, edges: all.slice(1).map(({ key }, i) => ({ from: all[i]!.key, to: key })) };
}

const operators = (count: number): readonly JsonObject[] =>
    Array.from({ length: count }, (_, i) => ({ op: 'set', args: { path: `field${i}`, value: `value ${i}` } }));
const transform = (config: JsonObject): Step => ({ key: 'shape', kind: 'TRANSFORM', config });

/** As many edges as two hundred steps can have between each other. */
function meshed(): Definition {
    const names = Array.from({ length: 198 }, (_, i) => `s${i}`);
    const steps = names.map(key => ({ key, kind: 'TRANSFORM', config: { operators: operators(1) } }));
    const edges = names.flatMap((from, i) => names.slice(i + 1).map(to => ({ from, to })));
    const { steps: all, edges: first } = definitionOf(steps);
    return { version: 1, steps: all, edges: [...first, ...edges] };
}

const values = (count: number): Definition => definitionOf([], [{ list: Array<number>(count).fill(1) }]);
const keysOf = (count: number): JsonObject =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, i])) as JsonObject;
const patterns = (count: number): Definition =>
    definitionOf([
        transform({
            operators: Array.from({ length: count }, (_, i) => ({
                op: 'replaceRegex',
                args: { path: 'text', pattern: `(.*a){20}${i}(?:b|c)*$`, replacement: '' },
            })),
        }),
    ]);

/** Definitions that can be saved: as large as the limits allow. */
const DEFINITIONS: Readonly<Record<string, Definition>> = {
    'many operators': definitionOf([transform({ operators: operators(12_000) })]),
    'many edges': meshed(),
    'a long text': definitionOf([], [{ text: 'a'.repeat(DEFINITION_CHARS) }]),
    'many small values': values(19_900),
    'many keys': definitionOf([], [keysOf(19_900)]),
    'many unknown fields': definitionOf([transform(keysOf(19_900))]),
    'many patterns': patterns(PATTERNS),
};

/** Definitions of a megabyte that exceed another limit. */
const TOO_LARGE: Readonly<Record<string, Definition>> = {
    'too many small values': values(450_000),
    'too many keys': definitionOf([], [keysOf(60_000)]),
    'too many unknown fields': definitionOf([transform(keysOf(50_000))]),
    'too many patterns': patterns(4_000),
};

const aliases = (count: number, field: string): string =>
    Array.from({ length: count }, (_, i) => `a${i}: ${field}`).join(' ');

const CREATE = 'mutation M($input: CreateFlowPipelineInput!) { createFlowPipeline(input: $input) { id version } }';
const VALIDATE = 'query V($d: FlowJSON!) { validateFlowPipeline(definition: $d) { code } }';
const TEST =
    'mutation T($input: TestFlowStepInput!) { testFlowStep(input: $input) { out log { message } error { code } } }';
const IMPORT =
    'mutation I($document: String!, $format: FlowDocumentFormat!) { importFlowPipeline(document: $document, format: $format) { id } }';

/** Operations of users who only read. */
function reading(): readonly Attack[] {
    const search = 'a'.repeat(REQUEST_CHARS);
    const conditions = Array.from({ length: 20_000 }, (_, i) => ({ code: { contains: `c${i}` } }));
    const listed = (field: string, type: string): string =>
        `query L($o: ${type}) { ${field}(options: $o) { totalItems } }`;
    return [
        {
            title: 'a search text of 3.9 million characters',
            query: 'query S($s: String) { flowPipelines(options: { take: 10 }, selection: { search: $s }) { totalItems } }',
            variables: { s: search },
        },
        {
            title: '20,000 conditions of a list',
            query: listed('flowPipelines', 'FlowPipelineListOptions'),
            variables: { o: { take: 10, filter: { _or: conditions } } },
        },
        {
            title: '500,000 ids of a list',
            query: listed('flowPipelines', 'FlowPipelineListOptions'),
            variables: { o: { take: 10, filter: { id: { in: Array.from({ length: 500_000 }, (_, i) => `${i}`) } } } },
        },
        {
            title: 'a pattern with backtracking over all messages',
            query: listed('flowLogs', 'FlowLogListOptions'),
            variables: { o: { take: 10, filter: { message: { regex: '(.*a){12}(.*b){12}$' } } } },
        },
        {
            title: 'an operation with a text of 3.9 million characters',
            query: `{ ${aliases(200_000, 'flowFile(id: 1)')} }`.slice(0, REQUEST_CHARS),
        },
        {
            title: 'an operation of 100,000 characters',
            query: `{ flowPipelines(options: { take: 10 }) { items { ${aliases(6_500, 'code')} } } }`,
        },
        {
            title: 'the steps of as many runs as the budget allows',
            query: '{ flowPipelineRuns(options: { take: 90 }) { items { steps { stepKey next { stepKey } } } } }',
        },
        {
            title: 'a large trigger under many names',
            query: `query T($c: FlowJSON!) { ${aliases(99, 'flowTriggerPreview(pipelineId: "7", config: $c) { text }')} }`,
            variables: { c: { type: 'SCHEDULE', cron: '* '.repeat(1_900_000) } },
        },
        ...Object.entries({ ...DEFINITIONS, ...TOO_LARGE }).map(([what, d]) => ({
            title: `a check of ${what}`,
            query: VALIDATE,
            variables: { d: d as unknown as JsonObject },
        })),
        {
            title: 'a check of deep lists',
            query: VALIDATE,
            variablesText: `{"d":${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}}`,
        },
        {
            title: 'as many checks of many edges as the budget allows',
            query: `query V($d: FlowJSON!) { ${aliases(12, 'validateFlowPipeline(definition: $d) { code }')} }`,
            variables: { d: DEFINITIONS['many edges'] as unknown as JsonObject },
        },
    ];
}

/** Operations of users who also edit. */
function editing(): readonly Attack[] {
    const step = (operator: JsonObject, text: string): JsonObject => ({
        input: {
            definition: definitionOf([transform({ operators: [operator] })]) as unknown as JsonObject,
            stepKey: 'shape',
            records: [{ text }],
        },
    });
    const yaml = (lines: readonly string[]): JsonObject => ({ document: lines.join('\n'), format: 'YAML' });
    return [
        ...Object.entries(DEFINITIONS).map(([what, definition], i) => ({
            title: `a new pipeline of ${what}`,
            query: CREATE,
            variables: { input: { code: `attack-${i}`, definition: definition as unknown as JsonObject } },
        })),
        {
            title: 'an import of 3.9 million characters of JSON',
            query: IMPORT,
            variables: { document: `[${'[],'.repeat(REQUEST_CHARS / 3 - 100)}1]`, format: 'JSON' },
        },
        {
            title: 'an import of 60,000 parts of YAML',
            query: IMPORT,
            variables: yaml(['code: attack', 'a:', ...Array.from({ length: 19_000 }, (_, i) => `  - k${i}`)]),
        },
        {
            title: 'an import of YAML that multiplies itself',
            query: IMPORT,
            variables: yaml([
                'a0: &a0 [x, x, x, x, x, x, x, x, x]',
                ...Array.from(
                    { length: 30 },
                    (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`).join(', ')}]`,
                ),
            ]),
        },
        {
            title: 'a test of a pattern with backtracking',
            query: TEST,
            variables: step(
                { op: 'replaceRegex', args: { path: 'text', pattern: '(.*a){20}$', replacement: '' } },
                'a'.repeat(500_000),
            ),
        },
        {
            title: 'a test of a script that never ends',
            query: TEST,
            variables: step({ op: 'script', args: { code: 'while (true);' } }, 'a'),
        },
        {
            title: 'a test of a script with a large result',
            query: TEST,
            variables: step({ op: 'script', args: { code: 'return { list: Array(4e5).fill({ a: [1] }) }' } }, 'a'),
        },
        {
            title: 'a test of a record of 3.9 million characters',
            query: TEST,
            variables: step(
                { op: 'split', args: { source: 'text', target: 'list', delimiter: ',' } },
                ','.repeat(3.8e6),
            ),
        },
        ...['JSON', 'YAML'].flatMap(format =>
            Object.keys(DEFINITIONS).map((what, i) => ({
                title: `an export of ${what} as ${format}`,
                query: `query E($id: ID!) { exportFlowPipeline(id: $id, format: ${format}) { content } }`,
                variables: { id: `attack-${i}` },
            })),
        ),
        ...Object.keys(DEFINITIONS).map((what, i) => ({
            title: `the differences of ${what}`,
            query: 'query D($id: ID!) { flowPipelineDifferences(pipelineId: $id) { path before after } }',
            variables: { id: `attack-${i}` },
        })),
    ];
}

/**
 * Sends the most expensive operations of users with few permissions, one by one, and measures the worst ping of the
 * server meanwhile. Returns whether all pings were below the limit.
 */
export async function benchAttacks(only: string | undefined): Promise<boolean> {
    const shop = await openShop('postgres', {});
    const { url } = shop.target as { readonly url: string };
    const { rawConnection } = shop.app.get(TransactionalConnection);
    const [[channel], [user]] = [
        await rawConnection.query('SELECT id FROM channel'),
        await rawConnection.query(`SELECT id FROM "user"`),
    ];
    await fillHistory(rawConnection, { ...HISTORY, channelId: channel.id, userId: user.id });
    await rawConnection.query('VACUUM ANALYZE');
    // Pipelines that are created here get higher ids than the existing ones.
    await rawConnection.query(`SELECT setval(pg_get_serial_sequence('flow_pipeline', 'id'), 100000)`);
    const server = await shopProcess({ as: 'server', url, queue: 'sql', prefix: '', isBare: true });
    try {
        const address = { port: server.port, pid: server.child.pid! };
        const ask = await operator(server.port);
        const idle = await pinging(address, () => new Promise(resolve => setTimeout(resolve, 2_000)));
        console.log(`worst ping of the idle server: ${idle.worst.toFixed(0)} ms`);
        let worstOfAll = 0;
        const made = new Map<unknown, string>();
        for (const { title, query, variables = {}, variablesText } of [...reading(), ...editing()]) {
            if (only !== undefined && !title.includes(only) && query !== CREATE) continue;
            const given = 'id' in variables ? { id: made.get(variables['id']) } : variables;
            const { value, worst, ms } = await pinging(address, () => ask(query, variablesText ?? given));
            const [, id] = /"createFlowPipeline":\{"id":"(\d+)"/.exec(value) ?? [];
            if (query === CREATE && id === undefined) throw new Error(`${title} was rejected: ${value.slice(0, 300)}`);
            if (id !== undefined) made.set((variables['input'] as JsonObject)['code'], id);
            worstOfAll = Math.max(worstOfAll, worst);
            const rejection = /"code":"([A-Z_]+)"/.exec(value)?.[1] ?? '';
            const mark = worst >= BAR_MS ? '  ABOVE THE BAR' : '';
            console.log(
                `${title.padEnd(60)} ${ms.toFixed(0).padStart(7)} ms  worst ping ${worst.toFixed(0)} ms${mark} ${rejection || value.slice(0, 60)}`,
            );
        }
        console.log(`worst ping: ${worstOfAll.toFixed(0)} ms (limit ${BAR_MS} ms)`);
        return worstOfAll < BAR_MS;
    } finally {
        await server.end();
        await shop.close();
    }
}

import gql from 'graphql-tag';
import { FlowPlugin } from '../src';
import type { JsonObject, PipelineSource } from '../src';
import { CodeFirstStart } from '../src/plugin/code-first/start';
import type { Database } from './config/databases';
import { type FlowServer, flowServer } from './config/flow-server';
import { leakyConnection, leakyExtractor, leakyLoader, leakyOperator, received } from './fixtures/leaky-adapters';
import { answersOf, CollectingLogger, filesOf, placesOf, rowsOf } from './fixtures/witness';
import { onOneDatabase } from './config/matrix';

/** Short enough for PostgreSQL to name a table with it, and different in each of the ways in which it could be written. */
const CANARIES = {
    variable: 'c4nary/env+"k3y" & ü-1',
    stored: 'c4nary/row+"k3y" & ü-2',
    declared: 'c4nary/opt+"k3y" & ü-3',
    connected: 'c4nary/con+"k3y" & ü-4',
};
const CODES = ['variable', 'stored', 'declared'];
const KEY = '5e'.repeat(32);

type Step = readonly [kind: 'EXTRACT' | 'TRANSFORM' | 'LOAD', config: JsonObject];

function leaky(code: string, ...steps: readonly Step[]): PipelineSource {
    const all = [
        { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
        ...steps.map(([kind, config], i) => ({ key: `${kind.toLowerCase()}-${i}`, kind, config })),
    ];
    const edges = all.slice(1).map(({ key }, i) => ({ from: all[i]!.key, to: key }));
    const errorHandling = { maxRetries: 1, retryDelayMs: 0 };
    return {
        code,
        name: code,
        description: '',
        enabled: true,
        definition: { version: 1, steps: all, edges, errorHandling } as never,
    };
}

const reads = (at: string): Step => [
    'EXTRACT',
    { adapterCode: 'leakyExtractor', at, secrets: CODES, connection: 'leaky' },
];
const loads = (at: string): Step => ['LOAD', { adapterCode: 'leakyLoader', at, secrets: CODES }];
const operates = (at: string): Step => ['TRANSFORM', { operators: [{ op: 'leakyOperator', args: { at } }] }];

const EXTRACTS = ['log', 'error', 'flowError', 'text', 'object', 'transient', 'page', 'secondPage', 'checkpoint'];
const LOADS = ['open', 'locks', 'plan', 'reject', 'apply', 'sql'];
const OPERATORS = ['error', 'flowError', 'bug'];

const plugin = FlowPlugin.init({
    adapters: [leakyConnection, leakyExtractor, leakyOperator, leakyLoader],
    secrets: [
        { code: 'variable', provider: 'ENV', value: 'FLOW_TEST_CANARY' },
        { code: 'declared', provider: 'INLINE', value: CANARIES.declared },
        { code: 'connected', provider: 'INLINE', value: CANARIES.connected },
    ],
    connections: [{ code: 'leaky', type: 'LEAKY', settings: { passwordSecretCode: 'connected' } }],
    pipelines: [
        ...EXTRACTS.map(at => leaky(`extract-${at.toLowerCase()}`, reads(at))),
        ...LOADS.map(at => leaky(`load-${at}`, reads('records'), loads(at))),
        ...OPERATORS.map(at => leaky(`operate-${at.toLowerCase()}`, reads('records'), operates(at))),
        leaky('differences', reads('records'), loads('differences')),
    ],
    debug: true,
    runtime: { sweepMs: 600_000 },
});

const CREATE =
    'mutation Create($input: CreateFlowSecretInput!) { createFlowSecret(input: $input) { id version isReadable problem environmentVariable } }';
const UPDATE =
    'mutation Update($input: UpdateFlowSecretInput!) { updateFlowSecret(input: $input) { id version isReadable problem environmentVariable } }';

function canaries(database: Database): void {
    const logger = new CollectingLogger();
    const startedAt = Date.now();
    const before = { FLOW_MASTER_KEY: process.env.FLOW_MASTER_KEY, FLOW_TEST_CANARY: process.env.FLOW_TEST_CANARY };
    let shop: FlowServer;
    let answers: ReturnType<typeof answersOf>;
    let storedId: string;

    beforeAll(async () => {
        process.env.FLOW_MASTER_KEY = KEY;
        process.env.FLOW_TEST_CANARY = CANARIES.variable;
        received.clear();
        shop = await flowServer(database, plugin, { config: { logger } });
        answers = answersOf(shop);
        const created = await shop.adminClient.query(gql(CREATE), {
            input: { code: 'stored', provider: 'INLINE', value: CANARIES.stored },
        });
        storedId = created.createFlowSecret.id as string;
        // The next start publishes the pipelines that name it.
        await shop.app.get(CodeFirstStart).sync();
    });
    afterAll(async () => {
        for (const [name, value] of Object.entries(before)) {
            if (value === undefined) delete process.env[name];
            else process.env[name] = value;
        }
        await shop?.destroy();
    });
    // Whatever the test before it did.
    afterEach(async () => {
        const values = Object.values(CANARIES);
        for await (const row of rowsOf(shop.dataSource)) expect(placesOf(values, [row])).toEqual([]);
        expect(
            placesOf(
                values,
                answers.texts.map(text => ['an answer of the API', text] as const),
            ),
        ).toEqual([]);
        expect(
            placesOf(
                values,
                logger.lines.map(line => ['the log', line] as const),
            ),
        ).toEqual([]);
        expect(placesOf(values, filesOf(shop, startedAt))).toEqual([]);
    });

    const runsAre = async (codes: readonly string[], how?: 'dryRunFlowPipeline'): Promise<Record<string, string>> => {
        const ends: Record<string, string> = {};
        for (const code of codes) {
            const { status, outcome, error } = await shop.perform(code, how);
            ends[code] = [
                status,
                outcome,
                error?.code,
                error && (error.message.includes('[secret]') ? 'masked' : 'plain'),
            ]
                .filter(Boolean)
                .join(' ');
        }
        return ends;
    };
    const readAll = (): Promise<unknown> =>
        shop.adminClient.query(gql`query All {
        flowPipelineRuns { items { error { code message } report { differences { key before after } } } }
        flowLogs(options: { take: 100 }) { items { message } } flowRecordErrors { items { message path payload } }
        flowSecrets { items { code provider environmentVariable isReadable problem usedBy } } flowConnections { items { code settings } }
    }`);

    it('that an extractor spills get nowhere', async () => {
        expect(await runsAre(EXTRACTS.map(at => `extract-${at.toLowerCase()}`))).toEqual({
            'extract-log': 'COMPLETED SUCCESS',
            'extract-error': 'FAILED BUG masked',
            'extract-flowerror': 'FAILED SOURCE_MALFORMED masked',
            'extract-text': 'FAILED BUG masked',
            'extract-object': 'FAILED BUG masked',
            'extract-transient': 'FAILED DATABASE_BUSY masked',
            'extract-page': 'COMPLETED PARTIAL',
            'extract-secondpage': 'FAILED BUG masked',
            'extract-checkpoint': 'FAILED BUG plain',
        });
        await readAll();
        // It was there, so it could have been found.
        expect(Object.fromEntries(received)).toEqual(CANARIES);
        expect(await masked('flow_log', 'message')).toBeGreaterThan(EXTRACTS.length);
        expect(await masked('flow_log', 'facts')).toBeGreaterThan(3);
        expect(await masked('flow_record_error', 'payload')).toBe(1);
        expect(
            logger.lines.filter(line => line.includes('[secret]') && line.includes('leaky-adapters')).length,
        ).toBeGreaterThan(1);
    });

    it('that an operator spills get nowhere', async () => {
        expect(await runsAre(OPERATORS.map(at => `operate-${at.toLowerCase()}`))).toEqual({
            'operate-error': 'COMPLETED PARTIAL',
            'operate-flowerror': 'COMPLETED PARTIAL',
            'operate-bug': 'COMPLETED PARTIAL',
        });
        await readAll();
    });

    it('that a loader spills get nowhere', async () => {
        expect(await runsAre(LOADS.map(at => `load-${at}`))).toEqual({
            'load-open': 'FAILED BUG masked',
            'load-locks': 'FAILED BUG masked',
            'load-plan': 'FAILED DATABASE_REFUSED masked',
            'load-reject': 'COMPLETED PARTIAL',
            'load-apply': 'FAILED DATABASE_REFUSED masked',
            'load-sql': 'FAILED DATABASE_REFUSED masked',
        });
        await readAll();
    });

    it('that a dry run plans to write get nowhere', async () => {
        expect(await runsAre(['differences', 'load-reject', 'load-plan'], 'dryRunFlowPipeline')).toEqual({
            differences: 'COMPLETED SUCCESS',
            'load-reject': 'COMPLETED PARTIAL',
            'load-plan': 'FAILED DATABASE_REFUSED masked',
        });
        await readAll();
        expect(await masked('flow_pipeline_run', 'report')).toBe(1);
    });

    it.each(Object.entries({ INLINE: CANARIES.stored, ENV: CANARIES.variable }))(
        'that a refused change of a secret brings get nowhere (%s)',
        async (provider, value) => {
            const unquoted = JSON.stringify(value);
            const create = (input: object): Promise<string> => answers.send(CREATE, { input });
            const update = (input: object): Promise<string> => answers.send(UPDATE, { input });
            const declaredId = await idOf('declared');
            const refused: Record<string, () => Promise<string>> = {
                'code is': () => create({ code: 'not a code', provider, value }),
                'is taken by another secret': () => create({ code: 'stored', provider: 'INLINE', value }),
                'allowed with provider ENV': () => create({ code: 'another', provider: 'ENV', value }),
                'allowed with provider INLINE': () =>
                    create({ code: 'another', provider: 'INLINE', value: value.repeat(4_000) }),
                'has been changed since': () => update({ id: storedId, version: 99, provider, value }),
                'has no secret': () => update({ id: 'T_987654', version: 1, provider, value }),
                'read-only here': () => update({ id: declaredId, version: 1, provider, value }),
                'was not provided': () => create({ code: 'another', value }),
                'is not defined by type': () => create({ code: 'another', provider, value, valeu: value }),
                'does not exist in \\"FlowSecretProvider\\"': () => create({ code: 'another', provider: value, value }),
                'cannot represent a non string': () => create({ code: 'another', provider, value: [value] }),
                'at \\"input.version\\"': () => update({ id: storedId, version: value, value }),
                'Syntax Error': () =>
                    answers.send(
                        `mutation { createFlowSecret(input: { code: "a", provider: ${provider}, value ${unquoted} }) { id } }`,
                    ),
                'cannot represent non-integer': () =>
                    answers.send(
                        `mutation { updateFlowSecret(input: { id: "1", version: ${unquoted}, value: ${unquoted} }) { id } }`,
                    ),
                'Cannot query field': () =>
                    answers.send(
                        `mutation { createFlowSecret(input: { code: "a", provider: ${provider}, value: ${unquoted} }) { value } }`,
                    ),
                'not currently authorized': () =>
                    answers.send(CREATE, { input: { code: 'another', provider, value } }, 'nobody'),
            };
            for (const [reason, answer] of Object.entries(refused)) expect(await answer()).toContain(reason);
            const { flowSecrets } = await shop.adminClient.query(gql`query { flowSecrets { items { code } } }`);
            expect(flowSecrets.items.map(({ code }: { code: string }) => code)).toEqual([
                'connected',
                'declared',
                'stored',
                'variable',
            ]);
        },
    );

    it.each([
        ['no', undefined],
        ['a malformed', `not a key, but ${CANARIES.stored}`],
        ['another', '77'.repeat(32)],
    ])('that need a master key get nowhere when there is %s key', async (_, key) => {
        if (key === undefined) delete process.env.FLOW_MASTER_KEY;
        else process.env.FLOW_MASTER_KEY = key;
        try {
            const code = key?.startsWith('77') ? 'SECRET_UNREADABLE' : 'MASTER_KEY_INVALID';
            expect(await shop.perform('extract-error')).toMatchObject({ status: 'FAILED', error: { code } });
            const answer = await answers.send(CREATE, {
                input: { code: 'late', provider: 'INLINE', value: CANARIES.stored },
            });
            expect(answer).toContain(code === 'MASTER_KEY_INVALID' ? 'MASTER_KEY_INVALID' : '"isReadable":true');
            await answers.send('mutation { rotateFlowSecrets { rotated current unreadable } }');
            await readAll();
        } finally {
            process.env.FLOW_MASTER_KEY = KEY;
        }
    });

    it('are still what they were', async () => {
        received.clear();
        await shop.perform('extract-log');
        expect(Object.fromEntries(received)).toEqual(CANARIES);
    });

    async function idOf(code: string): Promise<string> {
        const { flowSecret } = await shop.adminClient.query(
            gql`query Id($code: String!) { flowSecret(code: $code) { id } }`,
            { code },
        );
        return flowSecret.id as string;
    }

    async function masked(table: string, column: string): Promise<number> {
        const [{ found }] = (await shop.dataSource.query(
            `SELECT COUNT(*) AS found FROM ${table} WHERE ${column} LIKE '%[secret]%'`,
        )) as [{ found: number | string }];
        return Number(found);
    }
}

onOneDatabase('canary secrets', canaries);

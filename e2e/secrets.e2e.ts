import type { SimpleGraphQLClient } from '@vendure/testing';
import gql from 'graphql-tag';
import { z } from 'zod';
import { naming } from '../test/kit/naming';
import { defineExtractor, FlowPlugin, noSecretIsSent, pipeline, type PipelineSource, secretCode } from '../src';
import { SecretRows } from '../src/plugin/secrets/secret-rows';
import { CodeFirstStart } from '../src/plugin/code-first/start';
import { inChannel, makeAdministrator, makeChannel, refusal } from './config/administrators';
import type { Database } from './config/databases';
import { type FlowServer, flowServer } from './config/flow-server';
import { onOneDatabase } from './config/matrix';
import { errorOf } from './fixtures/authoring-api';
import { revealInProcess } from '../src/core/adapter/secret';

const CHANNEL_B = 'channel-b';
const KEYS = {
    first: 'a1'.repeat(32),
    second: Buffer.alloc(32, 7).toString('base64'),
    third: Buffer.alloc(32, 9).toString('base64url'),
};

/** The secret that a run received, by its code. */
const opened = new Map<string, string>();

const opener = defineExtractor({
    code: 'opener',
    title: 'Opener',
    summary: 'Opens a secret.',
    config: z.strictObject({ key: secretCode('Key', 'What to open.') }),
    secretUses: noSecretIsSent,
    async *extract({ key }, cx) {
        opened.set(key, revealInProcess(cx.secrets.get(key)));
        yield { records: [] };
    },
});

const opens = (code: string): PipelineSource => ({
    code: `opens-${code}`,
    name: code,
    description: '',
    enabled: true,
    definition: {
        version: 1,
        steps: [
            { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
            { key: 'open', kind: 'EXTRACT', config: { adapterCode: 'opener', key: code } },
        ],
        edges: [{ from: 'start', to: 'open' }],
    } as never,
});

const plugin = FlowPlugin.init({
    adapters: [opener],
    secrets: [
        { code: 'declared', provider: 'INLINE', value: 'from the options' },
        { code: 'declared-env', provider: 'ENV', value: 'FLOW_TEST_DECLARED' },
    ],
    pipelines: [
        ...['declared', 'declared-env', 'stored', 'variable'].map(opens),
        pipeline('without')
            .trigger('start', { type: 'MANUAL' })
            .extract('in', { adapterCode: 'inMemory', data: [{ a: 1 }] })
            .build(),
    ],
    runtime: { sweepMs: 600_000 },
});

const FIELDS = 'id code provider environmentVariable isReadable problem allowedHosts enabled codeFirst version usedBy';
const CREATE = gql`mutation Create($input: CreateFlowSecretInput!) { createFlowSecret(input: $input) { ${FIELDS} } }`;
const UPDATE = gql`mutation Update($input: UpdateFlowSecretInput!) { updateFlowSecret(input: $input) { ${FIELDS} } }`;
const DELETE = gql`mutation Delete($id: ID!) { deleteFlowSecret(id: $id) { result } }`;
const ROTATE = gql`mutation Rotate { rotateFlowSecrets { rotated current unreadable } }`;
const FIND = gql`query Find($code: String!) { flowSecret(code: $code) { ${FIELDS} } }`;

interface SecretAnswer {
    readonly id: string;
    readonly code: string;
    readonly version: number;
    readonly isReadable: boolean;
    readonly problem: string | null;
    readonly [field: string]: unknown;
}

interface SecretRow {
    readonly code: string;
    readonly value: string;
    readonly key_id: string;
}

function secrets(database: Database): void {
    const variables = ['FLOW_MASTER_KEY', 'FLOW_MASTER_KEY_PREVIOUS', 'FLOW_TEST_DECLARED', 'FLOW_TEST_VARIABLE'];
    const before = Object.fromEntries(variables.map(name => [name, process.env[name]]));
    let shop: FlowServer;
    let reader: SimpleGraphQLClient;

    beforeAll(async () => {
        environment({
            FLOW_MASTER_KEY: KEYS.first,
            FLOW_MASTER_KEY_PREVIOUS: undefined,
            FLOW_TEST_DECLARED: 'from the environment',
            FLOW_TEST_VARIABLE: undefined,
        });
        shop = await flowServer(database, plugin);
        await makeChannel(shop, CHANNEL_B);
        reader = await makeAdministrator(shop, { name: 'reader', permissions: ['ReadFlowPipeline'] });
        await create({ code: 'stored', provider: 'INLINE', value: 'first value' });
        await startAgain();
    });
    afterAll(async () => {
        environment(before);
        await shop?.destroy();
    });
    afterEach(() => {
        environment({ FLOW_MASTER_KEY: KEYS.first, FLOW_MASTER_KEY_PREVIOUS: undefined });
        opened.clear();
    });

    function environment(values: Readonly<Record<string, string | undefined>>): void {
        for (const [name, value] of Object.entries(values)) {
            if (value === undefined) delete process.env[name];
            else process.env[name] = value;
        }
    }
    const create = async (input: object): Promise<SecretAnswer> =>
        (await shop.adminClient.query(CREATE, { input })).createFlowSecret;
    const update = async (input: object): Promise<SecretAnswer> =>
        (await shop.adminClient.query(UPDATE, { input })).updateFlowSecret;
    const find = async (code: string): Promise<SecretAnswer> =>
        (await shop.adminClient.query(FIND, { code })).flowSecret;
    const remove = async (code: string): Promise<unknown> =>
        (await shop.adminClient.query(DELETE, { id: (await find(code)).id })).deleteFlowSecret;
    const rotate = async (): Promise<unknown> => (await shop.adminClient.query(ROTATE)).rotateFlowSecrets;
    const rowsLike = (pattern: string): Promise<SecretRow[]> =>
        shop.dataSource.query(
            `SELECT id, code, value, key_id FROM flow_secret WHERE code LIKE '${pattern}' ORDER BY code`,
        ) as Promise<SecretRow[]>;
    const rowOf = async (code: string): Promise<SecretRow> => (await rowsLike(code))[0]!;
    const overwrite = (code: string, value: string): Promise<unknown> =>
        shop.dataSource.query(`UPDATE flow_secret SET value = '${value}' WHERE code = '${code}'`);
    /** Publishes the pipelines that refer to a secret which has been created meanwhile. */
    const startAgain = (): Promise<void> => shop.app.get(CodeFirstStart).sync();
    const openedBy = async (code: string): Promise<string | undefined> => {
        expect(await shop.perform(`opens-${code}`)).toMatchObject({ status: 'COMPLETED' });
        return opened.get(code);
    };

    describe('are kept', () => {
        it('so that a run gets the value and the API never shows it', async () => {
            expect(await find('stored')).toEqual({
                id: expect.any(String),
                code: 'stored',
                provider: 'INLINE',
                environmentVariable: null,
                isReadable: true,
                problem: null,
                allowedHosts: [],
                enabled: true,
                codeFirst: false,
                version: 1,
                usedBy: ['opens-stored'],
            });
            expect(await openedBy('stored')).toBe('first value');
            const [row] = await rowsLike('stored');
            expect(row!.value).toMatch(/^flow1:[0-9a-f]{16}:/);
            expect(row!.value).toContain(row!.key_id);
        });

        it('by the name of a variable, which is read when a run begins', async () => {
            const made = await create({ code: 'variable', provider: 'ENV', value: 'FLOW_TEST_VARIABLE' });
            await startAgain();
            expect(made).toMatchObject({
                provider: 'ENV',
                environmentVariable: 'FLOW_TEST_VARIABLE',
                isReadable: false,
            });
            expect(made.problem).toMatch(naming('"variable"', 'FLOW_TEST_VARIABLE'));
            expect(await shop.perform('opens-variable')).toMatchObject({
                status: 'FAILED',
                error: { code: 'SECRET_UNREADABLE', message: made.problem },
            });
            environment({ FLOW_TEST_VARIABLE: '' });
            expect((await find('variable')).isReadable).toBe(false);
            environment({ FLOW_TEST_VARIABLE: 'now it is there' });
            expect(await find('variable')).toMatchObject({ isReadable: true, problem: null });
            expect(await openedBy('variable')).toBe('now it is there');
        });

        it("in the shop's code, whose values the database does not have", async () => {
            expect(await openedBy('declared')).toBe('from the options');
            expect(await openedBy('declared-env')).toBe('from the environment');
            expect(await rowsLike('declared%')).toMatchObject([
                { code: 'declared', value: null, key_id: null },
                { code: 'declared-env', value: 'FLOW_TEST_DECLARED' },
            ]);
            expect(await find('declared')).toMatchObject({
                codeFirst: true,
                isReadable: true,
                environmentVariable: null,
            });
        });

        it("in lists like all of Vendure's", async () => {
            const { flowSecrets } = await shop.adminClient.query(gql`query List {
                flowSecrets(options: { filter: { provider: { eq: "INLINE" } }, sort: { code: DESC }, take: 1 }) { totalItems items { code usedBy } }
            }`);
            expect(flowSecrets).toEqual({ totalItems: 2, items: [{ code: 'stored', usedBy: ['opens-stored'] }] });
        });

        it('without showing the variable and its errors to users who may only read', async () => {
            const { flowSecret } = await reader.query(FIND, { code: 'declared-env' });
            expect(flowSecret).toMatchObject({
                code: 'declared-env',
                isReadable: true,
                environmentVariable: null,
                problem: null,
            });
            environment({ FLOW_MASTER_KEY: undefined });
            expect((await reader.query(FIND, { code: 'stored' })).flowSecret).toMatchObject({
                isReadable: false,
                problem: null,
            });
            for (const attempt of [
                () => reader.query(CREATE, { input: { code: 'x', provider: 'ENV', value: 'X' } }),
                () => reader.query(ROTATE),
            ]) {
                expect(await refusal(attempt())).toMatchObject({ code: 'FORBIDDEN' });
            }
        });

        it('by channel: those of another one are not visible, and may have the same code', async () => {
            const { id } = await find('stored');
            await inChannel(shop.adminClient, CHANNEL_B, async () => {
                expect(await find('stored')).toBeNull();
                expect(await refusal(update({ id, version: 1, value: 'x' }))).toMatchObject({
                    code: 'SECRET_NOT_FOUND',
                });
                expect(await refusal(shop.adminClient.query(DELETE, { id }))).toMatchObject({
                    code: 'SECRET_NOT_FOUND',
                });
                expect(await create({ code: 'stored', provider: 'INLINE', value: 'of channel b' })).toMatchObject({
                    version: 1,
                    usedBy: [],
                });
                await remove('stored');
            });
            expect(await openedBy('stored')).toBe('first value');
        });
    });

    describe('are changed', () => {
        it('by the user who has seen the newest version', async () => {
            const { id } = await create({ code: 'edited', provider: 'INLINE', value: 'one' });
            expect(await update({ id, version: 1, value: 'two' })).toMatchObject({ version: 2, provider: 'INLINE' });
            expect(await errorOf(update({ id, version: 1, value: 'three' }))).toMatchObject({
                code: 'REVISION_CONFLICT',
                facts: { what: 'Secret', code: 'edited', current: 2, given: 1 },
            });
            expect(await refusal(update({ id, version: 2, provider: 'ENV' }))).toMatchObject({ code: 'INPUT_INVALID' });
            expect(await update({ id, version: 2, provider: 'ENV', value: 'FLOW_TEST_DECLARED' })).toMatchObject({
                version: 3,
                provider: 'ENV',
                isReadable: true,
            });
            expect(await rowsLike('edited')).toMatchObject([{ value: 'FLOW_TEST_DECLARED', key_id: null }]);
        });

        it('once, when several users do it at the same moment', async () => {
            const { id, version } = await find('edited');
            const answers = await Promise.allSettled(['A', 'B', 'C', 'D'].map(value => update({ id, version, value })));
            expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
            for (const answer of answers)
                if (answer.status === 'rejected')
                    expect(await refusal(Promise.reject(answer.reason))).toMatchObject({ code: 'REVISION_CONFLICT' });
            expect((await find('edited')).version).toBe(version + 1);
            expect(await remove('edited')).toEqual({ result: 'DELETED' });
        });

        it('and created under a free code by only one of several users at the same moment', async () => {
            const answers = await Promise.allSettled(
                ['A', 'B', 'C', 'D'].map(value => create({ code: 'raced', provider: 'ENV', value })),
            );
            expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
            for (const answer of answers)
                if (answer.status === 'rejected')
                    expect(await refusal(Promise.reject(answer.reason))).toMatchObject({ code: 'CODE_TAKEN' });
            expect(await refusal(create({ code: 'declared', provider: 'ENV', value: 'A' }))).toMatchObject({
                code: 'CODE_TAKEN',
            });
            // Codes are compared exactly.
            expect(await create({ code: 'Raced', provider: 'ENV', value: 'A' })).toMatchObject({ code: 'Raced' });
        });

        it("only where they are: those of the shop's code in the code", async () => {
            const { id, version } = await find('declared');
            const rejected = { code: 'CODE_FIRST_READ_ONLY', facts: { what: 'Secret', code: 'declared' } };
            expect(await errorOf(update({ id, version, value: 'x' }))).toMatchObject(rejected);
            expect(await errorOf(remove('declared'))).toMatchObject(rejected);
        });

        it('or deleted only while nothing refers to them', async () => {
            expect(await errorOf(remove('stored'))).toMatchObject({
                code: 'IN_USE',
                facts: { what: 'Secret', code: 'stored', users: 'opens-stored' },
            });
            expect(await refusal(shop.adminClient.query(DELETE, { id: 'T_987654' }))).toMatchObject({
                code: 'SECRET_NOT_FOUND',
            });
        });
    });

    describe('are sent', () => {
        it('to the hosts that were given for them, which stay when the value changes', async () => {
            const { id, ...made } = await create({
                code: 'sent',
                provider: 'INLINE',
                value: 'one',
                allowedHosts: [' erp.example.com', '*.example.com:8443', 'erp.example.com'],
            });
            expect(made).toMatchObject({ version: 1, allowedHosts: ['erp.example.com', '*.example.com:8443'] });
            expect(await update({ id, version: 1, value: 'two' })).toMatchObject({
                version: 2,
                allowedHosts: made['allowedHosts'],
            });
            const [row] = await rowsLike('sent');
            expect(await update({ id, version: 2, allowedHosts: ['127.0.0.1'] })).toMatchObject({
                version: 3,
                allowedHosts: ['127.0.0.1'],
            });
            expect(await rowsLike('sent')).toEqual([row]);
            expect(await update({ id, version: 3, allowedHosts: [] })).toMatchObject({ version: 4, allowedHosts: [] });
            expect((await reader.query(FIND, { code: 'sent' })).flowSecret).toMatchObject({ allowedHosts: [] });
            await remove('sent');
        });

        it.each([['*'], ['https://erp.example.com'], ['erp.example.com/api'], ['erp.example.com:99999'], ['']])(
            'to no %j, which is not a host',
            async host => {
                const input = { code: 'unsent', provider: 'INLINE', value: 'x', allowedHosts: [host] };
                expect(await refusal(create(input))).toEqual({
                    code: 'INPUT_INVALID',
                    message: expect.stringMatching(naming('allowedHosts', `"${host}"`)) as string,
                });
                expect(await find('unsent')).toBeNull();
            },
        );

        it('to as many hosts as there may be', async () => {
            const allowedHosts = Array.from({ length: 51 }, (_, i) => `host${i}.example.com`);
            const input = { code: 'unsent', provider: 'INLINE', value: 'x', allowedHosts };
            expect(await refusal(create(input))).toMatchObject({ code: 'INPUT_INVALID' });
        });
    });

    describe('that are not there', () => {
        it('fail the run, which reports what may be meant', async () => {
            await shop.dataSource.query(`UPDATE flow_secret SET code = 'storid' WHERE code = 'stored'`);
            try {
                expect(await shop.perform('opens-stored')).toMatchObject({
                    status: 'FAILED',
                    error: {
                        code: 'SECRET_NOT_FOUND',
                        message: expect.stringMatching(naming('"stored"', '"storid"')),
                    },
                });
            } finally {
                await shop.dataSource.query(`UPDATE flow_secret SET code = 'stored' WHERE code = 'storid'`);
            }
        });

        it("because they are missing from the shop's code say so", async () => {
            await shop.dataSource.query(
                `UPDATE flow_secret SET enabled = ${database === 'postgres' ? 'false' : '0'} WHERE code = 'declared'`,
            );
            expect(await shop.perform('opens-declared')).toMatchObject({
                status: 'FAILED',
                error: { code: 'SECRET_NOT_FOUND', message: expect.stringMatching(naming('"declared"', 'disabled')) },
            });
            expect(await find('declared')).toMatchObject({
                enabled: false,
                isReadable: false,
                problem: expect.stringContaining('disabled'),
            });
        });
    });

    describe('without a master key', () => {
        it.each([
            ['missing', undefined, 'not set'],
            ['too short', 'abcdef', 6],
        ])('that is right (%s) nothing else is changed', async (_, key, problem) => {
            environment({ FLOW_MASTER_KEY: key });
            const message = expect.stringMatching(naming('FLOW_MASTER_KEY', problem, 64)) as string;
            expect(await refusal(create({ code: 'late', provider: 'INLINE', value: 'x' }))).toEqual({
                code: 'MASTER_KEY_INVALID',
                message,
            });
            expect(await refusal(update({ id: (await find('stored')).id, version: 1, value: 'x' }))).toEqual({
                code: 'MASTER_KEY_INVALID',
                message,
            });
            expect(await refusal(rotate())).toEqual({ code: 'MASTER_KEY_INVALID', message });
            expect(await find('stored')).toMatchObject({ isReadable: false, problem: message, version: 1 });
            expect(await shop.perform('opens-stored')).toMatchObject({
                status: 'FAILED',
                error: { code: 'MASTER_KEY_INVALID', message },
            });
            // Operations that need no key.
            expect(await shop.perform('without')).toMatchObject({ status: 'COMPLETED' });
            expect(await openedBy('declared-env')).toBe('from the environment');
            await create({ code: 'keyless', provider: 'ENV', value: 'X' });
            await remove('keyless');
        });

        it('but with another one they report which one they need', async () => {
            const { key_id: needed } = await rowOf('stored');
            environment({ FLOW_MASTER_KEY: KEYS.second });
            const { problem, isReadable } = await find('stored');
            expect(isReadable).toBe(false);
            expect(problem).toMatch(naming('"stored"', needed, 'FLOW_MASTER_KEY'));
            expect(await shop.perform('opens-stored')).toMatchObject({
                status: 'FAILED',
                error: { code: 'SECRET_UNREADABLE', message: problem },
            });
            expect(await shop.perform('without')).toMatchObject({ status: 'COMPLETED' });
        });
    });

    describe('whose row was changed', () => {
        it.each([
            ['to plain text', () => 'plain-text-value', 'not encrypted as Flow does it'],
            ['to nothing', () => '', 'not encrypted as Flow does it'],
            [
                'by a character',
                (value: string) => value.slice(0, -2) + (value.endsWith('AA') ? 'BB' : 'AA'),
                'changed, damaged or moved here',
            ],
        ])('%s are rejected when a run begins', async (_, changed, problem) => {
            const { value } = await rowOf('stored');
            await overwrite('stored', changed(value));
            try {
                const { error } = await shop.perform('opens-stored');
                expect(error).toMatchObject({ code: 'SECRET_UNREADABLE', message: expect.stringContaining(problem) });
                expect(error!.message).not.toContain('plain-text-value');
                expect(await find('stored')).toMatchObject({ isReadable: false });
                expect(await rotate()).toMatchObject({ unreadable: ['stored'] });
                expect(await rowsLike('stored')).toMatchObject([{ value: changed(value) }]);
            } finally {
                await overwrite('stored', value);
            }
            expect(await openedBy('stored')).toBe('first value');
        });

        it('to the value of another one are rejected', async () => {
            await create({ code: 'valuable', provider: 'INLINE', value: 'valuable' });
            const { value } = await rowOf('stored');
            const { value: other } = await rowOf('valuable');
            await overwrite('stored', other);
            expect(await shop.perform('opens-stored')).toMatchObject({
                status: 'FAILED',
                error: { code: 'SECRET_UNREADABLE' },
            });
            await overwrite('stored', value);
            await remove('valuable');
        });
    });

    describe('get another master key', () => {
        const CODES = Array.from({ length: 120 }, (_, i) => `many-${String(i).padStart(3, '0')}`);
        const keyIds = async (): Promise<Set<string>> => new Set((await rowsLike('many-%')).map(row => row.key_id));
        const readable = async (): Promise<number> => {
            const { flowSecrets } = await shop.adminClient.query(
                gql`query Readable { flowSecrets(options: { filter: { code: { contains: "many-" } }, take: 1000 }) { items { isReadable } } }`,
            );
            return flowSecrets.items.filter((secret: SecretAnswer) => secret.isReadable).length;
        };

        beforeAll(async () => {
            const made = CODES.map(
                (code, i) =>
                    `s${i}: createFlowSecret(input: { code: "${code}", provider: INLINE, value: "value of ${code}" }) { id }`,
            );
            for (let from = 0; from < made.length; from += 40)
                await shop.adminClient.query(gql(`mutation Make { ${made.slice(from, from + 40).join(' ')} }`));
        });

        it('step by step, and can be read all the time', async () => {
            const [old] = await keyIds();
            environment({ FLOW_MASTER_KEY: KEYS.second, FLOW_MASTER_KEY_PREVIOUS: KEYS.first });
            expect(await readable()).toBe(CODES.length);
            expect(await openedBy('stored')).toBe('first value');
            expect(await rotate()).toEqual({ rotated: CODES.length + 1, current: 0, unreadable: [] });
            expect(await rotate()).toEqual({ rotated: 0, current: CODES.length + 1, unreadable: [] });
            environment({ FLOW_MASTER_KEY_PREVIOUS: undefined });
            expect(await readable()).toBe(CODES.length);
            expect(await openedBy('stored')).toBe('first value');
            expect((await find('stored')).version).toBe(1);
            expect((await keyIds()).has(old!)).toBe(false);
            // And back, as the other tests use the first key.
            environment({ FLOW_MASTER_KEY: KEYS.first, FLOW_MASTER_KEY_PREVIOUS: KEYS.second });
            expect(await rotate()).toMatchObject({ rotated: CODES.length + 1 });
        });

        it('also when the server dies in the middle: the rest is done the next time', async () => {
            environment({ FLOW_MASTER_KEY: KEYS.third, FLOW_MASTER_KEY_PREVIOUS: KEYS.first });
            const real = Reflect.get(SecretRows.prototype, 'replace') as SecretRows['replace'];
            let done = 0;
            const dying = jest.spyOn(SecretRows.prototype, 'replace').mockImplementation(function (
                this: SecretRows,
                ...args
            ) {
                if (++done > 105) return Promise.reject(new Error('The server dies'));
                return Reflect.apply(real, this, args) as Promise<boolean>;
            });
            await expect(rotate()).rejects.toThrow();
            dying.mockRestore();
            expect((await keyIds()).size).toBe(2);
            expect(await readable()).toBe(CODES.length);
            expect(await rotate()).toEqual({ rotated: CODES.length + 1 - 105, current: 105, unreadable: [] });
            environment({ FLOW_MASTER_KEY_PREVIOUS: undefined });
            expect(await readable()).toBe(CODES.length);
            environment({ FLOW_MASTER_KEY: KEYS.first, FLOW_MASTER_KEY_PREVIOUS: KEYS.third });
            await rotate();
        });

        it('and what a user sets at the same moment stays', async () => {
            environment({ FLOW_MASTER_KEY: KEYS.second, FLOW_MASTER_KEY_PREVIOUS: KEYS.first });
            const real = Reflect.get(SecretRows.prototype, 'replace') as SecretRows['replace'];
            let isFirst = true;
            const { id } = await find('stored');
            const raced = jest.spyOn(SecretRows.prototype, 'replace').mockImplementation(async function (
                this: SecretRows,
                ...args
            ) {
                if (isFirst && String(args[0]) === id.replace('T_', '')) {
                    isFirst = false;
                    await update({ id, version: 1, value: 'set in the meantime' });
                }
                return Reflect.apply(real, this, args) as Promise<boolean>;
            });
            expect(await rotate()).toEqual({ rotated: CODES.length, current: 1, unreadable: [] });
            raced.mockRestore();
            expect(isFirst).toBe(false);
            expect(await openedBy('stored')).toBe('set in the meantime');
            expect(await find('stored')).toMatchObject({ version: 2 });
        });

        it('except those whose key is missing, which are reported and not changed', async () => {
            environment({ FLOW_MASTER_KEY: KEYS.third, FLOW_MASTER_KEY_PREVIOUS: KEYS.first });
            const before = await rowsLike('%');
            expect(await rotate()).toEqual({ rotated: 0, current: 0, unreadable: [...CODES, 'stored'].sort() });
            expect(await rowsLike('%')).toEqual(before);
        });
    });
}

onOneDatabase('secrets', secrets);

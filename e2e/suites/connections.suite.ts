import { Channel, type ID } from '@vendure/core';
import type { SimpleGraphQLClient } from '@vendure/testing';
import gql from 'graphql-tag';
import { z } from 'zod';
import { countStatements, watchStatements } from '../../bench/meter';
import { connectionCode, defineExtractor, noSecretIsSent, secretCode } from '../../src';
import { FlowConnection } from '../../src/plugin/entities/connection';
import { entriesOf, SecretHosts } from '../../src/plugin/secrets/secret-hosts';
import { naming } from '../../test/kit/naming';
import { inChannel, makeAdministrator, type MadeChannel, makeChannel } from '../config/administrators';
import type { SharedSuite } from '../config/shared-shop';
import { type FlowServer, type RunAnswer } from '../config/flow-server';
import { as, errorOf, type PipelineAnswer } from '../fixtures/authoring-api';
import { CONNECTION_FIELDS, type ConnectionAnswer, connectionsOf, makeSecret } from '../fixtures/resource-api';
import { revealInProcess } from '../../src/core/adapter/secret';

countStatements();

const API_TOKEN = 'c4nary-api-token';
const SIGNING_KEY = 'c4nary-signing-key';

/** What the extractor below has received from its context. */
const seen: Array<Record<string, unknown>> = [];

/** Uses a connection and a secret, and yields one record that reveals nothing about the secret. */
const probe = defineExtractor({
    code: 'probe',
    title: 'Probe',
    category: 'Test',
    summary: 'Uses a connection and a secret.',
    config: z.strictObject({
        connectionCode: connectionCode(['HTTP', 'REST'], { title: 'Connection', description: 'Where to.' }),
        signing: z
            .strictObject({ secretCode: secretCode('Signing key', 'What to sign with.') })
            .optional()
            .meta({ title: 'Signing', description: 'How to sign.' }),
    }),
    secretUses: noSecretIsSent,
    async *extract(config, { connections, secrets }) {
        const { type, settings } = connections.get(config.connectionCode);
        const { secretCode: tokenCode } = settings['auth'] as { secretCode?: string };
        seen.push({
            type,
            settings,
            token: tokenCode && revealInProcess(secrets.get(tokenCode)),
            signingKey: config.signing && revealInProcess(secrets.get(config.signing.secretCode)),
            unnamed: attempt(() => secrets.get('shop-only')) ?? attempt(() => connections.get('files')),
        });
        yield { records: [{ baseUrl: settings['baseUrl'] ?? null }] };
    },
});

function attempt(work: () => unknown): unknown {
    try {
        return work();
    } catch {
        // Rejected, as it should be: the step does not name it.
        return undefined;
    }
}

const additions = {
    adapters: [probe],
    connections: [{ code: 'ledger', type: 'DB_KIND_C', settings: { database: ':memory:' } }],
} satisfies Partial<SharedSuite>;

const definition = (config: Record<string, unknown>, step: Record<string, unknown> = {}): Record<string, unknown> => ({
    version: 1,
    steps: [
        { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
        { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'probe', ...config }, ...step },
        { key: 'tidy', kind: 'TRANSFORM', config: { operators: [{ op: 'trim', args: { path: 'baseUrl' } }] } },
    ],
    edges: [
        { from: 'start', to: 'in' },
        { from: 'in', to: 'tidy' },
    ],
});

const FIELDS_OF_HTTP = ['baseUrl', 'auth', 'headers', 'timeoutMs'];
const BEARER = { baseUrl: 'https://erp.example.com/api', auth: { type: 'BEARER', secretCode: 'erp-token' } };

function connections(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    let other: MadeChannel;
    let admin: ReturnType<typeof connectionsOf>;
    let pipelines: ReturnType<typeof as>;
    let manager: SimpleGraphQLClient;
    let reader: SimpleGraphQLClient;
    let made = 0;

    beforeAll(async () => {
        shop = await open();
        admin = connectionsOf(shop.adminClient);
        pipelines = as(shop.adminClient);
        other = await makeChannel(shop, 'connections-b');
        manager = await makeAdministrator(shop, { name: 'manager', permissions: ['ManageFlowConnections'] });
        reader = await makeAdministrator(shop, { name: 'reader', permissions: ['ReadFlowPipeline'] });
        await makeSecret(shop.adminClient, 'erp-token', API_TOKEN);
        await makeSecret(shop.adminClient, 'signing-key', SIGNING_KEY);
        await makeSecret(shop.adminClient, 'shop-only', 'none of your business');
        await admin.create({ code: 'files', type: 'SFTP', settings: { host: 'sftp.example.com' } });
    });

    const newCode = (): string => `connected-${++made}`;
    const newConnection = (settings: Record<string, unknown> = BEARER, type = 'HTTP'): Promise<ConnectionAnswer> =>
        admin.create({ code: newCode(), type, settings });
    const newPipeline = (config: Record<string, unknown>, step?: Record<string, unknown>): Promise<PipelineAnswer> =>
        pipelines.create({ code: newCode(), definition: definition(config, step) });
    const perform = async (pipeline: PipelineAnswer): Promise<RunAnswer> => shop.perform(pipeline.code);
    const issuesOf = async (answer: Promise<unknown>): Promise<readonly unknown[]> =>
        (await errorOf(answer))['issues'] as unknown[];

    describe('are created', () => {
        it('with the settings of their type; an alias is stored as the real type', async () => {
            const connection = await connectionsOf(manager).create({
                code: 'feeds',
                name: ' Supplier feeds ',
                type: 's3',
                settings: { bucket: 'feeds', endpoint: 'https://minio.example.com' },
            });
            expect(connection).toMatchObject({
                code: 'feeds',
                name: 'Supplier feeds',
                type: 'OBJECT_STORAGE',
                enabled: true,
                codeFirst: false,
                version: 1,
                usedBy: [],
                settings: { bucket: 'feeds', endpoint: 'https://minio.example.com' },
            });
            expect(await admin.find({ code: 'feeds' })).toEqual(connection);
            expect(await admin.find({ id: connection.id })).toEqual(connection);
            const types = {
                RABBITMQ: 'BROKER',
                DB_KIND_A: 'POSTGRES',
                DB_KIND_B: 'MYSQL',
                CLOUD_QUEUE: 'SQS',
                STREAMS: 'REDIS',
                BROKER_AMQP: 'BROKER',
            };
            for (const [alias, type] of Object.entries(types)) {
                const settings = type === 'SQS' ? { region: 'eu-central-1' } : { host: 'example.com' };
                expect(await admin.create({ code: newCode(), type: alias, settings })).toMatchObject({ type });
            }
        });

        it.each(['http://169.254.169.254/latest', 'http://localhost:3000', 'http://10.0.0.7/api'])(
            'only if requests to their host are allowed: %s',
            async baseUrl => {
                const input = { code: 'inside', type: 'HTTP', settings: { baseUrl } };
                const rejected = await errorOf(admin.create(input));
                expect(rejected).toMatchObject({
                    code: 'INPUT_INVALID',
                    issues: [{ path: 'settings.baseUrl', message: expect.stringContaining('security.allowed') }],
                });
            },
        );

        it.each(['FTP', 'SFTP', 'POSTGRES', 'MYSQL', 'BROKER', 'REDIS'])(
            'only if the host of a server may be reached: %s',
            async type => {
                for (const host of ['169.254.169.254', 'localhost', '10.0.0.7']) {
                    const settings = { host, ...(/SQL|POSTGRES/.test(type) && { database: 'erp' }) };
                    expect(await errorOf(admin.create({ code: 'inside', type, settings }))).toMatchObject({
                        code: 'INPUT_INVALID',
                        issues: [{ path: 'settings.host', message: expect.stringContaining('security.allowed') }],
                    });
                }
            },
        );

        it('only if they are valid, and all problems are reported at once', async () => {
            const rejected = await errorOf(
                admin.create({
                    code: 'has space',
                    name: '',
                    type: 'HTTP',
                    settings: {
                        baseUrl: 'https://u:p4ss@example.com',
                        auth: { type: 'BEARER' },
                        headers: { Authorization: 'Bearer abc' },
                        timeoutMs: 0,
                        password: 'p4ss',
                    },
                }),
            );
            expect(rejected).toMatchObject({ code: 'INPUT_INVALID' });
            const named: ReadonlyArray<readonly [path: string, ...values: Array<string | number>]> = [
                ['code', '"has space"', 1, 64],
                ['name', '""', 1, 255],
                ['settings.baseUrl', 'password', 'secrets'],
                ['settings.auth.secretCode', 'missing', 'BEARER'],
                ['settings.headers.Authorization', 'secret', 'auth', 'secretCode'],
                ['settings.timeoutMs', 0, 1, 300_000],
                ['settings.password', ...FIELDS_OF_HTTP],
            ];
            expect(rejected['issues']).toEqual(
                named.map(([path, ...values]) => ({ path, message: expect.stringMatching(naming(path, ...values)) })),
            );
            expect(JSON.stringify(rejected)).not.toMatch(/p4ss|Bearer abc/);
            expect((await admin.list({ filter: { code: { eq: 'has space' } } })).totalItems).toBe(0);
        });

        it.each<[string, Record<string, unknown>, string]>([
            [
                'a type that there is not',
                { type: 'HTPP', settings: {} },
                'type is "HTPP", which is not a connection type (Did you mean "HTTP"?).',
            ],
            [
                "a type for the shop's code alone",
                { type: 'SQLITE', settings: { database: '/etc/passwd' } },
                'type is "SQLITE"; connections of type SQLITE can only be defined in the shop\'s code (plugin option connections).',
            ],
            [
                'its alias',
                { type: 'DB_KIND_C', settings: { database: '/etc/passwd' } },
                'type is "DB_KIND_C"; connections of type SQLITE can only be defined in the shop\'s code (plugin option connections).',
            ],
            [
                'settings that are not an object',
                { type: 'HTTP', settings: 'https://example.com' },
                'settings is "https://example.com"; allowed: an object.',
            ],
            [
                'a secret that there is not',
                { type: 'HTTP', settings: { ...BEARER, auth: { type: 'BEARER', secretCode: 'erp-tokne' } } },
                'settings.auth.secretCode is not the code of a secret of this channel (Did you mean "erp-token"?).',
            ],
        ])('not with %s', async (_what, input, message) => {
            expect(await errorOf(admin.create({ code: newCode(), ...input }))).toMatchObject({
                code: 'INPUT_INVALID',
                message,
            });
        });

        it('not with a secret in place of its code, which is neither stored nor repeated', async () => {
            for (const secret of ['c4nary!pa$$word', 'c4naryPassword']) {
                const rejected = await errorOf(
                    admin.create({
                        code: newCode(),
                        type: 'FTP',
                        settings: { host: 'ftp.example.com', username: 'u', passwordSecretCode: secret },
                    }),
                );
                expect(rejected).toMatchObject({
                    code: 'INPUT_INVALID',
                    issues: [{ path: 'settings.passwordSecretCode' }],
                });
                expect(JSON.stringify(rejected)).not.toContain(secret);
                const { rows } = await stored('flow_connection');
                expect(JSON.stringify(rows)).not.toContain(secret);
            }
        });

        it('once under a code, however many requests there are at the same moment', async () => {
            const code = newCode();
            const answers = await Promise.allSettled(
                Array.from({ length: 8 }, () => admin.create({ code, type: 'HTTP', settings: {} })),
            );
            expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
            expect(await errorOf(admin.create({ code, type: 'FTP', settings: { host: 'a' } }))).toMatchObject({
                code: 'CODE_TAKEN',
                facts: { code },
                message: expect.stringContaining('connection'),
            });
            expect((await admin.list({ filter: { code: { eq: code } } })).totalItems).toBe(1);
        });

        it('in a channel, even if another one has the same code', async () => {
            const code = newCode();
            const here = await admin.create({ code, type: 'HTTP', settings: {} });
            await inChannel(shop.adminClient, other.token, async () => {
                expect(await admin.find({ id: here.id })).toBeNull();
                expect(await admin.list()).toEqual({ totalItems: 0, items: [] });
                expect(await errorOf(admin.update(here, { name: 'Mine' }))).toMatchObject({
                    code: 'CONNECTION_NOT_FOUND',
                });
                expect(await errorOf(admin.delete(here))).toMatchObject({ code: 'CONNECTION_NOT_FOUND' });
                const there = await admin.create({ code, type: 'FTP', settings: { host: 'ftp.example.com' } });
                expect(there.id).not.toBe(here.id);
                // The secret belongs to the other channel.
                expect(await errorOf(admin.create({ code: newCode(), type: 'HTTP', settings: BEARER }))).toMatchObject({
                    code: 'INPUT_INVALID',
                });
            });
            expect(await admin.find({ code })).toEqual(here);
        });
    });

    describe('are changed', () => {
        it('by a user who has read the newest version; the second user gets an error', async () => {
            const first = await newConnection();
            const second = await admin.update(first, { name: 'ERP' });
            expect(second).toMatchObject({ name: 'ERP', version: 2, settings: first.settings, type: 'HTTP' });
            expect(await errorOf(admin.update(first, { settings: {} }))).toMatchObject({
                code: 'REVISION_CONFLICT',
                facts: { what: 'Connection', code: first.code, current: 2, given: 1 },
            });
            const third = await admin.update(second, { settings: { timeoutMs: 5000 } });
            expect(third).toMatchObject({ name: 'ERP', version: 3, settings: { timeoutMs: 5000 } });
        });

        it('by one of many requests at the same moment', async () => {
            const connection = await newConnection();
            const answers = await Promise.allSettled(
                Array.from({ length: 8 }, (_, i) => admin.update(connection, { name: `Name ${i}` })),
            );
            expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
            expect(await admin.find(connection)).toMatchObject({ version: 2 });
        });

        it('only to settings of their type', async () => {
            const connection = await newConnection();
            expect(await issuesOf(admin.update(connection, { settings: { host: 'a' } }))).toEqual([
                {
                    path: 'settings.host',
                    message: expect.stringMatching(naming('settings.host', ...FIELDS_OF_HTTP)),
                },
            ]);
            expect(
                await issuesOf(
                    admin.update(connection, {
                        name: ' ',
                        settings: { ...BEARER, auth: { type: 'BEARER', secretCode: 'gone' } },
                    }),
                ),
            ).toMatchObject([{ path: 'name' }, { path: 'settings.auth.secretCode' }]);
            expect(await admin.find(connection)).toEqual(connection);
        });
    });

    describe("from the shop's code", () => {
        it('are visible, and can only be changed there', async () => {
            const ledger = await admin.find({ code: 'ledger' });
            expect(ledger).toMatchObject({
                type: 'SQLITE',
                codeFirst: true,
                enabled: true,
                settings: { database: ':memory:' },
            });
            expect(await errorOf(admin.update(ledger!, { name: 'Mine' }))).toMatchObject({
                code: 'CODE_FIRST_READ_ONLY',
                facts: { what: 'Connection', code: 'ledger' },
            });
            expect(await errorOf(admin.delete(ledger!))).toMatchObject({ code: 'CODE_FIRST_READ_ONLY' });
        });
    });

    describe('are shown', () => {
        it("like Vendure's lists, with the settings only for users who manage them", async () => {
            const connection = await newConnection();
            const options = { filter: { type: { in: ['HTTP', 'SFTP'] } }, sort: { code: 'DESC' }, take: 100 };
            const { items } = await connectionsOf(reader).list(options);
            expect(items.map(({ code }) => code)).toEqual(expect.arrayContaining([connection.code, 'files']));
            expect(items.every(({ settings }) => settings === null)).toBe(true);
            expect((await connectionsOf(manager).find({ code: connection.code }))?.settings).toEqual(BEARER);
            expect((await admin.list()).items.map(({ code }) => code)).toEqual(
                [...(await admin.list()).items.map(({ code }) => code)].sort(),
            );
        });

        it('only to users who may read pipelines or manage connections', async () => {
            const stranger = await makeAdministrator(shop, { name: 'stranger', permissions: ['RunFlowPipeline'] });
            expect(await errorOf(connectionsOf(stranger).list())).toMatchObject({ code: 'FORBIDDEN' });
            expect(
                await errorOf(connectionsOf(reader).create({ code: newCode(), type: 'HTTP', settings: {} })),
            ).toMatchObject({ code: 'FORBIDDEN' });
        });

        it('with the pipelines that name them: working copy or revision, disabled steps too', async () => {
            const [inDraft, published, disabled] = [
                await newConnection(),
                await newConnection(),
                await newConnection(),
            ];
            const first = await newPipeline({ connectionCode: published.code, signing: { secretCode: 'signing-key' } });
            const second = await pipelines.update(await pipelines.publish(first), {
                definition: definition({ connectionCode: inDraft.code }),
            });
            const third = await newPipeline({ connectionCode: disabled.code }, { disabled: true });
            const codes = [inDraft.code, published.code, disabled.code];
            const { items } = await admin.list({ filter: { code: { in: codes } } });
            expect(Object.fromEntries(items.map(({ code, usedBy }) => [code, usedBy]))).toEqual({
                [inDraft.code]: [second.code],
                [published.code]: [second.code],
                [disabled.code]: [third.code],
            });
            for (const connection of [inDraft, published, disabled])
                expect(await errorOf(admin.delete(connection))).toMatchObject({ code: 'IN_USE' });
            const { flowSecret } = await shop.adminClient
                .query(
                    gql`query { flowSecret(code: "erp-token") { usedBy } signing: flowSecret(code: "signing-key") { usedBy } }`,
                )
                .then(answer => ({ flowSecret: [answer.flowSecret.usedBy, answer.signing.usedBy] }));
            expect(flowSecret[0]).toEqual(expect.arrayContaining([inDraft.code, published.code]));
            expect(flowSecret[1]).toEqual([first.code]);
        });

        it('with as few statements when there are many as when there are few', async () => {
            const statements = async (take: number): Promise<number> => {
                let sent = 0;
                const stop = watchStatements(text => {
                    if (/flow_(connection|working_copy)\b/.test(text)) sent++;
                });
                try {
                    await shop.adminClient.query(
                        gql(
                            `query { flowConnections(options: { take: ${take} }) { totalItems items { ${CONNECTION_FIELDS} } } }`,
                        ),
                    );
                } finally {
                    stop();
                }
                return sent;
            };
            // Both pages are incomplete, since a complete list needs no count.
            for (let i = 0; i < 11; i++) await newConnection();
            const few = await statements(1);
            expect(few).toBeGreaterThan(0);
            expect(await statements(10)).toBe(few);
        });
    });

    describe('the secrets that they name', () => {
        const hostsOf = async (code: string): Promise<readonly string[]> =>
            entriesOf((await shop.app.get(SecretHosts).reachOf(await channelId(), [code])).get(code)?.hosts ?? []);
        const channelId = async (): Promise<ID> =>
            (await shop.dataSource.getRepository(Channel).findOneByOrFail({ token: shop.channelToken })).id;
        const at = (host: string): Record<string, unknown> => ({ ...BEARER, baseUrl: `https://${host}/api` });

        it('are sent to another host only if a user who manages secrets allows it', async () => {
            const { id } = await makeSecret(shop.adminClient, 'hosted-token', API_TOKEN);
            const mine = connectionsOf(manager);
            const settings = (host: string): Record<string, unknown> => ({
                baseUrl: `https://${host}/api`,
                auth: { type: 'BEARER', secretCode: 'hosted-token' },
            });
            const rejected = {
                code: 'SECRET_HOST_NOT_ALLOWED',
                facts: { code: 'hosted-token', host: 'my.server' },
            };
            const code = newCode();
            expect(await errorOf(mine.create({ code, type: 'HTTP', settings: settings('my.server') }))).toMatchObject(
                rejected,
            );
            expect(await admin.find({ code })).toBeNull();
            expect(await hostsOf('hosted-token')).toEqual([]);

            // Once a person with both permissions has saved it, its host is allowed: for this connection and for others.
            const saved = await admin.create({ code, type: 'HTTP', settings: settings('erp.example.com') });
            expect(await hostsOf('hosted-token')).toEqual(['erp.example.com:443']);
            const renamed = await mine.update(saved, { name: 'ERP', settings: settings('erp.example.com') });
            await mine.create({ code: newCode(), type: 'REST', settings: settings('erp.example.com') });
            expect(await errorOf(mine.update(renamed, { settings: settings('my.server') }))).toMatchObject(rejected);
            expect(await admin.find({ code })).toMatchObject({ version: 2, settings: settings('erp.example.com') });
            expect(await mine.update(renamed, { name: 'The ERP' })).toMatchObject({ name: 'The ERP' });

            // The same applies to a token of OAuth 2, which comes from another server.
            const oauth = {
                baseUrl: 'https://erp.example.com/api',
                auth: {
                    type: 'OAUTH2',
                    tokenUrl: 'https://my.server/token',
                    clientId: 'shop',
                    clientSecretCode: 'hosted-token',
                },
            };
            expect(await errorOf(mine.create({ code: newCode(), type: 'HTTP', settings: oauth }))).toMatchObject(
                rejected,
            );

            await shop.adminClient.query(
                gql`mutation Allow($input: UpdateFlowSecretInput!) { updateFlowSecret(input: $input) { id } }`,
                { input: { id, version: 1, allowedHosts: ['*.server', 'my.server'] } },
            );
            await mine.create({ code: newCode(), type: 'HTTP', settings: oauth });
        });

        it('are not allowed for hosts of connections that are disabled', async () => {
            await makeSecret(shop.adminClient, 'left-token', API_TOKEN);
            const { code } = await newConnection({
                ...at('left.example.com'),
                auth: { type: 'BEARER', secretCode: 'left-token' },
            });
            expect(await hostsOf('left-token')).toEqual(['left.example.com:443']);
            await shop.dataSource.getRepository(FlowConnection).update({ code }, { enabled: false });
            expect(await hostsOf('left-token')).toEqual([]);
        });

        it('need two statements to get their hosts, however many they are', async () => {
            const codes = Array.from({ length: 12 }, (_, i) => `counted-${i}`);
            for (const code of codes) await makeSecret(shop.adminClient, code, API_TOKEN);
            let sent = 0;
            const id = await channelId();
            await hostsOf('counted-0');
            const stop = watchStatements(text => void (/flow_(secret|connection)\b/.test(text) && sent++));
            try {
                await shop.app.get(SecretHosts).reachOf(id, codes);
            } finally {
                stop();
            }
            expect(sent).toBe(2);
        });

        it('are listed with as few statements when there are many as when there are few', async () => {
            for (let i = 0; i < 11; i++)
                await shop.adminClient.query(
                    gql(
                        `mutation { createFlowSecret(input: { code: "one-of-many-${i}", provider: ENV, value: "X" }) { id } }`,
                    ),
                );
            const statements = async (take: number): Promise<number> => {
                let sent = 0;
                const stop = watchStatements(text => {
                    if (/flow_(secret|connection|working_copy)\b/.test(text)) sent++;
                });
                try {
                    await shop.adminClient.query(
                        gql(`query { flowSecrets(options: { take: ${take} }) { totalItems items { code usedBy } } }`),
                    );
                } finally {
                    stop();
                }
                return sent;
            };
            const few = await statements(1);
            expect(few).toBeGreaterThan(0);
            expect(await statements(10)).toBe(few);
        });
    });

    describe('that are no longer used', () => {
        it('can be deleted', async () => {
            const connection = await newConnection();
            const pipeline = await newPipeline({ connectionCode: connection.code });
            expect(await errorOf(admin.delete(connection))).toMatchObject({
                code: 'IN_USE',
                facts: {
                    what: 'Connection',
                    code: connection.code,
                    users: expect.stringContaining(`"${pipeline.code}"`) as string,
                },
            });
            await pipelines.delete(pipeline);
            expect(await admin.delete(connection)).toBe('DELETED');
            expect(await admin.find(connection)).toBeNull();
            expect(await errorOf(admin.delete(connection))).toMatchObject({ code: 'CONNECTION_NOT_FOUND' });
        });
    });

    describe('in a definition', () => {
        const validate = async (
            config: Record<string, unknown>,
            step?: Record<string, unknown>,
        ): Promise<readonly unknown[]> =>
            (
                await shop.adminClient.query(
                    gql`query Validate($definition: FlowJSON!) { validateFlowPipeline(definition: $definition) { code path stepKey message } }`,
                    { definition: definition(config, step) },
                )
            ).validateFlowPipeline as unknown[];

        it('must exist', async () => {
            const { code } = await newConnection();
            const wrong = `${code}x`;
            expect(await validate({ connectionCode: wrong })).toEqual([
                {
                    code: 'CONNECTION_NOT_FOUND',
                    path: 'steps[1].config.connectionCode',
                    stepKey: 'in',
                    message: expect.stringMatching(naming(`"${wrong}"`, `"${code}"`)),
                },
            ]);
        });

        it('must be of a type that the step takes', async () => {
            expect(await validate({ connectionCode: 'files' })).toEqual([
                {
                    code: 'CONNECTION_TYPE_MISMATCH',
                    path: 'steps[1].config.connectionCode',
                    stepKey: 'in',
                    message: expect.stringMatching(naming('"files"', 'SFTP', 'HTTP', 'REST')),
                },
            ]);
        });

        it('may name secrets, which must exist like those of the step', async () => {
            const secret = await makeSecret(shop.adminClient, newCode(), 'x');
            const secretOf = (code: string): Record<string, unknown> => ({
                ...BEARER,
                auth: { type: 'BEARER', secretCode: code },
            });
            const { code: secretCodeOfIt } = (
                await shop.adminClient.query(gql`query Secret($id: ID!) { flowSecret(id: $id) { code } }`, {
                    id: secret.id,
                })
            ).flowSecret;
            const connection = await newConnection(secretOf(secretCodeOfIt));
            // As if it had been deleted at the moment when the connection was saved.
            await remove('flow_secret', secretCodeOfIt);
            expect(await validate({ connectionCode: connection.code, signing: { secretCode: 'singing-key' } })).toEqual(
                [
                    {
                        code: 'SECRET_NOT_FOUND',
                        path: 'steps[1].config.connectionCode',
                        stepKey: 'in',
                        message: expect.stringMatching(
                            naming(`"${connection.code}"`, 'settings.auth.secretCode', `"${secretCodeOfIt}"`),
                        ),
                    },
                    {
                        code: 'SECRET_NOT_FOUND',
                        path: 'steps[1].config.signing.secretCode',
                        stepKey: 'in',
                        message: expect.stringMatching(naming('"singing-key"', '"signing-key"')),
                    },
                ],
            );
        });

        it('are not needed by a step that is disabled', async () => {
            expect(
                await validate({ connectionCode: 'nowhere', signing: { secretCode: 'nowhere' } }, { disabled: true }),
            ).toEqual([]);
        });

        it('that is published must be valid', async () => {
            const pipeline = await newPipeline({ connectionCode: 'nowhere' });
            expect(pipeline.workingCopy?.issues).toMatchObject([{ code: 'CONNECTION_NOT_FOUND' }]);
            expect(await errorOf(pipelines.publish(pipeline))).toMatchObject({
                code: 'DEFINITION_INVALID',
                issues: [{ code: 'CONNECTION_NOT_FOUND', stepKey: 'in' }],
            });
        });

        it('are looked up with a number of statements that does not grow with them', async () => {
            const names = await Promise.all(Array.from({ length: 6 }, () => newConnection()));
            const large = {
                version: 1,
                steps: [
                    { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
                    ...names.map(({ code }, i) => ({
                        key: `in-${i}`,
                        kind: 'EXTRACT',
                        config: { adapterCode: 'probe', connectionCode: code, signing: { secretCode: `nope-${i}` } },
                    })),
                ],
                edges: names.map((_, i) => ({ from: 'start', to: `in-${i}` })),
            };
            let sent = 0;
            const stop = watchStatements(text => {
                if (/flow_(connection|secret)\b/.test(text)) sent++;
            });
            const { validateFlowPipeline } = await shop.adminClient
                .query(
                    gql`query Validate($definition: FlowJSON!) { validateFlowPipeline(definition: $definition) { code } }`,
                    { definition: large },
                )
                .finally(stop);
            expect(validateFlowPipeline).toHaveLength(6);
            expect(sent).toBeGreaterThan(0);
            expect(sent).toBeLessThanOrEqual(3);
        });
    });

    describe('in a run', () => {
        const published = async (config: Record<string, unknown>): Promise<PipelineAnswer> =>
            pipelines.publish(await newPipeline(config));

        it('are passed with their defaults and secrets, but only those that the step names', async () => {
            const { code } = await newConnection();
            seen.length = 0;
            const run = await perform(
                await published({ connectionCode: code, signing: { secretCode: 'signing-key' } }),
            );
            expect(run).toMatchObject({ status: 'COMPLETED', recordsRead: 1 });
            expect(seen).toEqual([
                {
                    type: 'HTTP',
                    settings: { ...BEARER, headers: {}, timeoutMs: 30_000 },
                    token: API_TOKEN,
                    signingKey: SIGNING_KEY,
                    unnamed: undefined,
                },
            ]);
        });

        it('are opened before any step: a missing one fails the run', async () => {
            const connection = await newConnection();
            const pipeline = await published({ connectionCode: connection.code });
            await remove('flow_connection', connection.code);
            seen.length = 0;
            const run = await perform(pipeline);
            expect(run).toMatchObject({ status: 'FAILED', recordsRead: 0, error: { code: 'CONNECTION_NOT_FOUND' } });
            expect(run.error?.message).toContain(`"${connection.code}"`);
            expect(seen).toEqual([]);
        });

        it('must still be of a type that the step takes', async () => {
            const connection = await newConnection({});
            const pipeline = await published({ connectionCode: connection.code });
            await remove('flow_connection', connection.code);
            await admin.create({ code: connection.code, type: 'SFTP', settings: { host: 'sftp.example.com' } });
            expect((await perform(pipeline)).error).toMatchObject({
                code: 'CONNECTION_INVALID',
                message: expect.stringMatching(naming(`"${connection.code}"`, 'SFTP', 'HTTP', 'REST')),
            });
        });

        it('fail it if a secret is missing, or cannot be read', async () => {
            const code = newCode();
            const { variable } = await makeSecret(shop.adminClient, code, 'x');
            const connection = await newConnection({ ...BEARER, auth: { type: 'BEARER', secretCode: code } });
            const pipeline = await published({ connectionCode: connection.code });
            expect(await perform(pipeline)).toMatchObject({ status: 'COMPLETED' });
            seen.length = 0;
            delete process.env[variable];
            expect((await perform(pipeline)).error).toMatchObject({ code: 'SECRET_UNREADABLE' });
            await remove('flow_secret', code);
            expect((await perform(pipeline)).error).toMatchObject({ code: 'SECRET_NOT_FOUND' });
            expect(seen).toEqual([]);
        });

        it('do not matter to steps that are disabled', async () => {
            const pipeline = await pipelines.publish(
                await newPipeline({ connectionCode: 'nowhere' }, { disabled: true }),
            );
            expect(await perform(pipeline)).toMatchObject({ status: 'COMPLETED', recordsRead: 0 });
        });
    });

    describe('have types', () => {
        it('whose settings are described as JSON Schema, like those of every other adapter', async () => {
            const ask = (args: string) =>
                shop.adminClient.query(
                    gql(
                        `query { flowAdapters${args} { kind code aliases title summary category notes requires schema } }`,
                    ),
                );
            const types = (await ask('(kind: CONNECTION)')).flowAdapters as Array<{
                kind: string;
                code: string;
                aliases: string[];
                schema: { properties: Record<string, object> };
            }>;
            expect(types.map(({ code }) => code)).toEqual([
                'BROKER',
                'FTP',
                'GRAPHQL',
                'HTTP',
                'MYSQL',
                'OBJECT_STORAGE',
                'POSTGRES',
                'REDIS',
                'REST',
                'SFTP',
                'SQLITE',
                'SQS',
            ]);
            expect(types.find(({ code }) => code === 'OBJECT_STORAGE')).toMatchObject({
                kind: 'CONNECTION',
                aliases: ['S3'],
            });
            expect(types.find(({ code }) => code === 'FTP')?.schema.properties).toMatchObject({
                port: { type: 'integer', default: 21, minimum: 1, maximum: 65_535 },
                passwordSecretCode: { widget: 'secret' },
            });
            const all = (await ask('')).flowAdapters as Array<{
                kind: string;
                code: string;
                schema: { properties: Record<string, object> };
            }>;
            expect([...new Set(all.map(({ kind }) => kind))]).toEqual([
                'TRIGGER',
                'EXTRACTOR',
                'OPERATOR',
                'RULE',
                'LOADER',
                'SINK',
                'CONNECTION',
            ]);
            expect(all.find(({ code }) => code === 'probe')?.schema.properties['connectionCode']).toMatchObject({
                widget: 'connection',
                connectionTypes: ['HTTP', 'REST'],
            });
            expect(all.length).toBeGreaterThan(types.length + 20);
        });
    });

    async function stored(table: string): Promise<{ readonly rows: readonly unknown[] }> {
        return { rows: await shop.dataSource.query(`SELECT * FROM ${table}`) };
    }

    async function remove(table: string, code: string): Promise<void> {
        await shop.dataSource.query(`DELETE FROM ${table} WHERE code = '${code}'`);
    }
}

export const connectionsSuite: SharedSuite = { title: 'connections', ...additions, tests: connections };

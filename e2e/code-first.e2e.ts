import { ChannelService, EventBus, Logger } from '@vendure/core';
import gql from 'graphql-tag';
import { z } from 'zod';
import {
    connectionCode,
    type ConnectionSource,
    defineConnection,
    defineConnector,
    defineExtractor,
    FlowPipelinePublished,
    FlowPlugin,
    pipeline,
    type PipelineSource,
    noSecretIsSent,
    secretCode,
    type SecretSource,
} from '../src';
import { databaseOf } from '../src/database/open-database';
import { checkCodeFirst, readCodeFirst } from '../src/plugin/options/written-pipelines';
import { FlowConnection } from '../src/plugin/entities/connection';
import { FlowPipeline } from '../src/plugin/entities/pipeline';
import { FlowPipelineEvent } from '../src/plugin/entities/pipeline-event';
import { FlowPipelineRevision } from '../src/plugin/entities/revision';
import { FlowSecret } from '../src/plugin/entities/secret';
import { FlowWorkingCopy } from '../src/plugin/entities/working-copy';
import { ReferenceIssues } from '../src/plugin/references/reference-issues';
import { CodeFirstStart } from '../src/plugin/code-first/start';
import { type CodeFirst, type CodeFirstReport, CodeFirstSync } from '../src/plugin/code-first/sync';
import { LoggedDatabase } from '../src/plugin/stores/logged-database';
import { type FlowSetup, setUp } from '../src/plugin/setup';
import { FLOW_SETUP } from '../src/plugin/tokens';
import { naming } from '../test/kit/naming';
import type { Database } from './config/databases';
import { type FlowServer, flowServer, until } from './config/flow-server';
import { onOneDatabase } from './config/matrix';
import { SUITE_CHANNELS } from './config/suite-channels';
import { as, errorOf } from './fixtures/authoring-api';
import { connectionsOf } from './fixtures/resource-api';

const CANARY = 'c4nary-of-the-options';
const DEFAULT_TOKEN = 'e2e-default-channel';

const numbers = (code: string, count: number): PipelineSource =>
    pipeline(code)
        .name(`Numbers ${code}`)
        .trigger('start', { type: 'MANUAL' })
        .extract('in', { adapterCode: 'generator', count, template: { n: '{{index}}' } })
        .build();

const toy = defineConnection({
    code: 'TOY',
    title: 'Toy',
    summary: 'Leads nowhere.',
    config: z.strictObject({ host: z.string().meta({ title: 'Host', description: 'Where it is.' }) }),
});
const toyExtractor = defineExtractor({
    code: 'toyParts',
    title: 'Toy parts',
    summary: 'Reads the configured number of parts.',
    config: z.strictObject({
        connectionCode: connectionCode(['TOY'], { title: 'Connection', description: 'Where they are.' }),
        secretCode: secretCode('Key', 'What opens it.').optional(),
        count: z.int(),
    }),
    secretUses: noSecretIsSent,
    async *extract({ count }) {
        yield { records: Array.from({ length: count }, (_, n) => ({ n })) };
    },
});
/** Refers to a connection, and to a secret if one is given. */
const calling = (
    code: string,
    config: { connectionCode: string; secretCode?: string; count?: number },
): PipelineSource => ({
    code,
    name: code,
    description: '',
    enabled: true,
    definition: {
        version: 1,
        steps: [
            { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
            { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'toyParts', count: 1, ...config } },
        ],
        edges: [{ from: 'start', to: 'in' }],
    },
});
const needsSecret = pipeline('needs-secret')
    .trigger('hook', { type: 'WEBHOOK', authentication: 'HMAC', secretCode: 'hook-secret' })
    .extract('in', { adapterCode: 'inMemory', data: [] })
    .build();
const options = {
    pipelines: [numbers('from-options', 3)],
    secrets: [
        { code: 'inline-key', provider: 'INLINE', value: CANARY },
        { code: 'env-key', provider: 'ENV', value: 'FLOW_TEST_KEY' },
    ],
    connections: [{ code: 'warehouse', type: 'TOY', settings: { host: 'one' } }],
    connectors: [
        defineConnector({
            code: 'toys',
            title: 'Toys',
            adapters: [toy, toyExtractor],
            connections: [{ code: 'toy-shop', type: 'TOY', settings: { host: 'two' } }],
            pipelines: [numbers('from-connector', 2)],
        }),
    ],
} as const;
const plugin = FlowPlugin.init({ ...options, pipelines: [...options.pipelines, needsSecret] });
const setup = setUp(options);
const sound = (...sources: readonly PipelineSource[]): CodeFirst['pipelines'] =>
    checkCodeFirst(readCodeFirst(sources, setup.registry), new Set());

const inOptions: CodeFirst = {
    pipelines: checkCodeFirst(setup.pipelines, new Set()),
    secrets: setup.options.secrets,
    connections: setup.options.connections,
};

function codeFirst(database: Database): void {
    let shop: FlowServer;

    beforeAll(async () => {
        shop = await flowServer(database, plugin);
    });
    afterAll(() => shop?.destroy());

    const sync = (desired: Partial<CodeFirst>): Promise<CodeFirstReport> =>
        new CodeFirstSync(shop.dataSource, databaseOf(shop.dataSource), shop.app.get(ReferenceIssues)).sync({
            ...inOptions,
            ...desired,
        });
    const syncPipelines = async (...sources: readonly PipelineSource[]) => {
        const { pipelines } = await sync({
            pipelines: sound(...options.pipelines, numbers('from-connector', 2), ...sources),
        });
        return { created: pipelines.created, published: pipelines.published, disabled: pipelines.disabled };
    };
    const syncSecrets = async (...sources: readonly SecretSource[]) =>
        (await sync({ secrets: [...inOptions.secrets, ...sources] })).secrets;
    const syncConnections = async (...sources: readonly ConnectionSource[]) =>
        (await sync({ connections: [...inOptions.connections, ...sources] })).connections;
    const stored = (code: string): Promise<FlowPipeline> =>
        shop.dataSource.getRepository(FlowPipeline).findOneByOrFail({ code });
    const secret = (code: string): Promise<FlowSecret> =>
        shop.dataSource.getRepository(FlowSecret).findOneByOrFail({ code });
    const connection = (code: string): Promise<FlowConnection> =>
        shop.dataSource.getRepository(FlowConnection).findOneByOrFail({ code });
    const defaultChannelId = async () => (await shop.app.get(ChannelService).getDefaultChannel()).id;
    const revisions = async (code: string): Promise<number[]> => {
        const { id: pipelineId } = await stored(code);
        return (
            await shop.dataSource
                .getRepository(FlowPipelineRevision)
                .find({ where: { pipelineId }, order: { number: 'ASC' } })
        ).map(({ number }) => number);
    };
    const history = async (code: string): Promise<string[]> => {
        const { id: pipelineId } = await stored(code);
        return (
            await shop.dataSource.getRepository(FlowPipelineEvent).find({ where: { pipelineId }, order: { id: 'ASC' } })
        ).map(({ action }) => action);
    };

    describe('pipelines', () => {
        it('exist once the server is started, including those of connectors, and run for any user who starts them', async () => {
            expect(await shop.perform('from-options')).toMatchObject({ status: 'COMPLETED', recordsRead: 3 });
            expect(await shop.perform('from-connector')).toMatchObject({ status: 'COMPLETED', recordsRead: 2 });
        });

        it('report why they are not published, and are published without a restart once a secret exists', async () => {
            const ask = gql`
                query {
                    flowPipelines(options: { filter: { code: { eq: "needs-secret" } } }) {
                        items {
                            publicationIssues {
                                code
                                path
                            }
                            revision {
                                number
                            }
                        }
                    }
                }
            `;
            const shown = async () => (await shop.adminClient.query(ask)).flowPipelines.items[0];
            expect(await shown()).toEqual({
                publicationIssues: [{ code: 'SECRET_NOT_FOUND', path: 'steps[0].config.secretCode' }],
                revision: null,
            });
            await shop.adminClient.query(
                gql`
                    mutation {
                        createFlowSecret(input: { code: "hook-secret", provider: ENV, value: "FLOW_TEST_KEY" }) {
                            id
                        }
                    }
                `,
            );
            expect(await until(shown, ({ revision }) => revision !== null)).toEqual({
                publicationIssues: [],
                revision: { number: 1 },
            });
            expect(await history('needs-secret')).toEqual(['CREATED', 'PUBLISHED']);
            // Removes this pipeline again, since the other tests do not know it.
            await syncPipelines();
        });

        it('get a new revision when their definition changes, and none when it does not', async () => {
            expect(await syncPipelines(numbers('changing', 1))).toEqual({
                created: ['changing'],
                published: [],
                disabled: [],
            });
            const { version } = await stored('changing');
            expect(await syncPipelines(numbers('changing', 1))).toEqual({ created: [], published: [], disabled: [] });
            expect((await stored('changing')).version).toBe(version);
            expect(await syncPipelines(numbers('changing', 2))).toEqual({
                created: [],
                published: ['changing'],
                disabled: [],
            });
            expect(await revisions('changing')).toEqual([1, 2]);
            expect((await shop.perform('changing')).recordsRead).toBe(2);
        });

        it('get a new name without a new revision', async () => {
            await syncPipelines({ ...numbers('changing', 2), name: 'Renamed' });
            expect(await stored('changing')).toMatchObject({ name: 'Renamed', codeFirst: true, enabled: true });
            expect(await revisions('changing')).toEqual([1, 2]);
        });

        it('are disabled, not deleted, when they are removed from the code, and enabled when they are added again', async () => {
            expect(await syncPipelines()).toEqual({ created: [], published: [], disabled: ['changing'] });
            expect(await stored('changing')).toMatchObject({ enabled: false });
            await expect(shop.start('changing')).rejects.toMatchObject({
                response: { errors: [{ extensions: { code: 'PIPELINE_NOT_RUNNABLE' } }] },
            });
            await syncPipelines(numbers('changing', 2));
            expect(await stored('changing')).toMatchObject({ enabled: true });
            expect(await revisions('changing')).toEqual([1, 2]);
        });

        it('have a history without an actor', async () => {
            expect(await history('changing')).toEqual(['CREATED', 'PUBLISHED', 'PUBLISHED', 'DISABLED', 'ENABLED']);
            const lines = await shop.dataSource
                .getRepository(FlowPipelineEvent)
                .find({ where: { pipelineId: (await stored('changing')).id } });
            expect(lines.map(({ actorId }) => actorId)).toEqual([null, null, null, null, null]);
            expect(lines.filter(({ revisionId }) => revisionId !== null).map(({ action }) => action)).toEqual([
                'PUBLISHED',
                'PUBLISHED',
            ]);
        });

        it('are created once when many servers and workers start at the same time (N11)', async () => {
            const all = [numbers('changing', 2), numbers('race-a', 1), numbers('race-b', 1)];
            const reports = await Promise.all(Array.from({ length: 6 }, () => syncPipelines(...all)));
            expect(reports.flatMap(({ created }) => created).sort()).toEqual(['race-a', 'race-b']);
            expect(await revisions('race-a')).toEqual([1]);
            expect(await history('race-a')).toEqual(['CREATED', 'PUBLISHED']);
        });

        it('replace a pipeline that users have created: archived or not, it runs as in the code, and its working copy stays', async () => {
            const draft = { version: 1, steps: [], edges: [] };
            const pipelines = shop.dataSource.getRepository(FlowPipeline);
            const { id } = await pipelines.save(
                new FlowPipeline({
                    code: 'by-hand',
                    name: 'By hand',
                    description: 'Ours',
                    enabled: true,
                    archived: true,
                    codeFirst: false,
                    channelId: await defaultChannelId(),
                    status: 'REVIEW',
                    version: 4,
                    hasChanges: true,
                }),
            );
            await shop.dataSource
                .getRepository(FlowWorkingCopy)
                .save(Object.assign(new FlowWorkingCopy(), { pipelineId: id, definition: draft, updatedBy: null }));
            expect(await syncPipelines(numbers('by-hand', 2))).toMatchObject({ created: [], published: ['by-hand'] });
            expect(await stored('by-hand')).toMatchObject({
                codeFirst: true,
                archived: false,
                status: 'DRAFT',
                version: 5,
                name: 'Numbers by-hand',
            });
            expect(await history('by-hand')).toEqual(['RESTORED', 'PUBLISHED']);
            expect(
                (await shop.dataSource.getRepository(FlowWorkingCopy).findOneByOrFail({ pipelineId: id })).definition,
            ).toEqual(draft);
            expect((await shop.perform('by-hand')).recordsRead).toBe(2);
        });

        it('whose older revision is selected return to the newest that is equal to the code', async () => {
            const pipelineId = (await stored('changing')).id;
            const first = await shop.dataSource
                .getRepository(FlowPipelineRevision)
                .findOneByOrFail({ pipelineId, number: 1 });
            await shop.dataSource
                .getRepository(FlowPipeline)
                .update({ id: pipelineId }, { selectedRevisionId: first.id });
            expect(await syncPipelines(numbers('changing', 2))).toMatchObject({ published: [] });
            expect((await shop.perform('changing')).recordsRead).toBe(2);
            // Before that it was missing from the code for some time.
            expect((await history('changing')).slice(-2)).toEqual(['REVISION_SELECTED', 'ENABLED']);
        });

        it('need no more statements when there are many', async () => {
            const many = (count: number) =>
                Array.from({ length: count }, (_, i) => calling(`many-${i}`, { connectionCode: 'warehouse' }));
            const statements = async (...sources: readonly PipelineSource[]): Promise<number> => {
                const sent: string[] = [];
                const counting = new LoggedDatabase(databaseOf(shop.dataSource), text => sent.push(text));
                await new CodeFirstSync(shop.dataSource, counting, shop.app.get(ReferenceIssues)).sync({
                    ...inOptions,
                    pipelines: sound(...sources),
                });
                return sent.length;
            };
            const few = await statements(...options.pipelines, ...many(2));
            expect(few).toBeGreaterThan(0);
            expect(await statements(...options.pipelines, ...many(42).slice(2))).toBeLessThanOrEqual(few);
            await syncPipelines();
        });
    });

    describe('pipelines that refer to something that the shop does not have', () => {
        const lacking = async (...sources: readonly PipelineSource[]) => {
            const report = await sync({ pipelines: sound(...options.pipelines, ...sources) });
            return {
                published: [...report.pipelines.created, ...report.pipelines.published],
                held: Object.fromEntries(report.pipelines.held),
                issues: [...report.lacking].flatMap(([code, issues]) => issues.map(issue => `${code} ${issue.code}`)),
            };
        };
        const make = (code: string) =>
            shop.adminClient.query(
                gql`mutation Make($input: CreateFlowConnectionInput!) { createFlowConnection(input: $input) { id } }`,
                { input: { code, type: 'TOY', settings: { host: 'late' } } },
            );

        it('exist, unpublished, until the shop starts with it', async () => {
            const late = calling('late', { connectionCode: 'late-shop', secretCode: 'no-key' });
            expect(await lacking(late)).toEqual({
                published: ['late'],
                held: { late: 'IDLE' },
                issues: ['late CONNECTION_NOT_FOUND', 'late SECRET_NOT_FOUND'],
            });
            expect(await stored('late')).toMatchObject({ codeFirst: true, enabled: true, selectedRevisionId: null });
            expect(await revisions('late')).toEqual([]);
            await expect(shop.start('late')).rejects.toMatchObject({
                response: { errors: [{ extensions: { code: 'PIPELINE_NOT_RUNNABLE' } }] },
            });
            const { version } = await stored('late');
            expect(await lacking(late)).toMatchObject({ published: [], held: { late: 'IDLE' } });
            expect((await stored('late')).version).toBe(version);
            await make('late-shop');
            await sync({
                pipelines: sound(...options.pipelines, late),
                secrets: [...inOptions.secrets, { code: 'no-key', provider: 'INLINE', value: CANARY }],
            });
            expect(await revisions('late')).toEqual([1]);
            expect(await history('late')).toEqual(['CREATED', 'PUBLISHED']);
        });

        it('are checked again without a lock, and published once by the process that is first', async () => {
            const both = calling('both', { connectionCode: 'both-shop' });
            const pipelines = sound(...options.pipelines, both);
            // A server and a worker start at once.
            const [server, worker] = [await sync({ pipelines }), await sync({ pipelines })];
            const look = async ({ pipelines: { heldVersions } }: CodeFirstReport) => {
                const sent: string[] = [];
                const counting = new LoggedDatabase(databaseOf(shop.dataSource), text => sent.push(text));
                const again = new CodeFirstSync(shop.dataSource, counting, shop.app.get(ReferenceIssues));
                const { lacking: gaps, publications } = await again.publishHeld(sound(both), heldVersions);
                return { sent, lacks: gaps.get('both')!.map(({ code }) => code), published: publications.length };
            };
            const idle = await look(server);
            expect(idle).toMatchObject({ lacks: ['CONNECTION_NOT_FOUND'], published: 0 });
            expect(idle.sent.filter(text => /FOR UPDATE|flow_pipeline\b/.test(text))).toEqual([]);
            expect(idle.sent.length).toBeLessThanOrEqual(3);
            await make('both-shop');
            expect(await look(worker)).toMatchObject({ lacks: [], published: 1 });
            expect(await look(server)).toMatchObject({ lacks: [], published: 0 });
            expect(await revisions('both')).toEqual([1]);
            await syncPipelines();
        });

        it('are published as the process that started last defines them, while one with older code is still running', async () => {
            const [old, changed] = [1, 2].map(count => calling('rolling', { connectionCode: 'rolling-shop', count }));
            const older = await sync({ pipelines: sound(...options.pipelines, old!) });
            const newer = await sync({ pipelines: sound(...options.pipelines, changed!) });
            await make('rolling-shop');
            const publish = async (source: PipelineSource, { pipelines: { heldVersions } }: CodeFirstReport) => {
                const again = new CodeFirstSync(
                    shop.dataSource,
                    databaseOf(shop.dataSource),
                    shop.app.get(ReferenceIssues),
                );
                return (await again.publishHeld(sound(source), heldVersions)).publications.length;
            };
            expect(await publish(old!, older)).toBe(0);
            expect(await revisions('rolling')).toEqual([]);
            expect(await publish(changed!, newer)).toBe(1);
            expect(await publish(old!, older)).toBe(0);
            expect(await revisions('rolling')).toEqual([1]);
            expect(await shop.perform('rolling')).toMatchObject({ status: 'COMPLETED', recordsRead: 2 });
            await syncPipelines();
        });

        it('continue to run as they were published before', async () => {
            await lacking(calling('going', { connectionCode: 'warehouse' }));
            const changed = { ...calling('going', { connectionCode: 'later-shop', count: 2 }), name: 'Renamed' };
            expect(await lacking(changed)).toMatchObject({ published: [], held: { going: 'RUNNING' } });
            expect(await revisions('going')).toEqual([1]);
            expect(await stored('going')).toMatchObject({ name: 'Renamed', enabled: true });
            expect(await shop.perform('going')).toMatchObject({ status: 'COMPLETED', recordsRead: 1 });
            await make('later-shop');
            expect(await lacking(changed)).toEqual({ published: ['going'], held: {}, issues: [] });
            expect(await shop.perform('going')).toMatchObject({ status: 'COMPLETED', recordsRead: 2 });
            expect(await history('going')).toEqual(['CREATED', 'PUBLISHED', 'PUBLISHED']);
        });

        it('do not resume what was switched off', async () => {
            const changed = calling('going', { connectionCode: 'never', count: 3 });
            await lacking();
            expect(await lacking(changed)).toMatchObject({ held: { going: 'IDLE' } });
            expect(await stored('going')).toMatchObject({ enabled: false });
            expect((await history('going')).at(-1)).toBe('DISABLED');
        });

        it('are not published again if only the shop has changed', async () => {
            const late = calling('late', { connectionCode: 'late-shop', secretCode: 'no-key' });
            expect(await lacking(late)).toEqual({ published: [], held: {}, issues: ['late SECRET_NOT_FOUND'] });
            expect(await stored('late')).toMatchObject({ enabled: true });
            await syncPipelines();
        });
    });

    describe('secrets and connections', () => {
        it('exist once the server is started, and the value of an INLINE secret is nowhere in the database', async () => {
            expect(await secret('env-key')).toMatchObject({
                provider: 'ENV',
                value: 'FLOW_TEST_KEY',
                codeFirst: true,
                enabled: true,
                version: 1,
            });
            expect(await secret('inline-key')).toMatchObject({
                provider: 'INLINE',
                value: null,
                keyId: null,
                codeFirst: true,
                enabled: true,
            });
            expect(await connection('warehouse')).toMatchObject({
                type: 'TOY',
                name: 'warehouse',
                settings: { host: 'one' },
                codeFirst: true,
            });
            expect(await connection('toy-shop')).toMatchObject({
                settings: { host: 'two' },
                channelId: await defaultChannelId(),
            });
        });

        it('are only written again when they differ', async () => {
            const erp: ConnectionSource = { code: 'erp', type: 'TOY', name: 'ERP', settings: { host: 'a' } };
            expect(await syncConnections(erp)).toEqual({ created: ['erp'], changed: [], disabled: [] });
            expect(await syncConnections(erp)).toEqual({ created: [], changed: [], disabled: [] });
            expect(await connection('erp')).toMatchObject({ version: 1, name: 'ERP' });
            expect(await syncConnections({ ...erp, settings: { host: 'b' } })).toEqual({
                created: [],
                changed: ['erp'],
                disabled: [],
            });
            expect(await connection('erp')).toMatchObject({ version: 2, settings: { host: 'b' } });
        });

        it('are disabled when they are removed from the code, and enabled when they are added again', async () => {
            const key: SecretSource = { code: 'passing', provider: 'ENV', value: 'PASSING' };
            await syncSecrets(key);
            expect(await syncSecrets()).toEqual({ created: [], changed: [], disabled: ['passing'] });
            expect(await secret('passing')).toMatchObject({ enabled: false, codeFirst: true, version: 2 });
            expect(await syncSecrets()).toEqual({ created: [], changed: [], disabled: [] });
            expect(await syncSecrets(key)).toEqual({ created: [], changed: ['passing'], disabled: [] });
            expect(await secret('passing')).toMatchObject({ enabled: true, value: 'PASSING', version: 3 });
        });

        it('have the allowed hosts of the code, and none that was removed from it', async () => {
            const key: SecretSource = { code: 'sent', provider: 'ENV', value: 'SENT', allowedHosts: ['a.example.com'] };
            await syncSecrets(key);
            expect(await secret('sent')).toMatchObject({ allowedHosts: ['a.example.com'], version: 1 });
            expect(await syncSecrets(key)).toEqual({ created: [], changed: [], disabled: [] });
            expect(await syncSecrets({ ...key, allowedHosts: ['b.example.com'] })).toMatchObject({ changed: ['sent'] });
            expect(await secret('sent')).toMatchObject({ allowedHosts: ['b.example.com'], version: 2 });
            const { allowedHosts: _, ...bare } = key;
            expect(await syncSecrets(bare)).toMatchObject({ changed: ['sent'] });
            expect(await secret('sent')).toMatchObject({ allowedHosts: null, version: 3 });
        });

        it('replace what users have created under their codes, and change nothing else', async () => {
            const secrets = shop.dataSource.getRepository(FlowSecret);
            const channelId = await defaultChannelId();
            const mine = {
                channelId,
                provider: 'INLINE' as const,
                value: 'an-envelope',
                keyId: 'k1',
                allowedHosts: ['my.server'],
                enabled: true,
                codeFirst: false,
                version: 7,
            };
            await secrets.save([new FlowSecret({ ...mine, code: 'taken' }), new FlowSecret({ ...mine, code: 'mine' })]);
            expect(await syncSecrets({ code: 'taken', provider: 'INLINE', value: CANARY })).toMatchObject({
                created: [],
                changed: ['taken'],
            });
            expect(await secret('taken')).toMatchObject({
                codeFirst: true,
                value: null,
                keyId: null,
                allowedHosts: null,
                version: 8,
            });
            expect(await secret('mine')).toMatchObject({
                codeFirst: false,
                value: 'an-envelope',
                enabled: true,
                version: 7,
            });
        });

        it('are created once when many servers and workers start at the same time', async () => {
            const erp: ConnectionSource = { code: 'raced', type: 'TOY', settings: { host: 'a' } };
            const key: SecretSource = { code: 'raced', provider: 'ENV', value: 'RACED' };
            const desired = { connections: [...inOptions.connections, erp], secrets: [...inOptions.secrets, key] };
            const reports = await Promise.all(Array.from({ length: 6 }, () => sync(desired)));
            expect(reports.flatMap(({ connections }) => connections.created)).toEqual(['raced']);
            expect(reports.flatMap(({ secrets }) => secrets.created)).toEqual(['raced']);
            expect(await secret('raced')).toMatchObject({ version: 1 });
        });

        it('are read-only in the admin API', async () => {
            const { id, version } = await secret('env-key');
            const update = gql`mutation Change($input: UpdateFlowSecretInput!) { updateFlowSecret(input: $input) { id } }`;
            await expect(
                shop.adminClient.query(update, { input: { id: `T_${id}`, version, value: 'OTHER' } }),
            ).rejects.toMatchObject({ response: { errors: [{ extensions: { code: 'CODE_FIRST_READ_ONLY' } }] } });
            expect(await secret('env-key')).toMatchObject({ value: 'FLOW_TEST_KEY', version });
        });
    });

    describe('the admin API', () => {
        it('overwrites nothing of the code by the same code or an import, and sends no secret of the code elsewhere', async () => {
            const people = as(shop.adminClient);
            const rows = () => Promise.all([stored('from-options'), secret('env-key'), connection('warehouse')]);
            const before = await rows();
            const { definition } = numbers('from-options', 9);
            const { version } = before[0];
            const document = JSON.stringify({ flow: 1, code: 'from-options', name: 'Mine', definition });
            const importing = gql`mutation Import($document: String!, $version: Int) {
                importFlowPipeline(document: $document, format: JSON, version: $version) { id }
            }`;
            const making = gql`mutation Make($input: CreateFlowSecretInput!) { createFlowSecret(input: $input) { id } }`;
            const mine = { code: 'env-key', provider: 'ENV', value: 'OTHER', allowedHosts: ['my.server'] };
            const warehouse = { code: 'warehouse', name: 'Mine', type: 'TOY', settings: { host: 'my.server' } };
            const sending = {
                version: 1,
                steps: [
                    ...(definition as { readonly steps: readonly object[] }).steps,
                    {
                        key: 'send',
                        kind: 'LOAD',
                        config: {
                            adapterCode: 'restPost',
                            endpoint: 'https://my.server/items',
                            bearerTokenSecretCode: 'env-key',
                        },
                    },
                ],
                edges: [
                    { from: 'start', to: 'in' },
                    { from: 'in', to: 'send' },
                ],
            };
            const draft = await people.create({ code: 'sends-env-key', definition: sending });
            const attempts = [
                people.create({ code: 'from-options', definition }),
                shop.adminClient.query(importing, { document }),
                shop.adminClient.query(importing, { document, version }),
                shop.adminClient.query(making, { input: mine }),
                connectionsOf(shop.adminClient).create(warehouse),
                people.publish(draft, { allowSecretHosts: [{ secretCode: 'env-key', host: 'my.server:443' }] }),
            ];
            const codes = (await Promise.all(attempts.map(errorOf))).map(({ code }) => code);
            expect(codes).toEqual([
                'CODE_TAKEN',
                // An import without a version creates a pipeline, but the code is taken.
                'INPUT_INVALID',
                'CODE_FIRST_READ_ONLY',
                'CODE_TAKEN',
                'CODE_TAKEN',
                'SECRET_HOST_NOT_ALLOWED',
            ]);
            expect(await rows()).toEqual(before);
            expect((await people.read(draft))!.revision).toBeNull();
        });
    });

    describe('a channel', () => {
        it('that does not exist is rejected with the existing channels and what refers to it, and nothing has changed then', async () => {
            const lost = { channel: 'nowhere' };
            const known = [DEFAULT_TOKEN, ...SUITE_CHANNELS].map(token => `"${token}"`).join(', ');
            const told = (what: string) => ({
                code: 'CHANNEL_NOT_FOUND',
                message: `${what} uses the channel token "nowhere", which no channel has. Known tokens: ${known}.`,
            });
            await expect(
                syncPipelines(numbers('new-one', 1), { ...numbers('lost', 1), ...lost }),
            ).rejects.toMatchObject(told('Pipeline "lost"'));
            await expect(syncSecrets({ code: 'lost', provider: 'ENV', value: 'LOST', ...lost })).rejects.toMatchObject(
                told('Secret "lost"'),
            );
            await expect(syncConnections({ code: 'lost', type: 'TOY', settings: {}, ...lost })).rejects.toMatchObject(
                told('Connection "lost"'),
            );
            expect(await shop.dataSource.getRepository(FlowPipeline).findOneBy({ code: 'new-one' })).toBeNull();
            expect((await stored('from-options')).enabled).toBe(true);
        });

        it('keeps its pipelines: the code does not move a pipeline of another channel, and nothing has changed then', async () => {
            await syncPipelines(numbers('settled', 1));
            const pipelines = shop.dataSource.getRepository(FlowPipeline);
            const [home, elsewhere] = [await defaultChannelId(), database === 'sqlite' ? 4711 : 4712];
            await pipelines.update({ code: 'settled' }, { channelId: elsewhere });
            await expect(syncPipelines(numbers('settled', 2), numbers('new-two', 1))).rejects.toMatchObject({
                code: 'OPTION_INVALID',
                facts: { option: 'pipelines' },
                message: expect.stringMatching(naming('"settled"', 'channel')) as string,
            });
            expect(await pipelines.findOneBy({ code: 'new-two' })).toBeNull();
            await pipelines.update({ code: 'settled' }, { channelId: home });
            await syncPipelines(numbers('settled', 1));
        });

        it('can be named by its token or omitted, but a code may only occur once in it', async () => {
            const key: SecretSource = { code: 'same', provider: 'ENV', value: 'SAME' };
            await expect(syncSecrets(key, { ...key, channel: DEFAULT_TOKEN })).rejects.toMatchObject({
                code: 'OPTION_INVALID',
                facts: { option: 'secrets' },
                message: expect.stringMatching(naming('"same"', 'channel')) as string,
            });
        });
    });

    describe('a start', () => {
        it("publishes an event for each publication, after the commit and for the pipeline's channel", async () => {
            const seen: FlowPipelinePublished[] = [];
            const subscription = shop.app
                .get(EventBus)
                .ofType(FlowPipelinePublished)
                .subscribe(event => seen.push(event));
            await shop.dataSource
                .getRepository(FlowPipelineRevision)
                .update({ pipelineId: (await stored('from-options')).id }, { digest: 'another' });
            await shop.app.get(CodeFirstStart).sync();
            subscription.unsubscribe();
            expect(seen.map(({ publication }) => publication)).toMatchObject([
                { pipelineCode: 'from-options', number: 2, message: undefined },
            ]);
            expect(seen[0]!.ctx).toMatchObject({ channelId: await defaultChannelId(), activeUserId: undefined });
            const { selectedRevisionId } = await stored('from-options');
            expect(String(seen[0]!.publication.revisionId)).toBe(String(selectedRevisionId));
        });

        it('is rejected with everything that pipelines refer to and the shop does not have, and its path', () => {
            const flow = shop.app.get<FlowSetup>(FLOW_SETUP);
            const querying = numbers('querying', 1);
            const query = { adapterCode: 'platformQuery', entity: 'PRODUCT', includeFields: ['slugg'] };
            const [start, source] = querying.definition.steps;
            const definition = { ...querying.definition, steps: [start!, { ...source!, config: query }] };
            const pipelines = readCodeFirst([{ ...querying, definition }], flow.registry);
            // Without a shop this cannot be decided.
            expect(checkCodeFirst(pipelines, new Set())).toHaveLength(1);
            const replaced = jest.replaceProperty(flow, 'pipelines', pipelines);
            const rejected = (): unknown => {
                try {
                    return shop.app.get(CodeFirstStart).check();
                } catch (error) {
                    return error;
                }
            };
            const place = { path: 'steps[1].config.includeFields[0]', stepKey: source!.key, code: 'CONFIG_INVALID' };
            expect(rejected()).toMatchObject({
                code: 'DEFINITION_INVALID',
                details: { issues: [{ pipeline: 'querying', ...place }] },
            });
            replaced.restore();
            // Those of the options, of the connector, and the one that needs a secret.
            expect(rejected()).toHaveLength(options.pipelines.length + 2);
        });

        it('continues when a subscriber of that event fails', async () => {
            const bus = shop.app.get(EventBus);
            const publish = jest.spyOn(bus, 'publish').mockRejectedValueOnce(new Error('no interest'));
            const error = jest.spyOn(Logger, 'error').mockReturnValue(undefined);
            try {
                await shop.dataSource
                    .getRepository(FlowPipelineRevision)
                    .update({ pipelineId: (await stored('from-options')).id }, { digest: 'another' });
                await shop.app.get(CodeFirstStart).sync();
                expect(error).toHaveBeenCalledWith(expect.stringContaining('no interest'), expect.anything());
            } finally {
                publish.mockRestore();
                error.mockRestore();
            }
        });
    });
}

onOneDatabase('what comes from code', codeFirst);

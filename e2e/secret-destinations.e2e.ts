import type { SimpleGraphQLClient } from '@vendure/testing';
import type { DocumentNode } from 'graphql';
import gql from 'graphql-tag';
import { randomBytes } from 'node:crypto';
import { FlowPlugin, type JsonObject } from '../src';
import { secretFieldsOf } from '../src/core/schema/references';
import type { FlowSetup } from '../src/plugin/setup';
import { FLOW_SETUP } from '../src/plugin/tokens';
import { makeAdministrator, quickPasswords } from './config/administrators';
import type { Database } from './config/databases';
import { type FlowServer, flowServer } from './config/flow-server';
import { onOneDatabase } from './config/matrix';
import { naming } from '../test/kit/naming';
import { as, type ConfirmedHost, errorOf, HOSTS, type PipelineAnswer } from './fixtures/authoring-api';
import { connectionsOf } from './fixtures/resource-api';
import { CONNECTION_CASES, NOT_SENT, type Place, SECRET_CASES, type SecretCase } from './fixtures/secret-cases';
import { ftpReceiver, httpReceiver, postgresReceiver, type Receiver } from './fixtures/secret-receivers';

const OF_CODE = 'c4nary.of.code';
const plugin = FlowPlugin.init({
    security: { allowedHostnames: ['127.0.0.1'] },
    secrets: [
        { code: 'of-code', provider: 'INLINE', value: OF_CODE },
        { code: 'listed-in-code', provider: 'INLINE', value: OF_CODE, allowedHosts: ['shop.example.com'] },
    ],
    connections: ['of-code', 'listed-in-code'].map(secretCode => ({
        code: `erp-${secretCode}`,
        type: 'REST',
        settings: { baseUrl: 'https://erp.example.com', auth: { type: 'BEARER', secretCode } },
    })),
});
const EDITOR = [
    ...['CreateFlowPipeline', 'ReadFlowPipeline', 'UpdateFlowPipeline', 'RunFlowPipeline'],
    ...['ReadFlowRun', 'ReadFlowRecord', 'ManageFlowConnections'],
];
const NOT_ALLOWED = { code: 'SECRET_HOST_NOT_ALLOWED' };

const TEST = gql`
    mutation Test($input: TestFlowStepInput!) {
        testFlowStep(input: $input) {
            error {
                code
            }
        }
    }
`;
const DRY_RUN = gql`
    mutation DryRun($id: ID!) {
        dryRunFlowPipeline(pipelineId: $id, workingCopy: true) {
            id
        }
    }
`;
const IMPORT = gql`
    mutation Import($document: String!) {
        importFlowPipeline(document: $document, format: JSON) {
            id
        }
    }
`;
const letRun = (operation: string, types: string, args: string): DocumentNode =>
    gql(
        `mutation RunPermit($id: ID!, $allow: ${HOSTS}${types}) { ${operation}(id: $id, allowSecretHosts: $allow${args}) { id } }`,
    );
const LET_RUN = {
    enable: letRun('enableFlowPipeline', '', ''),
    restore: letRun('restoreFlowPipeline', '', ''),
    select: letRun('selectFlowPipelineRevision', ', $revisionId: ID!', ', revisionId: $revisionId'),
};
/** A pipeline that sends nothing. */
const FIRST: JsonObject = {
    steps: [
        { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
        { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'inMemory', data: [{ id: 'a' }] } },
    ],
    edges: [{ from: 'start', to: 'in' }],
};
const MAKE_SECRET = gql`
    mutation Make($input: CreateFlowSecretInput!) {
        createFlowSecret(input: $input) {
            id
            version
        }
    }
`;
const SECRET = gql`
    query Secret($code: String!) {
        flowSecret(code: $code) {
            id
            version
            allowedHosts
            effectiveHosts {
                host
                connectionCode
                pipelineCode
            }
        }
    }
`;
const SET_HOSTS = gql`
    mutation SetHosts($input: UpdateFlowSecretInput!) {
        updateFlowSecret(input: $input) {
            allowedHosts
        }
    }
`;

function definitionOf({ step, config }: SecretCase, adapterCode: string, keysetPosition: Place): JsonObject {
    const own = config(keysetPosition);
    const start = { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } };
    const source = { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'inMemory', data: [{ id: 'a' }] } };
    const send = {
        key: 'send',
        kind: step,
        config: (step === 'TRANSFORM'
            ? { operators: [{ op: adapterCode, args: own }] }
            : { adapterCode, ...own }) as JsonObject,
    };
    const steps: JsonObject[] = step === 'EXTRACT' ? [start, send] : [start, source, send];
    const edges = steps.slice(1).map(({ key }, i): JsonObject => ({ from: steps[i]!['key']!, to: key! }));
    return { version: 1, steps, edges, errorHandling: { maxRetries: 0 } };
}

function destinations(database: Database): void {
    const masterKey = process.env.FLOW_MASTER_KEY;
    let shop: FlowServer;
    let editor: SimpleGraphQLClient;
    let publisher: SimpleGraphQLClient;
    /** Servers that no secret may be sent to, by protocol. */
    const strangers = {} as Record<SecretCase['to'], Receiver>;
    /** A server that a secret may be sent to, and that redirects everyone to a stranger. */
    let friend: Receiver;

    beforeAll(async () => {
        process.env.FLOW_MASTER_KEY = randomBytes(32).toString('base64');
        shop = await flowServer(database, plugin, { config: quickPasswords });
        editor = await makeAdministrator(shop, { name: 'editor', permissions: EDITOR });
        publisher = await makeAdministrator(shop, {
            name: 'publisher',
            permissions: [...EDITOR, 'PublishFlowPipeline'],
        });
        strangers.http = await httpReceiver();
        strangers.ftp = await ftpReceiver();
        strangers.postgres = await postgresReceiver();
        friend = await httpReceiver(() => strangers.http.url);
        const connections = connectionsOf(shop.adminClient);
        for (const [code, { url }] of Object.entries({ 'at-stranger': strangers.http, 'at-friend': friend }))
            await connections.create({ code, type: 'REST', settings: { baseUrl: url } });
    });
    afterAll(async () => {
        for (const receiver of [friend, ...Object.values(strangers)]) await receiver?.close();
        await shop?.destroy();
        if (masterKey === undefined) delete process.env.FLOW_MASTER_KEY;
        else process.env.FLOW_MASTER_KEY = masterKey;
    });

    const placeAt = ({ port, url }: Receiver, connectionCode: string, secretCode: string): Place => ({
        ...{ host: '127.0.0.1', port, url, connectionCode, secretCode },
    });
    let made = 0;
    const makeSecret = async (name: string): Promise<{ readonly code: string; readonly value: string }> => {
        const code = `canary-${++made}`;
        const value = valueFor(name);
        await shop.adminClient.query(MAKE_SECRET, { input: { code, provider: 'INLINE', value } });
        return { code, value };
    };
    const hostsOf = async (code: string): Promise<readonly string[]> =>
        (await shop.adminClient.query(SECRET, { code })).flowSecret.allowedHosts as readonly string[];
    const setHosts = async (code: string, allowedHosts: readonly string[]): Promise<void> => {
        const { id, version } = (await shop.adminClient.query(SECRET, { code })).flowSecret;
        await shop.adminClient.query(SET_HOSTS, { input: { id, version, allowedHosts } });
    };
    const codeOf = (name: string, way: string): string =>
        `${way}-${name.replace(/[^A-Za-z0-9]+/g, '-').toLowerCase()}`.slice(0, 63);
    /** The hosts that SECRET_HOST_NOT_ALLOWED requires to be confirmed. */
    const toConfirm = async (rejected: Promise<unknown>): Promise<readonly ConfirmedHost[]> => {
        const { secretHosts } = (await errorOf(rejected)) as unknown as { secretHosts: readonly ConfirmedHost[] };
        return secretHosts.map(({ secretCode, host }) => ({ secretCode, host }));
    };
    const publishAllowing = async (pipeline: PipelineAnswer): Promise<PipelineAnswer> => {
        const admin = as(shop.adminClient);
        return admin.publish(pipeline, { allowSecretHosts: await toConfirm(admin.publish(pipeline)) });
    };
    const run = async (client: SimpleGraphQLClient, pipeline: PipelineAnswer) => {
        const { startFlowPipelineRun } = await as(client).start(pipeline);
        return shop.ended(startFlowPipelineRun.id as string);
    };
    /** Finds the value in any form that a header or a login has. */
    const saw = (received: string, value: string): boolean =>
        received.includes(value) ||
        [...received.matchAll(/[A-Za-z0-9+/]{16,}={0,2}/g)].some(([text]) =>
            Buffer.from(text, 'base64').toString().includes(value),
        );

    it('are known for every field of the registry that names a secret', () => {
        const { registry } = shop.app.get<FlowSetup>(FLOW_SETUP);
        const fields = registry.definitions.flatMap(({ kind, code, config }) =>
            secretFieldsOf(config).map(field => `${kind} ${code} ${field}`),
        );
        const known = [SECRET_CASES, NOT_SENT, CONNECTION_CASES].flatMap(cases => Object.keys(cases));
        expect(fields.filter(field => !known.includes(field))).toEqual([]);
        expect(known.filter(field => !fields.includes(field))).toEqual([]);
    });

    describe.each(Object.entries(SECRET_CASES))('%s', (name, sent) => {
        const adapterCode = name.split(' ')[1]!;

        it('is sent to a stranger only by a person who manages secrets', async () => {
            const secret = await makeSecret(name);
            const stranger = strangers[sent.to];
            const before = stranger.received();
            const definition = definitionOf(sent, adapterCode, placeAt(stranger, 'at-stranger', secret.code));
            const code = codeOf(name, 'stranger');
            const draft = await as(shop.adminClient).create({ code, definition });
            const host = `127.0.0.1:${stranger.port}`;
            for (const client of [editor, publisher]) {
                const edited = await errorOf(as(client).create({ code: `${code.slice(0, 60)}-x`, definition }));
                expect(edited).toMatchObject({
                    ...NOT_ALLOWED,
                    secretHosts: expect.arrayContaining([{ stepKey: 'send', secretCode: secret.code, host }]),
                });
                const input = { definition, stepKey: 'send', pipelineId: draft.id };
                expect(await errorOf(client.query(TEST, { input }))).toMatchObject(NOT_ALLOWED);
                expect(await errorOf(client.query(DRY_RUN, { id: draft.id }))).toMatchObject(NOT_ALLOWED);
            }
            const rejected = { ...NOT_ALLOWED, mayAllow: false };
            const allowSecretHosts = [{ secretCode: secret.code, host }];
            expect(await errorOf(as(publisher).publish(draft, { allowSecretHosts }))).toMatchObject(rejected);
            expect(await errorOf(as(shop.adminClient).publish(draft))).toMatchObject({
                ...NOT_ALLOWED,
                mayAllow: true,
            });
            expect(stranger.received()).toBe(before);

            const published = await publishAllowing(draft);
            expect(await hostsOf(secret.code)).toContain(host);
            const [allowed] = await as(shop.adminClient).history(published);
            expect(allowed).toMatchObject({
                action: 'SECRET_HOSTS_ALLOWED',
                actor: { identifier: 'superadmin' },
                comment: `${secret.code} → ${host}`,
            });
            await run(publisher, published);
            const received = stranger.received().slice(before.length);
            if (sent.shows === 'secret') expect(saw(received, secret.value)).toBe(true);
            if (sent.shows === 'signature') expect(received).toContain('signature');

            await setHosts(secret.code, []);
            const after = stranger.received();
            expect(await run(publisher, published)).toMatchObject({ status: 'FAILED', error: NOT_ALLOWED });
            await as(publisher).disable(published);
            expect(await errorOf(as(publisher).enable(published))).toMatchObject(rejected);
            expect(stranger.received()).toBe(after);
        });

        if (sent.to === 'http')
            it('does not follow a redirect to a stranger', async () => {
                const secret = await makeSecret(name);
                await setHosts(secret.code, [`127.0.0.1:${friend.port}`]);
                const before = [friend.received(), strangers.http.received()] as const;
                const definition = definitionOf(sent, adapterCode, placeAt(friend, 'at-friend', secret.code));
                const draft = await as(publisher).create({ code: codeOf(name, 'friend'), definition });
                await run(publisher, await as(publisher).publish(draft));
                const received = friend.received().slice(before[0].length);
                if (sent.shows === 'secret') expect(saw(received, secret.value)).toBe(true);
                expect(saw(strangers.http.received().slice(before[1].length), secret.value)).toBe(false);
            });
    });

    describe('a draft that sends one to a stranger', () => {
        const NAME = 'loader restPost bearerTokenSecretCode';
        const sending = (secretCode: string): JsonObject =>
            definitionOf(SECRET_CASES[NAME]!, 'restPost', placeAt(strangers.http, 'at-stranger', secretCode));

        it('cannot be created from another draft by users who do not manage secrets, nor imported', async () => {
            const { code } = await makeSecret(NAME);
            const own = await as(editor).create({ code: 'own-draft' });
            const rejected = await errorOf(as(editor).update(own, { definition: sending(code) }));
            expect(rejected).toMatchObject({
                ...NOT_ALLOWED,
                issues: [
                    { code: 'SECRET_HOST_NOT_ALLOWED', path: 'steps[2].config.bearerTokenSecretCode', stepKey: 'send' },
                ],
            });
            const document = JSON.stringify({ flow: 1, code: 'imported', definition: sending(code) });
            const imported = editor.query(IMPORT, { document });
            expect(await errorOf(imported)).toMatchObject(NOT_ALLOWED);
        });

        it('can be edited elsewhere by them if a user who manages secrets has saved it', async () => {
            const { code } = await makeSecret(NAME);
            const draft = await as(shop.adminClient).create({ code: 'kept-draft', definition: sending(code) });
            const definition = { ...sending(code), throughput: { batchSize: 7 } };
            const edited = await as(editor).update(draft, { definition });
            expect(edited.version).toBeGreaterThan(draft.version);
            const { code: another } = await makeSecret(NAME);
            expect(await errorOf(as(editor).update(edited, { definition: sending(another) }))).toMatchObject(
                NOT_ALLOWED,
            );
        });
    });

    it('are sent to an allowed host only by encrypted requests, unless its entry begins with http://', async () => {
        const { code } = await makeSecret('loader');
        await setHosts(code, ['erp.example.com']);
        const sending = (url: string): JsonObject =>
            definitionOf(SECRET_CASES['loader restPost bearerTokenSecretCode']!, 'restPost', {
                ...placeAt(strangers.http, 'at-stranger', code),
                url,
            });
        await as(editor).create({ code: 'encrypted', definition: sending('https://erp.example.com') });
        const plain = { code: 'plain', definition: sending('http://erp.example.com') };
        expect(await errorOf(as(editor).create(plain))).toMatchObject({
            ...NOT_ALLOWED,
            secretHosts: [{ stepKey: 'send', secretCode: code, host: 'http://erp.example.com:80' }],
        });
        const settings = { baseUrl: 'http://erp.example.com', auth: { type: 'BEARER', secretCode: code } };
        const connection = { code: 'plain', type: 'REST', settings };
        expect(await errorOf(connectionsOf(editor).create(connection))).toMatchObject(NOT_ALLOWED);
        await setHosts(code, ['http://erp.example.com']);
        await as(editor).create(plain);
        await connectionsOf(editor).create(connection);
    });

    it('are confirmed by everything that lets a revision run: enabling, restoring, selecting', async () => {
        const { code } = await makeSecret('loader');
        const place = placeAt(strangers.http, 'at-stranger', code);
        const sending = definitionOf(SECRET_CASES['loader restPost bearerTokenSecretCode']!, 'restPost', place);
        const admin = as(shop.adminClient);
        const first = await publishAllowing(await admin.create({ code: 'let-run', definition: sending }));
        const { id } = first;
        const letRun = async (what: 'enable' | 'restore' | 'select'): Promise<void> => {
            await setHosts(code, []);
            const given = what === 'select' ? { id, revisionId: first.revision!.id } : { id };
            expect(await errorOf(shop.adminClient.query(LET_RUN[what], given))).toMatchObject({
                ...NOT_ALLOWED,
                mayAllow: true,
            });
            expect(await hostsOf(code)).toEqual([]);
            const allow = [{ secretCode: code, host: `127.0.0.1:${strangers.http.port}` }];
            await shop.adminClient.query(LET_RUN[what], { ...given, allow });
            expect(await hostsOf(code)).toEqual([`127.0.0.1:${strangers.http.port}`]);
            const [allowed] = await admin.history(first);
            expect(allowed).toMatchObject({ action: 'SECRET_HOSTS_ALLOWED', revision: { number: 1 } });
        };
        await admin.disable(first);
        await letRun('enable');
        await admin.archive(first);
        await letRun('restore');
        const { version } = (await admin.read(first))!;
        await admin.publish(await admin.update({ id, version }, { definition: { ...sending, ...FIRST } }));
        await letRun('select');
    });

    it('are allowed only at the hosts that were confirmed: a connection that leads elsewhere meanwhile needs another confirmation', async () => {
        const { code } = await makeSecret('loader');
        const admin = as(shop.adminClient);
        const connections = connectionsOf(shop.adminClient);
        const connection = await connections.create({
            ...{ code: 'moving', type: 'REST', settings: { baseUrl: strangers.http.url } },
        });
        const lookup = SECRET_CASES['operator httpLookup bearerTokenSecretCode']!;
        const place = placeAt(strangers.http, 'moving', code);
        const draft = await admin.create({ code: 'moves', definition: definitionOf(lookup, 'httpLookup', place) });
        const first = await toConfirm(admin.publish(draft));
        expect(first).toEqual([{ secretCode: code, host: `127.0.0.1:${strangers.http.port}` }]);
        await connections.update(connection, { settings: { baseUrl: friend.url } });
        const moved = [{ stepKey: 'send', secretCode: code, host: `127.0.0.1:${friend.port}` }];
        expect(await errorOf(admin.publish(draft, { allowSecretHosts: first }))).toMatchObject({
            ...{ ...NOT_ALLOWED, mayAllow: true, secretHosts: moved },
        });
        expect(await hostsOf(code)).toEqual([]);
        await publishAllowing(draft);
        expect(await hostsOf(code)).toEqual([`127.0.0.1:${friend.port}`]);
    });

    it('need a confirmation of each host, which is allowed in addition to the others', async () => {
        const { code } = await makeSecret('loader');
        const admin = as(shop.adminClient);
        const lookup = SECRET_CASES['operator httpLookup bearerTokenSecretCode']!;
        const [one, other] = [placeAt(strangers.http, 'at-stranger', code), placeAt(friend, 'at-friend', code)].map(
            place =>
                definitionOf(lookup, 'httpLookup', place) as unknown as { steps: JsonObject[]; edges: JsonObject[] },
        );
        const definition = {
            ...one!,
            steps: [...one!.steps, { ...other!.steps.at(-1)!, key: 'send-too' }],
            edges: [...one!.edges, { from: 'send', to: 'send-too' }],
        };
        const draft = await admin.create({ code: 'sends-twice', definition });
        const hosts = await toConfirm(admin.publish(draft));
        expect(hosts.map(({ host }) => host)).toEqual([`127.0.0.1:${strangers.http.port}`, `127.0.0.1:${friend.port}`]);
        for (const host of hosts)
            expect(await errorOf(admin.publish(draft, { allowSecretHosts: [host] }))).toMatchObject({
                ...{ ...NOT_ALLOWED, mayAllow: true },
            });
        expect(await hostsOf(code)).toEqual([]);
        await setHosts(code, [hosts[1]!.host]);
        await publishAllowing(draft);
        expect(await hostsOf(code)).toEqual([hosts[1]!.host, hosts[0]!.host]);
    });

    it('report every host that they may be sent to, and the connection that allows it when the list is narrowed', async () => {
        const { code } = await makeSecret('loader');
        const sees = async (client: SimpleGraphQLClient): Promise<unknown> =>
            (await client.query(SECRET, { code })).flowSecret.effectiveHosts;
        await setHosts(code, ['erp.example.com']);
        const settings = { baseUrl: strangers.http.url, auth: { type: 'BEARER', secretCode: code } };
        const connections = connectionsOf(shop.adminClient);
        const saved = await connections.create({ code: 'outlives', type: 'REST', settings });
        const host = `127.0.0.1:${strangers.http.port}`;
        const theirs = { host, connectionCode: 'outlives', pipelineCode: null };
        expect(await sees(shop.adminClient)).toEqual([
            { host: 'erp.example.com', connectionCode: null, pipelineCode: null },
            theirs,
        ]);
        await setHosts(code, []);
        expect(await sees(shop.adminClient)).toEqual([theirs]);
        expect(await sees(publisher)).toBeNull();

        // A run may do what the list shows.
        const definition = definitionOf(
            SECRET_CASES['loader restPost bearerTokenSecretCode']!,
            'restPost',
            placeAt(strangers.http, 'at-stranger', code),
        );
        const published = await as(publisher).publish(await as(publisher).create({ code: 'by-saved', definition }));
        expect(await run(publisher, published)).toMatchObject({ status: 'COMPLETED' });
        await connections.delete(saved);
        expect(await sees(shop.adminClient)).toEqual([]);
        expect(await run(publisher, published)).toMatchObject({ status: 'FAILED', error: NOT_ALLOWED });
    });

    describe.each(['of-code', 'listed-in-code'])("of the shop's code (%s)", secretCode => {
        const refusedByCode = (): object => ({
            ...NOT_ALLOWED,
            message: expect.stringMatching(
                naming(secretCode, `127.0.0.1:${strangers.http.port}`, 'allowedHosts', 'code'),
            ) as string,
        });
        const settings = (baseUrl: string): JsonObject => ({ baseUrl, auth: { type: 'BEARER', secretCode } });

        it('are not sent to another host by any connection that users create', async () => {
            const connections = connectionsOf(shop.adminClient);
            const code = `of-people-${secretCode}`;
            const elsewhere = { code, type: 'REST', settings: settings(strangers.http.url) };
            expect(await errorOf(connections.create(elsewhere))).toMatchObject(refusedByCode());
            // A connection of the shop's code refers to this secret.
            const saved = await connections.create({ ...elsewhere, settings: settings('https://erp.example.com') });
            const { settings: desired } = elsewhere;
            expect(await errorOf(connections.update(saved, { settings: desired }))).toMatchObject(refusedByCode());

            // Nor by a connection that was saved before the secret was added to the code.
            await shop.dataSource.query(
                `UPDATE flow_connection SET settings = '${JSON.stringify(desired)}' WHERE code = '${code}'`,
            );
            const { effectiveHosts } = (await shop.adminClient.query(SECRET, { code: secretCode })).flowSecret;
            expect(effectiveHosts.map(({ host }: { host: string }) => host)).toEqual([
                ...(secretCode === 'listed-in-code' ? ['shop.example.com'] : []),
                'erp.example.com:443',
            ]);
            const draft = await as(shop.adminClient).create({
                code: `${code}-read`,
                definition: definitionOf(
                    {
                        step: 'EXTRACT',
                        to: 'http',
                        shows: 'secret',
                        config: () => ({ connectionCode: code, url: '/' }),
                    },
                    'httpApi',
                    placeAt(strangers.http, code, secretCode),
                ),
            });
            const before = strangers.http.received();
            const published = await as(shop.adminClient).publish(draft);
            expect(await run(shop.adminClient, published)).toMatchObject({ status: 'FAILED', error: refusedByCode() });
            expect(strangers.http.received()).toBe(before);
        });

        it('are not allowed elsewhere by a person who publishes, and the error says where to allow it', async () => {
            const place = placeAt(strangers.http, 'at-stranger', secretCode);
            const sending = definitionOf(SECRET_CASES['loader restPost bearerTokenSecretCode']!, 'restPost', place);
            const admin = as(shop.adminClient);
            const draft = await admin.create({ code: `sends-${secretCode}`, definition: sending });
            const allowSecretHosts = [{ secretCode, host: `127.0.0.1:${strangers.http.port}` }];
            for (const given of [undefined, { allowSecretHosts }])
                expect(await errorOf(admin.publish(draft, given))).toMatchObject({
                    ...refusedByCode(),
                    mayAllow: false,
                });
        });
    });

    describe('a test or dry run by users who may not publish', () => {
        const reading = (config: JsonObject): JsonObject => ({
            version: 1,
            steps: [
                { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
                { key: 'send', kind: 'EXTRACT', config: { adapterCode: 'httpApi', ...config } },
            ],
            edges: [{ from: 'start', to: 'send' }],
            errorHandling: { maxRetries: 0 },
        });
        const tested = async (client: SimpleGraphQLClient, config: JsonObject): Promise<unknown> => {
            const input = { definition: reading(config), stepKey: 'send' };
            return (await client.query(TEST, { input })).testFlowStep.error;
        };

        it('only reads from the servers of saved connections', async () => {
            expect(await tested(editor, { connectionCode: 'at-stranger', url: '/stock' })).toBeNull();
            const before = strangers.http.received();
            const elsewhere = { url: `${strangers.http.url}/stock` };
            expect(await tested(editor, elsewhere)).toMatchObject({ code: 'OUTBOUND_BLOCKED' });
            const posting = { connectionCode: 'at-stranger', url: '/stock', method: 'POST' };
            expect(await tested(editor, posting)).toMatchObject({ code: 'OUTBOUND_BLOCKED' });
            const draft = await as(editor).create({ code: 'reads-elsewhere', definition: reading(elsewhere) });
            const { dryRunFlowPipeline } = await editor.query(DRY_RUN, { id: draft.id });
            expect(await shop.ended(dryRunFlowPipeline.id as string)).toMatchObject({
                status: 'FAILED',
                error: { code: 'OUTBOUND_BLOCKED' },
            });
            expect(strangers.http.received()).toBe(before);
            expect(await tested(publisher, elsewhere)).toBeNull();
        });

        it('follows no redirect', async () => {
            const before = strangers.http.received();
            expect(await tested(editor, { connectionCode: 'at-friend', url: '/stock' })).not.toBeNull();
            expect(strangers.http.received()).toBe(before);
        });

        it('only gets a token from the servers of saved connections', async () => {
            const { code } = await makeSecret('token');
            await setHosts(code, ['127.0.0.1']);
            const elsewhere = await httpReceiver();
            const auth = (url: string): JsonObject => ({
                connectionCode: 'at-stranger',
                url: '/stock',
                auth: { type: 'OAUTH2', tokenUrl: `${url}/token`, clientId: 'a', clientSecretCode: code },
            });
            expect(await tested(editor, auth(elsewhere.url))).toMatchObject({ code: 'OUTBOUND_BLOCKED' });
            expect(elsewhere.received()).toBe('');
            expect(await tested(editor, auth(strangers.http.url))).toBeNull();
            await elsewhere.close();
        });
    });

    describe.each(Object.entries(CONNECTION_CASES))('%s', (name, settingsOf) => {
        it('leads to a stranger only for a user who manages secrets', async () => {
            const secret = await makeSecret(name);
            const place = placeAt(strangers.http, '', secret.code);
            const connection = { code: codeOf(name, 'c'), type: name.split(' ')[1]!, settings: settingsOf(place) };
            expect(await errorOf(connectionsOf(editor).create(connection))).toMatchObject(NOT_ALLOWED);
            const saved = await connectionsOf(shop.adminClient).create(connection);
            expect(saved.code).toBe(connection.code);
        });
    });
}

/** A secret of the form that the field accepts. */
function valueFor(name: string): string {
    const random = randomBytes(24);
    if (name.includes('previousHmac')) return `whsec_${random.toString('base64')}`;
    return `${name.includes('basicAuth') ? 'shop:' : ''}c4nary.${random.toString('hex')}`;
}

onOneDatabase('secrets and the servers that they are sent to', destinations);

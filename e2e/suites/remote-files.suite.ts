import { appendFileSync, existsSync, mkdirSync, readdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import gql from 'graphql-tag';
import type { JsonObject } from '../../src';
import { FlowPipeline } from '../../src/plugin/entities/pipeline';
import { FlowRemoteAction } from '../../src/plugin/entities/remote-action';
import { FlowPipelineRun } from '../../src/plugin/entities/run';
import { FileWatcher } from '../../src/plugin/file-triggers/file-watcher';
import { WatchedServers } from '../../src/plugin/file-triggers/watched-servers';
import { periodicsOf } from '../../test/fixtures/periodic-jobs';
import { RunStarter } from '../../src/plugin/runs/run-starter';
import { RunStores } from '../../src/plugin/runs/run-stores';
import { FLOW_SETUP } from '../../src/plugin/tokens';
import { ActiveTriggers } from '../../src/plugin/triggers/active-triggers';
import { scratchFolder } from '../../test/servers/process';
import { type SftpServer, startSftp } from '../../test/servers/sftp-server';
import { makeAdministrator } from '../config/administrators';
import { type FlowServer, until } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';
import { as, errorOf } from '../fixtures/authoring-api';
import { connectionsOf, makeSecret } from '../fixtures/resource-api';
import { lookAtTrigger } from '../fixtures/trigger-look';

const ACTIONS = gql`
    query Actions {
        flowRemoteActions {
            items {
                id
                kind
                path
                to
                attempts
                lastError
            }
            totalItems
        }
    }
`;
const TEST = gql`
    mutation Test($id: ID!) {
        testFlowConnection(id: $id) {
            result
            code
            message
            hostKeyFingerprint
        }
    }
`;
const WARNINGS = gql`
    query Warnings {
        flowOverview {
            triggerWarnings {
                pipeline {
                    code
                }
                code
                message
            }
        }
    }
`;
const REFUSED = gql`
    query Refused($runId: ID!) {
        flowRecordErrorGroups(selection: { runId: $runId }) {
            items {
                id
                code
                path
                records
                isReplayable
                example {
                    message
                }
            }
        }
    }
`;
const REPLAY = gql`
    mutation Replay($runId: ID!) {
        retryFlowRecordErrors(selection: { runId: $runId }) {
            records
            runs {
                id
            }
            refused {
                stepKey
                records
                reason
            }
        }
    }
`;
const IGNORE = gql`
    mutation Ignore($runId: ID!) {
        ignoreFlowRecordErrors(selection: { runId: $runId }, note: "sent anew")
    }
`;
const GIVE_UP = gql`
    mutation GiveUp($id: ID!) {
        giveUpFlowRemoteAction(id: $id) {
            path
        }
    }
`;

interface Shown {
    readonly id: string;
    readonly kind: string;
    readonly path: string;
    readonly to: string | null;
    readonly attempts: number;
    readonly lastError: string | null;
}

function acknowledging(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    let folder: string;
    let server: SftpServer;
    let pipelines: ReturnType<typeof as>;

    beforeAll(async () => {
        shop = await open();
        pipelines = as(shop.adminClient);
        folder = scratchFolder();
        mkdirSync(join(folder, 'in'));
        server = await startSftp({ folder });
        await makeSecret(shop.adminClient, 'remote-password', 'secret', '127.0.0.1');
    });
    afterAll(() => server?.close());

    const write = (name: string, content: string): void => writeFileSync(join(folder, 'in', name), content);
    const isThere = (name: string): boolean => existsSync(join(folder, name));
    const shown = async (): Promise<readonly Shown[]> =>
        (await shop.adminClient.query<{ flowRemoteActions: { items: readonly Shown[] } }>(ACTIONS)).flowRemoteActions
            .items;
    const stored = () => shop.dataSource.getRepository(FlowRemoteAction);
    const published = async (code: string, steps: JsonObject): Promise<void> => {
        await pipelines.publish(await pipelines.create({ code, name: code, definition: steps }));
    };
    const definition = (more: JsonObject): JsonObject => ({
        version: 1,
        steps: [
            { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
            {
                key: 'read',
                kind: 'EXTRACT',
                config: {
                    adapterCode: 'ftp',
                    protocol: 'sftp',
                    host: '127.0.0.1',
                    port: server.port,
                    username: 'shop',
                    passwordSecretCode: 'remote-password',
                    remotePath: '/in',
                    ...more,
                },
            },
            { key: 'products', kind: 'LOAD', config: { adapterCode: 'productUpsert', missingPrice: 'ZERO' } },
        ],
        edges: [
            { from: 'start', to: 'read' },
            { from: 'read', to: 'products' },
        ],
    });
    const csv = (...slugs: readonly string[]): string =>
        ['slug,name,sku', ...slugs.map(slug => `${slug},${slug},SKU-${slug}`)].join('\n');

    it('files are moved once their run is COMPLETED, are read once, and one that cannot be read stays', async () => {
        write('a.csv', csv('remote-a'));
        write('b.csv', csv('remote-b'));
        write('broken.csv', 'slug,name\n"never closed\n');
        const moving = definition({ moveAfterProcess: { enabled: true, destinationPath: '/in/done' } });
        await published('remote-moving', moving);
        const run = await shop.perform('remote-moving');
        expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'PARTIAL', recordsRead: 3, recordsRejected: 1 });
        await until(
            () => stored().count(),
            count => count === 0,
        );
        expect(readdirSync(join(folder, 'in')).sort()).toEqual(['broken.csv', 'done']);
        expect(readdirSync(join(folder, 'in/done')).sort()).toEqual(['a.csv', 'b.csv']);
    });

    it('a file that cannot be read does not count as a record: it is not replayed through the steps, and is ignored after its correction', async () => {
        write('half.csv', 'slug,name\n"never closed\n');
        await published('remote-half', definition({ filePattern: 'half.csv', deleteAfterProcess: true }));
        const { id: runId } = await shop.perform('remote-half');
        const groups = async () =>
            (
                await shop.adminClient.query<{
                    flowRecordErrorGroups: { items: readonly JsonObject[] };
                }>(REFUSED, { runId })
            ).flowRecordErrorGroups.items;
        const [group] = await groups();
        expect(group).toMatchObject({
            code: 'FILE_NOT_READ',
            path: null,
            records: 1,
            isReplayable: false,
            example: {
                message: expect.stringMatching(/\/in\/half\.csv\b.*\bline 2\b/),
            },
        });
        const { retryFlowRecordErrors: replayed } = await shop.adminClient.query<{ retryFlowRecordErrors: JsonObject }>(
            REPLAY,
            { runId },
        );
        expect(replayed).toMatchObject({
            records: 0,
            runs: [],
            refused: [{ stepKey: 'read', records: 1, reason: expect.stringMatching(/\bfile\b/) }],
        });
        expect(await groups()).toHaveLength(1);
        write('half.csv', csv('remote-half'));
        expect(await shop.perform('remote-half')).toMatchObject({ status: 'COMPLETED', recordsLoaded: 1 });
        await shop.adminClient.query(IGNORE, { runId });
        expect(await groups()).toEqual([]);
    });

    it('an action that fails is tried again, does not cause the file to be read again, and may be given up', async () => {
        write('c.csv', csv('remote-c'));
        // A file has the name of the folder that is needed.
        writeFileSync(join(folder, 'taken'), '');
        const stuck = definition({
            filePattern: 'c.csv',
            moveAfterProcess: { enabled: true, destinationPath: '/taken' },
        });
        await published('remote-stuck', stuck);
        expect(await shop.perform('remote-stuck')).toMatchObject({ status: 'COMPLETED', recordsRead: 1 });
        await until(shown, ([action]) => (action?.attempts ?? 0) > 0);
        const [waiting] = await shown();
        expect(waiting).toMatchObject({ kind: 'MOVE', path: '/in/c.csv', to: '/taken/c.csv' });
        expect(waiting!.lastError).not.toBeNull();
        expect(await shop.perform('remote-stuck')).toMatchObject({
            status: 'COMPLETED',
            outcome: 'EMPTY',
            recordsRead: 0,
        });
        await shop.adminClient.query(GIVE_UP, { id: waiting!.id });
        expect(await shown()).toEqual([]);
        expect(await errorOf(shop.adminClient.query(GIVE_UP, { id: waiting!.id }))).toMatchObject({
            code: 'REMOTE_ACTION_NOT_FOUND',
        });
        expect(await shop.perform('remote-stuck')).toMatchObject({ status: 'COMPLETED', recordsRead: 1 });
        expect(isThere('in/c.csv')).toBe(true);
        await stored().clear();
    });

    it('files above the maximum of a run are read by the next ones, in turn, even if a run in between fails', async () => {
        for (const [i, name] of ['x1', 'x2', 'x3'].entries()) {
            write(`turn-${name}.csv`, csv(`remote-${name}`));
            const time = new Date(Date.UTC(2026, 0, 1, i));
            utimesSync(join(folder, 'in', `turn-${name}.csv`), time, time);
        }
        const inTurn = definition({
            filePattern: 'turn-*.csv',
            maxFiles: 1,
            includeFileMetadata: true,
            continueOnError: false,
        });
        await published('remote-in-turn', inTurn);
        const loadedBy = async (): Promise<unknown> => {
            const { recordsLoaded, recordsUnchanged } = await shop.perform('remote-in-turn');
            return [recordsLoaded, recordsUnchanged];
        };
        expect(await loadedBy()).toEqual([1, 0]);
        const second = csv('remote-x2');
        write('turn-x2.csv', `${second}\n"never closed`);
        utimesSync(
            join(folder, 'in', 'turn-x2.csv'),
            new Date(Date.UTC(2026, 0, 1, 1)),
            new Date(Date.UTC(2026, 0, 1, 1)),
        );
        expect(await shop.perform('remote-in-turn')).toMatchObject({ status: 'FAILED' });
        write('turn-x2.csv', second);
        utimesSync(
            join(folder, 'in', 'turn-x2.csv'),
            new Date(Date.UTC(2026, 0, 1, 1)),
            new Date(Date.UTC(2026, 0, 1, 1)),
        );
        expect(await loadedBy()).toEqual([1, 0]);
        expect(await loadedBy()).toEqual([1, 0]);
        // All files were read: the next run begins again with the oldest.
        expect(await loadedBy()).toEqual([0, 1]);
    });

    it('a server whose host key is not trusted yet: the test of its connection shows the fingerprint, which is saved with the connection', async () => {
        const connections = connectionsOf(shop.adminClient);
        const settings = {
            host: '127.0.0.1',
            port: server.port,
            username: 'shop',
            passwordSecretCode: 'remote-password',
        };
        const saved = await connections.create({ code: 'remote-supplier', type: 'SFTP', settings });
        const test = async (): Promise<unknown> =>
            (await shop.adminClient.query<{ testFlowConnection: unknown }>(TEST, { id: saved.id })).testFlowConnection;
        expect(await test()).toMatchObject({ result: 'PASSED', hostKeyFingerprint: server.fingerprint });
        await connections.update(saved, { settings: { ...settings, hostKeyFingerprint: server.fingerprint } });
        expect(await test()).toMatchObject({ result: 'PASSED', hostKeyFingerprint: null });
    });

    it('nothing is deleted when a run fails, and everything when the next one completes', async () => {
        write('d.csv', csv('remote-d'));
        write('e.csv', 'slug,name\n"never closed\n');
        const failing = definition({ filePattern: '?.csv', deleteAfterProcess: true, continueOnError: false });
        await published('remote-failing', failing);
        expect(await shop.perform('remote-failing')).toMatchObject({
            status: 'FAILED',
            error: { code: 'SOURCE_MALFORMED' },
        });
        expect(await stored().count()).toBe(0);
        expect(isThere('in/d.csv')).toBe(true);
        write('e.csv', csv('remote-e'));
        expect(await shop.perform('remote-failing')).toMatchObject({ status: 'COMPLETED' });
        await until(
            () => Promise.resolve(isThere('in/d.csv') || isThere('in/e.csv')),
            there => !there,
        );
    });
}

const HOUR = 3_600_000;

function watching(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    let folder: string;
    let server: SftpServer;
    let pipelines: ReturnType<typeof as>;
    let watchers: readonly FileWatcher[];
    let hours = 0;

    beforeAll(async () => {
        shop = await open();
        pipelines = as(shop.adminClient);
        folder = scratchFolder();
        mkdirSync(join(folder, 'drop'));
        server = await startSftp({ folder });
        await makeSecret(shop.adminClient, 'drop-password', 'secret');
        const settings = {
            host: '127.0.0.1',
            port: server.port,
            username: 'shop',
            passwordSecretCode: 'drop-password',
        };
        await connectionsOf(shop.adminClient).create({ code: 'drop', type: 'SFTP', settings });
        const { app } = shop;
        // The database takes these for two more processes. The shop's own process uses the real time, and would poll first.
        const process = (): FileWatcher =>
            new FileWatcher(
                app.get(ActiveTriggers),
                app.get(WatchedServers),
                app.get(RunStarter),
                app.get(RunStores),
                periodicsOf(),
                app.get(FLOW_SETUP),
            );
        watchers = [process(), process()];
    });
    afterAll(async () => {
        await Promise.all(watchers?.map(watcher => watcher.onModuleDestroy()) ?? []);
        await server?.close();
    });

    const write = (name: string, content: string): void => writeFileSync(join(folder, name), content);
    /** All processes poll, each as if it were the leader, an hour after the last time. */
    const poll = async (leading = new AbortController().signal): Promise<void> => {
        const at = { steadyMs: performance.now() + ++hours * HOUR, wallMs: Date.now() };
        await Promise.all(watchers.map(watcher => watcher.look(leading, at)));
        await Promise.all(watchers.map(watcher => watcher.idle()));
    };
    const watched = (more: JsonObject = {}, read: JsonObject = {}): JsonObject => ({
        version: 1,
        steps: [
            {
                key: 'drop',
                kind: 'TRIGGER',
                config: { type: 'FILE', fileWatch: { connectionCode: 'drop', path: '/drop', minFileAge: 0, ...more } },
            },
            {
                key: 'read',
                kind: 'EXTRACT',
                config: { adapterCode: 'ftp', connectionCode: 'drop', remotePath: '/nowhere', ...read },
            },
            { key: 'products', kind: 'LOAD', config: { adapterCode: 'productUpsert', missingPrice: 'ZERO' } },
        ],
        edges: [
            { from: 'drop', to: 'read' },
            { from: 'read', to: 'products' },
        ],
    });
    /** Returns a function that ends it. */
    const publish = async (code: string, definition: JsonObject): Promise<() => Promise<unknown>> => {
        const made = await pipelines.publish(await pipelines.create({ code, name: code, definition }));
        return () => pipelines.disable(made);
    };
    const runsOf = async (code: string): Promise<readonly FlowPipelineRun[]> => {
        const { dataSource } = shop;
        const { id: pipelineId } = await dataSource.getRepository(FlowPipeline).findOneByOrFail({ code });
        return dataSource
            .getRepository(FlowPipelineRun)
            .find({ where: { pipelineId }, order: { createdAt: 'ASC', id: 'ASC' } });
    };
    const allEnded = (code: string, many: number): Promise<readonly FlowPipelineRun[]> =>
        until(
            () => runsOf(code),
            runs => runs.length >= many && runs.every(({ finishedAt }) => finishedAt !== null),
        );

    it('a test of the trigger shows which existing files it would take, the oldest first, and takes nothing', async () => {
        mkdirSync(join(folder, 'looked/deep'), { recursive: true });
        for (const [age, name] of ['b.csv', 'deep/a.csv', 'c.csv', 'd.txt', '.e.csv.part'].entries()) {
            write(`looked/${name}`, 'slug\n');
            utimesSync(join(folder, 'looked', name), 0, 1_000_000 + age);
        }
        const tested = async (more: JsonObject, limit = 10, client = shop.adminClient): Promise<JsonObject> => {
            const input = { definition: watched({ path: '/looked', ...more }), stepKey: 'drop', limit };
            return lookAtTrigger(client, input);
        };
        const [b, a] = ['b.csv', 'deep/a.csv'].map((name, age) => ({
            path: `/looked/${name}`,
            size: 5,
            modified: new Date((1_000_000 + age) * 1_000).toISOString(),
        }));
        expect(await tested({ pattern: '*.csv' }, 2)).toEqual({
            kind: 'TRIGGER',
            out: [b, a],
            log: [{ level: 'WARN', message: expect.stringMatching(/^1 /) as string }],
        });
        expect(await tested({ pattern: 'b.*', recursive: false })).toMatchObject({ out: [b], log: [] });
        expect(await errorOf(tested({ path: '/nowhere' }))).toMatchObject({ code: 'REMOTE_FILE_NOT_FOUND' });
        expect(await errorOf(tested({ minFileAge: -1 }))).toMatchObject({ code: 'DEFINITION_INVALID' });
        const permissions = ['UpdateFlowPipeline', 'ReadFlowPipeline', 'RunFlowPipeline', 'ReadFlowRecord'];
        const editor = await makeAdministrator(shop, { name: 'looking-editor', permissions });
        expect(await errorOf(tested({}, 10, editor))).toMatchObject({ code: 'OUTBOUND_BLOCKED' });
        expect(await shop.dataSource.getRepository(FlowPipelineRun).count({ where: { triggerKey: 'drop' } })).toBe(0);
    });

    it('a supplier uploads a CSV: it is loaded once when it is complete, moved away, and loaded again when another one arrives', async () => {
        const end = await publish(
            'dropped',
            watched({}, { moveAfterProcess: { enabled: true, destinationPath: '/done' } }),
        );
        write('drop/stock.csv', 'slug,name,sku\n');
        await poll();
        appendFileSync(join(folder, 'drop/stock.csv'), 'dropped-a,A,SKU-dropped-a\n');
        await poll();
        expect(await runsOf('dropped')).toEqual([]);
        write('drop/stock.tmp', 'slug,name,sku\ndropped-a,A,SKU-dropped-a\ndropped-b,B,SKU-dropped-b\n');
        renameSync(join(folder, 'drop/stock.tmp'), join(folder, 'drop/stock.csv'));
        for (let time = 0; time < 3; time++) await poll();
        const [first] = await allEnded('dropped', 1);
        expect(first).toMatchObject({ status: 'COMPLETED', outcome: 'SUCCESS', recordsRead: 2, triggerType: 'FILE' });
        await until(
            () => Promise.resolve(existsSync(join(folder, 'done/stock.csv'))),
            isThere => isThere,
        );
        for (let time = 0; time < 2; time++) await poll();
        write('drop/stock.csv', 'slug,name,sku\ndropped-c,C,SKU-dropped-c\n');
        for (let time = 0; time < 3; time++) await poll();
        const runs = await allEnded('dropped', 2);
        expect(runs.map(({ status, recordsRead }) => [status, recordsRead])).toEqual([
            ['COMPLETED', 2],
            ['COMPLETED', 1],
        ]);
        await until(
            () => Promise.resolve(readdirSync(join(folder, 'drop'))),
            names => names.length === 0,
        );
        expect(readdirSync(join(folder, 'done'))).toHaveLength(2);
        await end();
    });

    it('a file whose run fails starts no other run at once, is reported as waiting, and is loaded when it is replaced', async () => {
        const end = await publish('dropped-broken', watched({ pattern: '*.csv' }, { continueOnError: false }));
        write('drop/broken.csv', 'slug,name\n"never closed\n');
        for (let time = 0; time < 3; time++) await poll();
        expect(await allEnded('dropped-broken', 1)).toMatchObject([
            {
                status: 'FAILED',
                errorCode: 'SOURCE_MALFORMED',
                sourceReference: { file: { path: '/drop/broken.csv' } },
            },
        ]);
        await poll();
        const { flowOverview } = await shop.adminClient.query<{
            flowOverview: { triggerWarnings: readonly JsonObject[] };
        }>(WARNINGS);
        expect(flowOverview.triggerWarnings).toMatchObject([
            { pipeline: { code: 'dropped-broken' }, code: 'FILES_FAILED' },
        ]);
        write('drop/broken.csv', 'slug,name,sku\ndropped-d,D,SKU-dropped-d\n');
        for (let time = 0; time < 2; time++) await poll();
        expect((await allEnded('dropped-broken', 2)).map(({ status }) => status)).toEqual(['FAILED', 'COMPLETED']);
        await end();
    });

    it('a process that is no longer the leader starts nothing, and the next leader finds all files', async () => {
        const end = await publish('dropped-many', watched({ path: '/many' }));
        mkdirSync(join(folder, 'many'));
        for (let i = 0; i < 6; i++) write(`many/${i}.csv`, `slug,name,sku\nmany-${i},M,SKU-many-${i}\n`);
        await poll();
        const dead = new AbortController();
        const dying = poll(dead.signal);
        dead.abort(new Error('killed'));
        await dying;
        for (let time = 0; time < 2; time++) await poll();
        const runs = await allEnded('dropped-many', 6);
        expect(runs.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 'COMPLETED'));
        await end();
    });
}

export const watchedFoldersSuite: SharedSuite = {
    title: 'watched folders',
    tests: watching,
};

export const remoteFilesSuite: SharedSuite = {
    title: 'files elsewhere',
    tests: acknowledging,
};

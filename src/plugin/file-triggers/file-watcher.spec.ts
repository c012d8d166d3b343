import { Logger } from '@vendure/core';
import { logText } from '../../core/log/log-text';
import type { DataSource } from 'typeorm';
import { flowError } from '../../core/errors/flow-error';
import { fileIdentity } from '../../core/triggers/stability-window';
import type { Id } from '../../database/write';
import type { FlowPipeline } from '../entities/pipeline';
import type { FlowPipelineRun } from '../entities/run';
import { FlowFileWatch, FlowWatchedFile } from '../entities/watched-file';
import { loggingInto, memoryShop } from '../../../test/fixtures/memory-shop';
import { ListedServer, WatchedPipelines, type WatchingProcess, watchingOn } from '../../../test/fixtures/watching';

let dataSource: DataSource;
let pipelines: WatchedPipelines;
let server: ListedServer;
const told: string[] = [];
const INTERVAL = 300;

beforeEach(async () => {
    told.length = 0;
    dataSource = await memoryShop();
    await dataSource.runMigrations();
    pipelines = new WatchedPipelines(dataSource);
    server = new ListedServer();
    Logger.useLogger(loggingInto(told));
});
afterEach(() => dataSource.destroy());

const process = (): Promise<WatchingProcess> => watchingOn(dataSource, server);
const remarks = async (): Promise<readonly string[]> =>
    (await dataSource.getRepository(FlowFileWatch).find()).flatMap(watch => watch.remarks.map(({ code }) => code));

/** Executes a run until it has ended with this status. */
async function end({ stores }: WatchingProcess, run: FlowPipelineRun, status: 'COMPLETED' | 'FAILED' | 'CANCELLED') {
    if (status === 'CANCELLED') return stores.endings.cancel(run.id as Id);
    const { run: claimed } = await stores.leases.claim(run.id as Id);
    if (!claimed) throw new Error('the run is not to be had');
    await stores.endings.finish(
        claimed,
        status === 'COMPLETED'
            ? { status, outcome: 'SUCCESS' }
            : { status, error: flowError('REMOTE_REFUSED', { host: 'x', problem: 'y' }) },
    );
    return undefined;
}

/** Ends all waiting runs with these statuses, in order. */
async function endAll(
    one: WatchingProcess,
    id: FlowPipeline['id'],
    status: 'COMPLETED' | 'FAILED' | 'CANCELLED' = 'COMPLETED',
): Promise<void> {
    for (const run of await pipelines.runs(id)) if (run.status === 'PENDING') await end(one, run, status);
}

/** Moves the stored times into the past by this many milliseconds. */
async function backdate(what: 'dueAt' | 'seenAt', ms: number): Promise<void> {
    await dataSource
        .getRepository(FlowWatchedFile)
        .createQueryBuilder()
        .update()
        .set({ [what]: () => `${what === 'dueAt' ? 'due_at' : 'seen_at'} - ${ms}` })
        .execute();
}

describe('a watched folder', () => {
    it('starts one run for each complete file, the oldest first, with the permissions of the publisher, and never another one', async () => {
        const id = await pipelines.add('stock', { pattern: '*.csv' });
        const one = await process();
        server.put('/in/b.csv', 10, 2_000);
        server.put('/in/a.csv', 10, 3_000);
        server.put('/in/sub/c.csv', 10, 1_000);
        server.put('/in/notes.txt');
        server.put('/in/.d.csv.0011.part');
        await one.look(0);
        expect(await pipelines.runs(id)).toEqual([]);
        await one.look(29);
        expect(server.listings).toHaveLength(1);
        await one.look(31);
        expect(await pipelines.paths(id)).toEqual(['/in/sub/c.csv', '/in/b.csv', '/in/a.csv']);
        expect((await pipelines.runs(id))[0]).toMatchObject({
            status: 'PENDING',
            triggerType: 'FILE',
            triggerKey: 'drop',
            startedByUserId: 7,
            channelId: 3,
            dryRun: false,
            sourceReference: {
                connectionCode: 'supplier',
                under: '/in',
                file: { path: '/in/sub/c.csv', size: 10, modifiedAt: 1_000 },
            },
        });
        for (let at = INTERVAL; at < 5 * INTERVAL; at += INTERVAL) await one.look(at);
        await endAll(one, id);
        for (let at = 5 * INTERVAL; at < 9 * INTERVAL; at += INTERVAL) await one.look(at);
        expect(await pipelines.runs(id)).toHaveLength(3);
        expect(server.listings[0]).toMatchObject({
            under: '/in',
            recursive: true,
            bounds: { depth: 20, entries: 10_000 },
        });
    });

    it('starts another run when a file is overwritten, but never for a file that is still being written', async () => {
        const id = await pipelines.add('stock');
        const one = await process();
        server.put('/in/a.csv', 10, 1_000);
        await one.look(0);
        await one.look(30);
        for (let i = 1; i < 6; i++) {
            server.put('/in/a.csv', 10 + i, 1_000 + i);
            await one.look(30 + i * INTERVAL);
        }
        expect(await pipelines.runs(id)).toHaveLength(1);
        await one.look(60 + 5 * INTERVAL);
        expect((await pipelines.runs(id)).map(({ sourceReference }) => sourceReference)).toMatchObject([
            { file: { size: 10 } },
            { file: { size: 15 } },
        ]);
    });

    it('is listed once an interval, and once more half a minute later if something is new', async () => {
        await pipelines.add('stock');
        const one = await process();
        for (let second = 0; second < 2 * INTERVAL; second += 5) {
            server.put('/in/growing.csv', second, second);
            await one.look(second);
        }
        expect(server.listings).toHaveLength(4);
    });

    it('with 10,000 known files costs one listing a poll, and only the statement that stores the poll', async () => {
        const id = await pipelines.add('many');
        const one = await process();
        server.files = Array.from({ length: 10_000 }, (_, i) => ({ path: `/in/${i}.csv`, size: i, modifiedAt: 1_000 }));
        const rows = server.files.map(file => ({
            pipelineId: id,
            stepKey: 'drop',
            identity: fileIdentity('supplier', file),
            runId: 1,
            state: 'DONE' as const,
            dueAt: 0,
            seenAt: Date.now(),
        }));
        for (let from = 0; from < rows.length; from += 1_000)
            await dataSource
                .createQueryBuilder()
                .insert()
                .into(FlowWatchedFile)
                .values(rows.slice(from, from + 1_000))
                .updateEntity(false)
                .execute();
        await one.look(0);
        one.statements.length = 0;
        await one.look(INTERVAL);
        expect(server.listings).toHaveLength(2);
        expect(one.statements).toHaveLength(1);
        // If something is new, all known files are read at once.
        server.put('/in/new.csv');
        await one.look(2 * INTERVAL);
        expect(one.statements).toHaveLength(3);
        expect(await pipelines.runs(id)).toEqual([]);
    });

    it('starts runs with the revision that has found the file', async () => {
        const id = await pipelines.add('stock');
        const first = (await pipelines.publish(id)) as Id;
        const one = await process();
        server.put('/in/a.csv');
        await one.look(0);
        await one.look(30);
        const second = await pipelines.publish(id);
        await one.triggers.refresh();
        server.put('/in/b.csv');
        await one.look(60);
        await one.look(90);
        expect((await pipelines.runs(id)).map(({ revisionId }) => revisionId)).toEqual([first, second]);
        expect(await pipelines.paths(id)).toEqual(['/in/a.csv', '/in/b.csv']);
    });

    it.each(['FAILED', 'CANCELLED'] as const)(
        'retries a file whose run is %s, after growing waits, until a run completes',
        async status => {
            const id = await pipelines.add('stock');
            const one = await process();
            server.put('/in/a.csv');
            await one.look(0);
            await one.look(30);
            await endAll(one, id, status);
            await one.look(INTERVAL);
            expect(await pipelines.runs(id)).toHaveLength(1);
            expect(await remarks()).toEqual(['FILES_FAILED']);
            await backdate('dueAt', 300_000);
            await one.look(2 * INTERVAL);
            expect(await pipelines.runs(id)).toHaveLength(2);
            await endAll(one, id, status);
            await backdate('dueAt', 300_000);
            await one.look(3 * INTERVAL);
            expect(await pipelines.runs(id)).toHaveLength(2);
            await backdate('dueAt', 300_000);
            await one.look(4 * INTERVAL);
            await endAll(one, id);
            await one.look(5 * INTERVAL);
            await one.look(6 * INTERVAL);
            expect(await pipelines.runs(id)).toHaveLength(3);
            expect(await remarks()).toEqual([]);
        },
    );

    it('forgets a file a week after it was removed, and never a file that is still there', async () => {
        const id = await pipelines.add('stock');
        const one = await process();
        server.put('/in/stays.csv');
        server.put('/in/goes.csv');
        await one.look(0);
        await one.look(30);
        await endAll(one, id);
        server.take('/in/goes.csv');
        const day = 86_400;
        for (let days = 1; days < 20; days++) {
            await backdate('seenAt', day * 1_000);
            await one.look(days * day + INTERVAL);
            const identities = await dataSource.getRepository(FlowWatchedFile).count();
            // The stored time of the last listing may be up to a day old.
            expect([days, identities]).toEqual([days, days < 8 ? 2 : 1]);
        }
        server.put('/in/goes.csv');
        await one.look(20 * day + INTERVAL);
        await one.look(20 * day + INTERVAL + 30);
        expect((await pipelines.paths(id)).filter(path => path === '/in/stays.csv')).toHaveLength(1);
        expect((await pipelines.paths(id)).filter(path => path === '/in/goes.csv')).toHaveLength(2);
    });

    it('takes the files whose names match the pattern, with or without case', async () => {
        const pattern = '{stock,prices}-[0-9]*.csv';
        const exact = await pipelines.add('exact', { pattern });
        const either = await pipelines.add('either', { pattern, ignoreCase: true });
        const others = await pipelines.add('others', { pattern: '!*.csv' });
        const names = ['stock-1.csv', 'prices-2.csv', 'PRICES-3.CSV', 'stock-x.csv', 'notes.txt'];
        for (const [i, name] of names.entries()) server.put(`/in/${name}`, 10, i);
        const one = await process();
        await one.look(0);
        await one.look(30);
        expect(await pipelines.paths(exact)).toEqual(['/in/stock-1.csv', '/in/prices-2.csv']);
        expect(await pipelines.paths(either)).toEqual(['/in/stock-1.csv', '/in/prices-2.csv', '/in/PRICES-3.CSV']);
        expect(await pipelines.paths(others)).toEqual(['/in/PRICES-3.CSV', '/in/notes.txt']);
    });

    it('that cannot be listed has a warning until it can be, and is still watched', async () => {
        const id = await pipelines.add('stock');
        const one = await process();
        server.put('/in/a.csv');
        server.failure = flowError('REMOTE_REFUSED', { host: 'sftp.example.com', problem: 'rejects the login' });
        await one.look(0);
        expect(await remarks()).toEqual(['FILES_UNREACHABLE']);
        await one.look(INTERVAL);
        expect(told.filter(line => line.startsWith('warn'))).toHaveLength(1);
        server.failure = undefined;
        await one.look(2 * INTERVAL);
        expect(await remarks()).toEqual([]);
        await one.look(2 * INTERVAL + 30);
        expect(await pipelines.paths(id)).toEqual(['/in/a.csv']);
    });

    it('with more files than are listed has a warning, forgets nothing meanwhile and takes the listed files', async () => {
        const id = await pipelines.add('stock');
        const one = await process();
        server.put('/in/a.csv');
        server.isCut = true;
        server.notes = Array.from({ length: 9 }, (_, i) =>
            logText('FOLDER_TOO_DEEP', { folder: `folder-${i}`, depth: 8 }),
        );
        await one.look(0);
        await one.look(30);
        expect(await pipelines.paths(id)).toEqual(['/in/a.csv']);
        expect(await remarks()).toEqual(['FILES_LEFT_OUT']);
        const [watch] = await dataSource.getRepository(FlowFileWatch).find();
        expect(watch!.remarks[0]!.message).toContain('folder-8');
        await endAll(one, id);
        server.take('/in/a.csv');
        await backdate('seenAt', 9 * 86_400_000);
        await one.look(2 * 86_400);
        expect(await dataSource.getRepository(FlowWatchedFile).count()).toBe(1);
    });

    it('of a bucket has no key that begins with a slash', async () => {
        await pipelines.add('keys', { path: '/in' });
        server.isBucket = true;
        await (await process()).look(0);
        expect(server.listings).toEqual([]);
        expect(await remarks()).toEqual(['FILES_UNREACHABLE']);
    });

    it('is not watched if its stored configuration is invalid, which is logged; other folders are', async () => {
        const odd = await pipelines.add('odd', { minFileAge: 604_801 });
        const id = await pipelines.add('good');
        const one = await process();
        server.put('/in/a.csv');
        await one.look(0);
        await one.look(30);
        expect(await pipelines.runs(odd)).toEqual([]);
        expect(await pipelines.runs(id)).toHaveLength(1);
        expect(one.triggers.refused()).toMatchObject([{ pipelineId: odd, stepKey: 'drop', channelId: 3 }]);
        expect(one.triggers.refused()[0]!.problem).toContain('minFileAge');
    });
});

describe('processes that watch the same folders', () => {
    it('start one run for each file, even if both believe that they are the leader', async () => {
        const id = await pipelines.add('stock');
        const [one, other] = [await process(), await process()];
        for (let i = 0; i < 20; i++) server.put(`/in/${i}.csv`, 10, i);
        await Promise.all([one.look(0), other.look(0)]);
        await Promise.all([one.look(INTERVAL), other.look(INTERVAL)]);
        expect(new Set(await pipelines.paths(id)).size).toBe(20);
        expect(await pipelines.runs(id)).toHaveLength(20);
        await endAll(one, id, 'FAILED');
        await backdate('dueAt', 300_000);
        await Promise.all([one.look(2 * INTERVAL), other.look(2 * INTERVAL)]);
        expect(await pipelines.runs(id)).toHaveLength(40);
    });

    it('continue after the leader has died, with the files that it has taken and at its intervals', async () => {
        const id = await pipelines.add('stock');
        const one = await process();
        server.put('/in/a.csv');
        await one.look(0);
        await one.look(30);
        server.put('/in/b.csv');
        const other = await process();
        // It was polled a moment ago.
        await other.look(1_000);
        expect(server.listings).toHaveLength(2);
        await other.look(1_000 + INTERVAL);
        await other.look(1_000 + INTERVAL + 30);
        expect(await pipelines.paths(id)).toEqual(['/in/a.csv', '/in/b.csv']);
    });

    /** Moves the times of the last polls into the past, as if the database's clock had advanced. */
    const passed = (seconds: number) =>
        dataSource
            .getRepository(FlowFileWatch)
            .createQueryBuilder()
            .update()
            .set({ polledAt: () => `polled_at - ${seconds * 1_000}` })
            .execute();

    it('need one listing each if none of them lives for half a minute', async () => {
        const id = await pipelines.add('stock');
        server.put('/in/a.csv');
        await (await process()).look(0);
        for (let lives = 1; lives <= 5; lives++) {
            await passed(5);
            await (await process()).look(1_000 * lives);
            expect([lives, server.listings.length]).toEqual([lives, 1]);
        }
        await passed(5);
        await (await process()).look(9_000);
        expect(server.listings).toHaveLength(2);
        expect(await pipelines.paths(id)).toEqual(['/in/a.csv']);
        // It is known from now on.
        await passed(INTERVAL);
        await (await process()).look(20_000);
        expect(await pipelines.runs(id)).toHaveLength(1);
    });

    it('do not consider a file complete that has changed since the other one listed it, or that was listed just now', async () => {
        const id = await pipelines.add('stock', { pollIntervalMs: 30_000 });
        server.put('/in/a.csv', 10);
        server.put('/in/b.csv', 10);
        await (await process()).look(0);
        server.put('/in/a.csv', 20);
        await passed(30);
        const other = await process();
        await other.look(1_000);
        expect(await pipelines.paths(id)).toEqual(['/in/b.csv']);
        server.put('/in/c.csv', 10);
        await other.look(1_030);
        expect(await pipelines.paths(id)).toEqual(['/in/b.csv', '/in/a.csv']);
        // The database's clock was set back: earlier listings do not count.
        await passed(-3_600);
        const third = await process();
        await third.look(5_000);
        expect(await pipelines.runs(id)).toHaveLength(2);
        await third.look(5_030);
        expect(await pipelines.runs(id)).toHaveLength(3);
    });

    it('start nothing when another process is the leader', async () => {
        const id = await pipelines.add('stock');
        const one = await process();
        server.put('/in/a.csv');
        await one.look(0);
        const leading = new AbortController();
        let answer = (): void => undefined;
        server.held = new Promise(resolve => (answer = resolve));
        const looking = one.look(INTERVAL, leading.signal);
        leading.abort(new Error('another process leads'));
        answer();
        await looking;
        expect(await pipelines.runs(id)).toEqual([]);
    });

    it('send one request to a server at a time, and requests to other servers meanwhile', async () => {
        await pipelines.add('slow');
        await pipelines.add('same-server');
        await pipelines.add('other-server', { connectionCode: 'other' });
        const one = await process();
        let answer = (): void => undefined;
        server.held = new Promise(resolve => (answer = resolve));
        const looking = one.look(0);
        while (server.listings.length < 2) await new Promise(resolve => setImmediate(resolve));
        for (let i = 0; i < 50; i++) await new Promise(resolve => setImmediate(resolve));
        expect(server.listings).toHaveLength(2);
        answer();
        await looking;
        expect(server.listings).toHaveLength(3);
    });

    it('watch at most 500 folders', async () => {
        for (let i = 0; i < 501; i++) await pipelines.add(`p${i}`, { connectionCode: `c${i % 50}` });
        const one = await process();
        await one.look(0);
        expect(server.listings).toHaveLength(500);
    });
});

import type { TransactionalConnection, TransactionSubscriber } from '@vendure/core';
import type { LogText } from '../../core/log/log-text';
import type { DataSource } from 'typeorm';
import type { FoundFile } from '../../core/adapter/source-reference';
import type { JsonObject } from '../../core/value/json';
import { databaseOf } from '../../database/open-database';
import type { Listing, RemoteFiles, RemotePage } from '../../io/remote/remote-files';
import { FlowPipeline } from '../entities/pipeline';
import { FlowPipelineRevision } from '../entities/revision';
import { FlowPipelineRun } from '../entities/run';
import { periodicsOf } from '../periodic-jobs/periodic-jobs.fixture';
import type { RunQueue } from '../runs/run-queue';
import { RunStarter } from '../runs/run-starter';
import { RunStores } from '../runs/run-stores';
import type { SecretDestinations } from '../secrets/secret-destinations';
import { setUp } from '../setup';
import { LoggedDatabase } from '../stores/logged-database';
import { ActiveTriggers } from '../triggers/active-triggers';
import { ProcessTaskQueue } from '../process-task-queue';
import { FileWatcher } from './file-watcher';
import type { WatchedServers } from './watched-servers';

/** A server whose folder is a list. It records the requests that it receives. */
export class ListedServer implements Pick<WatchedServers, 'open'> {
    files: FoundFile[] = [];
    notes: LogText[] = [];
    isCut = false;
    /** Thrown instead of returning a listing. */
    failure: Error | undefined;
    /** Delays listings until it resolves. */
    held: Promise<void> | undefined;
    isBucket = false;
    readonly listings: Listing[] = [];

    open(): ReturnType<WatchedServers['open']> {
        const list = (listing: Listing): AsyncGenerator<RemotePage, void, void> => this.list(listing);
        const files = { list } as unknown as RemoteFiles;
        return Promise.resolve({ files, isBucket: this.isBucket, close: () => undefined });
    }

    put(path: string, size = 10, modifiedAt = 1_000): void {
        this.files = [...this.files.filter(file => file.path !== path), { path, size, modifiedAt }];
    }

    take(path: string): void {
        this.files = this.files.filter(file => file.path !== path);
    }

    private async *list(listing: Listing): AsyncGenerator<RemotePage, void, void> {
        this.listings.push(listing);
        await this.held;
        if (this.failure) throw this.failure;
        const files = this.files.map(file => ({ ...file, modifiedAt: file.modifiedAt }));
        yield { files, notes: this.notes, ...(this.isCut && { isCut: true }) };
    }
}

/** A process that watches folders, without a server. */
export interface WatchingProcess {
    readonly watcher: FileWatcher;
    readonly triggers: ActiveTriggers;
    readonly stores: RunStores;
    /** The SQL statements that it has sent. */
    readonly statements: string[];
    /** Polls at a time of its steady clock, in seconds, and waits until all due polls have ended. */
    look(second: number, signal?: AbortSignal): Promise<void>;
}

/** The wall-clock time at second 0 of the steady clock. */
const WALL_MS = Date.UTC(2026, 4, 4);

/** A separate process on a database with Flow's tables. */
export async function watchingOn(dataSource: DataSource, server: ListedServer): Promise<WatchingProcess> {
    const connection = { rawConnection: dataSource } as TransactionalConnection;
    const statements: string[] = [];
    const database = new LoggedDatabase(databaseOf(dataSource), text => void statements.push(text));
    const setup = setUp({});
    const triggers = new ActiveTriggers(connection, database, setup, periodicsOf());
    const queue = { add: () => Promise.resolve(true), addSoon: () => undefined } as unknown as RunQueue;
    const noTransactions = {} as TransactionSubscriber;
    const anywhere = { assert: () => Promise.resolve() } as unknown as SecretDestinations;
    const starter = new RunStarter(
        connection,
        database,
        queue,
        new ProcessTaskQueue(),
        noTransactions,
        anywhere,
        setup,
    );
    const stores = new RunStores(connection, database, setup);
    const servers = server as unknown as WatchedServers;
    const watcher = new FileWatcher(triggers, servers, starter, stores, periodicsOf(), setup);
    await triggers.refresh();
    return {
        watcher,
        triggers,
        stores,
        statements,
        look: async (second, signal = new AbortController().signal) => {
            const steadyMs = second * 1_000;
            await watcher.look(signal, { steadyMs, wallMs: WALL_MS + steadyMs });
            await watcher.idle();
        },
    };
}

/** Pipelines that a folder starts, and the status of their runs. */
export class WatchedPipelines {
    constructor(private readonly dataSource: DataSource) {}

    /** Adds a pipeline whose trigger `drop` watches /in of the connection `supplier`, with the given changes. */
    async add(code: string, fileWatch: JsonObject = {}): Promise<FlowPipeline['id']> {
        const { id } = await this.dataSource
            .getRepository(FlowPipeline)
            .save(new FlowPipeline({ code, name: code, channelId: 3 }));
        await this.publish(id, fileWatch);
        return id;
    }

    /** Returns the id of the revision. */
    async publish(pipelineId: FlowPipeline['id'], fileWatch: JsonObject = {}): Promise<FlowPipelineRevision['id']> {
        const revisions = this.dataSource.getRepository(FlowPipelineRevision);
        const number = 1 + (await revisions.countBy({ pipelineId }));
        const watch = { connectionCode: 'supplier', path: '/in', ...fileWatch };
        const steps = [
            { key: 'drop', kind: 'TRIGGER', config: { type: 'FILE', fileWatch: watch } },
            {
                key: 'read',
                kind: 'EXTRACT',
                config: { adapterCode: 'ftp', connectionCode: 'supplier', remotePath: '/in' },
            },
        ];
        const definition = { version: 1, steps, edges: [{ from: 'drop', to: 'read' }] };
        const revision = { pipelineId, number, definition, digest: '', publishedBy: 7 };
        const { id } = await revisions.save(Object.assign(new FlowPipelineRevision(), revision));
        await this.dataSource.getRepository(FlowPipeline).update({ id: pipelineId }, { selectedRevisionId: id });
        return id;
    }

    /** Its runs, oldest first. */
    runs(pipelineId: FlowPipeline['id']): Promise<FlowPipelineRun[]> {
        return this.dataSource.getRepository(FlowPipelineRun).find({ where: { pipelineId }, order: { id: 'ASC' } });
    }

    /** The paths of the files that its runs read. */
    async paths(pipelineId: FlowPipeline['id']): Promise<readonly string[]> {
        return (await this.runs(pipelineId)).map(({ sourceReference }) =>
            sourceReference && 'file' in sourceReference ? sourceReference.file.path : '?',
        );
    }
}

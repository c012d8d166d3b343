import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../src';
import { scratchFolder } from '../../test/servers/process';
import { type SftpServer, startSftp } from '../../test/servers/sftp-server';
import { as, type PipelineAnswer } from '../fixtures/authoring-api';
import { connectionsOf } from '../fixtures/resource-api';
import type { CrashBench } from './crash-bench';
import { counted, tagged } from './killed-at-a-line';

/** Named after what happens to the files of a folder once they are loaded. */
export const FOLDERS = ['moved', 'deleted'] as const;
export type Folder = (typeof FOLDERS)[number];

const AFTERWARDS: Readonly<Record<Folder, JsonObject>> = {
    moved: { moveAfterProcess: { enabled: true, destinationPath: '/done' } },
    deleted: { deleteAfterProcess: true },
};

/** Folders of an SFTP server with files of one record each, which writes a tag; and the connection to the server. */
export class AcknowledgedFolders {
    /** The same in both folders. */
    readonly names: string[] = [];

    private constructor(
        private readonly bench: CrashBench,
        /** The code of its connection, and the prefix of all that it creates. */
        readonly code: string,
        private readonly place: { readonly root: string; readonly server: SftpServer },
    ) {}

    static async open(bench: CrashBench): Promise<AcknowledgedFolders> {
        const code = `ack-${Date.now().toString(36)}`;
        const root = scratchFolder();
        for (const folder of FOLDERS) mkdirSync(join(root, folder));
        const server = await startSftp({ folder: root, password: 'test' });
        await connectionsOf(bench.shop.adminClient).create({
            code,
            type: 'SFTP',
            settings: { host: '127.0.0.1', port: server.port, username: 'shop', passwordSecretCode: 'test' },
        });
        return new AcknowledgedFolders(bench, code, { root, server });
    }

    close(): Promise<void> {
        return this.place.server.close();
    }

    /** Adds this number of files to each folder. */
    add(many: number): void {
        const { names, place } = this;
        for (let i = 0; i < many; i++) {
            const name = `${String(names.length).padStart(5, '0')}.csv`;
            for (const folder of FOLDERS)
                writeFileSync(join(place.root, folder, name), `sku\n${this.skuOf(folder, name)}\n`);
            names.push(name);
        }
    }

    /** The number of files in both folders. */
    get left(): number {
        return FOLDERS.flatMap(folder => this.in(folder)).length;
    }

    /** The number of pending actions on files that have been read. */
    due(): Promise<number> {
        return counted(this.bench, 'SELECT count(*) AS n FROM flow_remote_action');
    }

    publish(name: string, definition: JsonObject): Promise<PipelineAnswer> {
        const author = as(this.bench.shop.adminClient);
        return author.create({ code: `${this.code}-${name}`, definition }).then(made => author.publish(made));
    }

    /** Returns a step that reads a folder. */
    reading(folder: Folder, key: string): JsonObject {
        const config = { adapterCode: 'ftp', connectionCode: this.code, remotePath: `/${folder}` };
        return { key, kind: 'EXTRACT', config: { ...config, ...AFTERWARDS[folder] } };
    }

    /** Returns removed files without a tag: they were removed before they were loaded. */
    async lost(): Promise<readonly string[]> {
        const gone = FOLDERS.flatMap(folder => {
            const there = new Set(this.in(folder));
            return this.names.filter(name => !there.has(name)).map(name => this.skuOf(folder, name));
        });
        const tags = await tagged(this.bench, `${this.code}-`);
        return gone.filter(sku => !tags.has(sku)).map(sku => `${sku} was removed before it was loaded`);
    }

    /**
     * Returns files that were not loaded exactly once, that are left, or that are missing in the folder to which they
     * should be moved.
     */
    async differences(): Promise<readonly string[]> {
        const { names } = this;
        const tags = await tagged(this.bench, `${this.code}-`);
        const skus = FOLDERS.flatMap(folder => names.map(name => this.skuOf(folder, name)));
        const done = new Set(this.in('done'));
        return [
            ...skus.filter(sku => tags.get(sku) !== 1).map(sku => `${sku}: ${tags.get(sku) ?? 0} times`),
            ...FOLDERS.flatMap(folder => this.in(folder).map(name => `${folder}/${name} is left`)),
            ...names.filter(name => !done.has(name)).map(name => `${name} was not moved`),
            ...(done.size === names.length ? [] : [`${done.size} files were moved of ${names.length}`]),
        ];
    }

    private in(folder: Folder | 'done'): readonly string[] {
        return readdirSync(join(this.place.root, folder));
    }

    private skuOf(folder: Folder, name: string): string {
        return `${this.code}-${folder}-${name.slice(0, 5)}`;
    }
}

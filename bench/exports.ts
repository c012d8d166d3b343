import { Parser } from '@json2csv/plainjs';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExportPart, ExportStore } from '../src/core/adapter/exports';
import type { JsonObject } from '../src/core/value/json';
import { LocalDisk } from '../src/io/storage/local-disk';
import type { SinkDuel } from './sinks';

const SIDE_BY_SIDE = 20;

/** Parts and files are on a disk, as in a shop. What would be database rows is in memory. */
function diskExports(folder: string): ExportStore {
    const disk = new LocalDisk(folder);
    const parts = new Map<string, Omit<ExportPart, 'content'> & { readonly blobKey: string }>();
    const newKey = (): string => randomUUID().replaceAll('-', '');
    return {
        async put(_, { content, ...part }, signal) {
            const blobKey = newKey();
            await disk.put(blobKey, only(content), signal);
            parts.set(part.key, { ...part, blobKey });
        },
        parts: async () =>
            [...parts.values()].map(({ blobKey, ...part }) => ({
                ...part,
                open: signal => disk.open(blobKey, signal),
            })),
        async draft(bytes, signal) {
            const [blobKey, hash] = [newKey(), createHash('sha256')];
            let size = 0;
            const measured = async function* () {
                for await (const chunk of bytes) {
                    size += chunk.length;
                    hash.update(chunk);
                    yield chunk;
                }
            };
            await disk.put(blobKey, measured(), signal);
            const content = {
                open: (stop: AbortSignal) => disk.open(blobKey, stop),
                local: (stop: AbortSignal) => disk.local(blobKey, stop),
            };
            const publish = async () => ({ id: blobKey });
            return { size, sha256: hash.digest('hex'), content, publish, discard: async () => undefined };
        },
        async clear() {
            // The same as in RunExports.
            const keys = [...parts.values()].map(({ blobKey }) => blobKey);
            for (let from = 0; from < keys.length; from += SIDE_BY_SIDE)
                await Promise.all(keys.slice(from, from + SIDE_BY_SIDE).map(key => disk.delete(key)));
            parts.clear();
        },
    };
}

async function* only(content: Uint8Array): AsyncGenerator<Uint8Array> {
    yield content;
}

/** Compares a CSV file with the fastest CSV writer on npm. */
export async function exportDuel(): Promise<SinkDuel & { close(): Promise<void> }> {
    const folder = await mkdtemp(join(tmpdir(), 'flow-bench-exports-'));
    return {
        code: 'fileExport',
        title: 'fileExport, CSV',
        config: { format: 'CSV', columns: ['id', 'title', 'amount', 'brand', 'colour', 'tags', 'stock'] },
        exports: diskExports(join(folder, 'flow')),
        async bare(parts: () => Iterable<JsonObject[]>) {
            const file = createWriteStream(join(folder, 'bare.csv'));
            let header = true;
            for (const part of parts()) {
                const text = new Parser({ header }).parse(part);
                header = false;
                if (!file.write(`${text}\n`)) await once(file, 'drain');
            }
            file.end();
            await once(file, 'close');
        },
        close: () => rm(folder, { recursive: true, force: true }),
    };
}

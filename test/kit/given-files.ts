import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileStore, ManagedFile } from '../../src/core/adapter/files';

/** What a file holds, and what it was found to be. */
export interface GivenFile {
    readonly format: string;
    readonly bytes: Buffer;
}

/** Files as a run finds them, in a folder of their own until `remove` is called. They are read in small pieces. */
export function givenFiles(
    files: Readonly<Record<string, GivenFile>>,
): FileStore & { remove(): void; readonly released: string[] } {
    const folder = mkdtempSync(join(tmpdir(), 'flow-files-'));
    const released: string[] = [];
    const found = new Map(
        Object.entries(files).map(([id, { format, bytes }]): [string, ManagedFile] => {
            const path = join(folder, id);
            writeFileSync(path, bytes);
            const sha256 = createHash('sha256').update(bytes).digest('hex');
            return [
                id,
                {
                    id,
                    filename: `${id}.${format}`,
                    format,
                    sha256,
                    size: bytes.length,
                    content: {
                        async *open(signal) {
                            for (let from = 0; from < bytes.length; from += 4_000) {
                                signal.throwIfAborted();
                                yield bytes.subarray(from, from + 4_000);
                            }
                        },
                        local: async () => ({ path, release: async () => void released.push(id) }),
                    },
                },
            ];
        }),
    );
    return {
        find: async id => found.get(id),
        remove: () => rmSync(folder, { recursive: true, force: true }),
        released,
    };
}

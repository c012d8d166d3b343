import { createReadStream } from 'node:fs';
import type { ByteSource } from '../../../core/adapter/files';

/** A file of this machine as a source, for a process that has nothing but its path. */
export function localSource(path: string): ByteSource {
    return {
        open: signal => createReadStream(path, { signal }),
        local: () => Promise.resolve({ path, release: () => Promise.resolve() }),
    };
}

import type { Blobs } from '../../io/storage/blobs';
import { LocalDisk } from '../../io/storage/local-disk';
import { ObjectStorage } from '../../io/storage/object-storage';
import type { FileStorageOptions } from '../options/options';

/** The default directory for files, relative to the working directory of the process. */
const DEFAULT_DIRECTORY = 'static/flow-files';

/** The configured storage. Nothing is created until it is used. */
export function fileStorage(options: FileStorageOptions): Blobs {
    if (options.type === 'objectStorage') return new ObjectStorage(options);
    return new LocalDisk(options.directory ?? DEFAULT_DIRECTORY);
}

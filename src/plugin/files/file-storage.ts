import type { Blobs } from '../../io/storage/blobs';
import { LocalDisk } from '../../io/storage/local-disk';
import { ObjectStorage } from '../../io/storage/object-storage';
import type { FileStorageOptions } from '../options/options';

/** Where files lie when nobody says otherwise, within the working directory of the process. */
const DEFAULT_DIRECTORY = 'static/flow-files';

/** The storage that the options name. Touches nothing until it is used. */
export function fileStorage(options: FileStorageOptions): Blobs {
    if (options.type === 'objectStorage') return new ObjectStorage(options);
    return new LocalDisk(options.directory ?? DEFAULT_DIRECTORY);
}

import { isJsonObject, type JsonObject } from '../../core/value/json';
import type { RemoteFile } from '../../io/remote/remote-files';

/** What is done to a file elsewhere once the run that has read it is COMPLETED. As JSON. */
export interface RemoteAction {
    readonly kind: 'remote';
    readonly action: 'DELETE' | 'MOVE';
    /** The file as it was read. A file that has changed since is left unchanged. */
    readonly file: RemoteFile;
    /** Where it is moved. */
    readonly to?: string | undefined;
}

/** Whether stored JSON is one. */
export function isRemoteAction(value: JsonObject): value is JsonObject & RemoteAction {
    return value['kind'] === 'remote' && isJsonObject(value['file']);
}

import type { JsonObject } from '../../core/value/json';
import type { RemoteFile } from '../../io/remote/remote-files';
import type { RemoteTarget } from '../remote-files/open-remote';
import type { RemoteAction } from '../remote-files/remote-action';
import type { RemoteConfig } from './remote-config';

/** What of which folder is read, and what becomes of it. */
export interface RemoteReading {
    readonly target: RemoteTarget;
    /** The step's own words of it, for its checkpoint and for what is done afterwards. */
    readonly connectionCode: string | undefined;
    readonly config: RemoteConfig;
    readonly under: string;
    readonly recursive: boolean;
    /** Which names are read, as the step says it; a place that was saved for other names is not that of these. */
    readonly names?: JsonObject;
    /** Of files below `under`, by their paths. */
    matches(path: string): boolean;
    readonly maxFiles: number;
    /** Files of just that moment are read as well. */
    readonly isInclusive: boolean;
    /** Under which field a record says where it comes from, and what; undefined where it does not. */
    readonly metadata?: (file: RemoteFile) => { readonly field: string; readonly value: JsonObject };
    /** Where a file goes once the run has completed; undefined where it stays. */
    readonly afterwards?: (file: RemoteFile) => Pick<RemoteAction, 'action' | 'to'> | undefined;
}

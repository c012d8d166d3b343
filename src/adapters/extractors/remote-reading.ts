import type { JsonObject } from '../../core/value/json';
import type { RemoteFile } from '../../io/remote/remote-files';
import type { RemoteTarget } from '../remote-files/open-remote';
import type { RemoteAction } from '../remote-files/remote-action';
import type { RemoteConfig } from './remote-config';

/** The folder and the files that are read, and what is done with the files afterwards. */
export interface RemoteReading {
    readonly target: RemoteTarget;
    /** The step's own settings for it, for its checkpoint and for the work after the run. */
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
    /** The field in which a record names its file, and the facts in it; undefined if there is none. */
    readonly metadata?: (file: RemoteFile) => { readonly field: string; readonly value: JsonObject };
    /** The target of a file once the run has completed; undefined if the file stays. */
    readonly afterwards?: (file: RemoteFile) => Pick<RemoteAction, 'action' | 'to'> | undefined;
}

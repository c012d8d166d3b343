import type { ID } from '@vendure/common/lib/shared-types';
import type { JsonObject } from '../../core/value/json';
import { Column, Entity } from 'typeorm';
import type { FirstListings } from '../../core/triggers/stability-window';
import { epochMs, idColumn, keyText, longJson } from './columns';

/** The state of a file: its run is open, has completed, or has not completed, so that the file must be taken again. */
type WatchedFileState = 'OPEN' | 'DONE' | 'FAILED';

/** A remote file that a FILE trigger has found, and for which it has started a run. */
@Entity('flow_watched_file')
export class FlowWatchedFile {
    @Column(idColumn({ name: 'pipeline_id', primary: true }))
    pipelineId: ID;

    /** The key of the trigger. */
    @Column(keyText({ name: 'step_key', length: 64, primary: true }))
    stepKey: string;

    /** The digest of its connection, path, size, time and ETag. */
    @Column(keyText({ name: 'identity', length: 64, primary: true }))
    identity: string;

    /** The last run that was started for it. */
    @Column(idColumn({ name: 'run_id' }))
    runId: ID;

    @Column({ type: 'varchar', name: 'state', length: 16 })
    state: WatchedFileState;

    /** How many runs were started for it. */
    @Column({ type: 'int', name: 'attempts', default: 1 })
    attempts: number;

    /** If its run has failed: the file is not taken again before this time of the database's clock. */
    @Column(epochMs({ name: 'due_at' }))
    dueAt: number;

    /** When it was last listed, accurate to a day. By the database's clock. */
    @Column(epochMs({ name: 'seen_at' }))
    seenAt: number;
}

/** A problem of the trigger's server, or a limit that was reached, for users. */
export interface WatchNote extends JsonObject {
    readonly code: 'FILES_UNREACHABLE' | 'FILES_LEFT_OUT' | 'FILES_FAILED';
    readonly message: string;
    /** What the message consists of. */
    readonly facts: JsonObject;
}

/** The last poll of a FILE trigger, by any process. */
@Entity('flow_file_watch')
export class FlowFileWatch {
    @Column(idColumn({ name: 'pipeline_id', primary: true }))
    pipelineId: ID;

    @Column(keyText({ name: 'step_key', length: 64, primary: true }))
    stepKey: string;

    /** The revision of the polled trigger. A trigger of another revision is polled at once. */
    @Column(idColumn({ name: 'revision_id' }))
    revisionId: ID;

    /** By the database's clock. */
    @Column(epochMs({ name: 'polled_at' }))
    polledAt: number;

    @Column(longJson({ name: 'remarks' }))
    remarks: readonly WatchNote[];

    /** Which files have been listed, and since when, so that the next leader need not start again. */
    @Column(longJson({ name: 'first_listings', nullable: true }))
    firstListings: FirstListings | null;
}

import type { ID } from '@vendure/common/lib/shared-types';
import { Column, Entity } from 'typeorm';
import type { FirstListings } from '../../core/triggers/stability-window';
import { epochMs, idColumn, keyText, longJson } from './columns';

/** What has become of a file: its run is not over, has completed, or has not, so that the file is to be taken again. */
export type WatchedFileState = 'OPEN' | 'DONE' | 'FAILED';

/** A file elsewhere that a FILE trigger has found, and started a run for. */
@Entity('flow_watched_file')
export class FlowWatchedFile {
    @Column(idColumn({ name: 'pipeline_id', primary: true }))
    pipelineId: ID;

    /** Of the trigger. */
    @Column(keyText({ name: 'step_key', length: 64, primary: true }))
    stepKey: string;

    /** Its connection, path, size, time and ETag, as a digest. */
    @Column(keyText({ name: 'identity', length: 64, primary: true }))
    identity: string;

    /** The last one that was started for it. */
    @Column(idColumn({ name: 'run_id' }))
    runId: ID;

    @Column({ type: 'varchar', name: 'state', length: 16 })
    state: WatchedFileState;

    /** How many runs were started for it. */
    @Column({ type: 'int', name: 'attempts', default: 1 })
    attempts: number;

    /** Where its run has failed: it is not taken again before. By the database's clock. */
    @Column(epochMs({ name: 'due_at' }))
    dueAt: number;

    /** When it lay there, to a day. By the database's clock. */
    @Column(epochMs({ name: 'seen_at' }))
    seenAt: number;
}

/** What the trigger's own server does, or what it has too much of, for people. */
export interface WatchNote {
    readonly code: 'FILES_UNREACHABLE' | 'FILES_LEFT_OUT' | 'FILES_FAILED';
    readonly message: string;
}

/** A FILE trigger as it was polled last, by whichever process. */
@Entity('flow_file_watch')
export class FlowFileWatch {
    @Column(idColumn({ name: 'pipeline_id', primary: true }))
    pipelineId: ID;

    @Column(keyText({ name: 'step_key', length: 64, primary: true }))
    stepKey: string;

    /** Which has the trigger as it was polled: with another one it is polled at once. */
    @Column(idColumn({ name: 'revision_id' }))
    revisionId: ID;

    /** By the database's clock. */
    @Column(epochMs({ name: 'polled_at' }))
    polledAt: number;

    @Column(longJson({ name: 'remarks' }))
    remarks: readonly WatchNote[];

    /** Which files have been listed, and since when: a process that dies must not make the next one begin again. */
    @Column(longJson({ name: 'first_listings', nullable: true }))
    firstListings: FirstListings | null;
}

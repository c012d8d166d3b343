import { Inject, Injectable } from '@nestjs/common';
import { Logger, TransactionalConnection } from '@vendure/core';
import type { Blobs } from '../../io/storage/blobs';
import type { Database } from '../../database/database';
import type { Id } from '../../database/write';
import type { FlowSetup } from '../setup';
import { FLOW_DATABASE, FLOW_FILES, FLOW_SETUP, LOG_CONTEXT } from '../tokens';
import { ExportParts } from './export-parts';
import { FileRows, type RemovableFile } from './file-rows';
import { PublicIds } from '../../platform/public-ids';
import { filesInUse } from './file-use';

const BATCH = 100;
const DAY_MS = 24 * 60 * 60 * 1000;
/** If more contents than this cannot be deleted, the storage itself does not work, and the sweep ends. */
const MAX_FAULTS = 1_000;

/** The numbers of removed files. */
export interface RemovedFileCounts {
    readonly expired: number;
    readonly orphans: number;
}

/**
 * Removes files: first they are hidden, then their content is deleted, then the row. If a removal is interrupted, the file stays hidden and
 * the next sweep removes it. Several processes may sweep at once.
 */
@Injectable()
export class FileRemoval {
    private readonly rows: FileRows;
    private readonly parts: ExportParts;

    constructor(
        private readonly connection: TransactionalConnection,
        private readonly ids: PublicIds,
        @Inject(FLOW_FILES) private readonly blobs: Blobs,
        @Inject(FLOW_DATABASE) database: Database,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {
        this.rows = new FileRows(connection.rawConnection, database);
        this.parts = new ExportParts(connection.rawConnection, database);
    }

    /** Removes one file. Returns false if another process removes it. */
    async remove({ id, blobKey }: Pick<RemovableFile, 'id' | 'blobKey'>): Promise<boolean> {
        if (!(await this.rows.mark(id))) return false;
        await this.blobs.delete(blobKey);
        await this.rows.remove(id);
        return true;
    }

    /**
     * Removes expired files that no open run reads, the rest of interrupted removals, parts of incomplete exports, and contents without a
     * file that are older than a day (an upload stores its content before its row). The next sweep retries what cannot be deleted.
     */
    async sweep(signal: AbortSignal): Promise<RemovedFileCounts> {
        const deletions = new Deletions(this.blobs, signal);
        const expired = (await this.sweepHidden(deletions)) + (await this.sweepExpired(deletions));
        const orphans = (await this.sweepParts(deletions)) + (await this.sweepOrphans(deletions));
        const swept = { expired, orphans };
        const { faults: issues } = deletions;
        if (issues.length > 0)
            Logger.warn(
                `${issues.length} contents of removed files could not be deleted; the next sweep tries again. The first error: ${String(issues[0])}`,
                LOG_CONTEXT,
            );
        return swept;
    }

    private async sweepHidden(deletions: Deletions): Promise<number> {
        let swept = 0;
        const failed: Id[] = [];
        for (;;) {
            const files = await this.rows.hidden({ limit: BATCH, except: failed });
            for (const { id, blobKey } of files) {
                if (deletions.signal.aborted) return swept;
                if (await deletions.delete(blobKey)) {
                    await this.rows.remove(id);
                    swept++;
                } else {
                    failed.push(id);
                }
            }
            if (files.length < BATCH) return swept;
        }
    }

    private async sweepExpired(deletions: Deletions): Promise<number> {
        let swept = 0;
        for (;;) {
            // Read again for each batch, because a run may have started with a file before it expired.
            const named = await filesInUse(this.connection.rawConnection, this.setup.registry);
            const used = [...named].map(id => String(this.ids.decode(id))).filter(id => this.rows.isId(id));
            const files = await this.rows.expired({ now: new Date(), limit: BATCH, except: this.rows.asIds(used) });
            for (const { id, blobKey } of files) {
                if (deletions.signal.aborted) return swept;
                if (!(await this.rows.mark(id)) || !(await deletions.delete(blobKey))) continue;
                await this.rows.remove(id);
                swept++;
            }
            if (files.length < BATCH) return swept;
        }
    }

    /** Removes the parts of exports whose runs ended before the exports were complete. */
    private async sweepParts(deletions: Deletions): Promise<number> {
        let swept = 0;
        for (;;) {
            const left = await this.parts.left(BATCH);
            for (const { runId, stepKey, partKey, blobKey } of left) {
                if (deletions.signal.aborted || !(await deletions.delete(blobKey))) return swept;
                await this.parts.remove({ runId, stepKey }, [partKey]);
                swept++;
            }
            if (left.length < BATCH) return swept;
        }
    }

    private async sweepOrphans(deletions: Deletions): Promise<number> {
        const { signal } = deletions;
        let swept = 0;
        let keys: string[] = [];
        const sweepKeys = async (): Promise<void> => {
            const known = new Set([...(await this.rows.known(keys)), ...(await this.parts.known(keys))]);
            for (const key of keys.filter(each => !known.has(each))) {
                if (signal.aborted) return;
                if (await deletions.delete(key)) swept++;
            }
            keys = [];
        };
        for await (const { key } of this.blobs.olderThan(new Date(Date.now() - DAY_MS), signal)) {
            keys.push(key);
            if (keys.length === BATCH) await sweepKeys();
        }
        if (keys.length > 0) await sweepKeys();
        return swept;
    }
}

/** The deletions of one sweep. One failed deletion does not end the others. */
class Deletions {
    readonly faults: unknown[] = [];

    constructor(
        private readonly blobs: Blobs,
        readonly signal: AbortSignal,
    ) {}

    /** Returns false if the storage rejects the deletion. Throws its error after too many rejections. */
    async delete(key: string): Promise<boolean> {
        try {
            await this.blobs.delete(key);
            return true;
        } catch (error) {
            if (this.faults.length >= MAX_FAULTS) throw error;
            this.faults.push(error);
            return false;
        }
    }
}

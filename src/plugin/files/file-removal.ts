import { Inject, Injectable } from '@nestjs/common';
import { TransactionalConnection } from '@vendure/core';
import type { Blobs } from '../../io/storage/blobs';
import type { Database } from '../../platform/sql/database';
import type { Id } from '../../platform/sql/write';
import { FLOW_DATABASE, FLOW_FILES } from '../tokens';
import { FileRows, type RemovableFile } from './file-rows';
import { filesInUse } from './file-use';

const BATCH = 100;
const DAY_MS = 24 * 60 * 60 * 1000;

/** How many went. */
export interface SweptFiles {
    readonly expired: number;
    readonly orphans: number;
}

/**
 * Removes files: hidden first, then their content, then the row. Whoever breaks off in between leaves a hidden file, which the next sweep
 * removes; several may sweep at once.
 */
@Injectable()
export class FileRemoval {
    private readonly rows: FileRows;

    constructor(
        private readonly connection: TransactionalConnection,
        @Inject(FLOW_FILES) private readonly blobs: Blobs,
        @Inject(FLOW_DATABASE) database: Database,
    ) {
        this.rows = new FileRows(connection.rawConnection, database);
    }

    /** Removes one file; false where somebody else does. */
    async remove(file: Pick<RemovableFile, 'id' | 'blobKey'>): Promise<boolean> {
        if (!(await this.rows.mark(file.id))) return false;
        await this.finish(file);
        return true;
    }

    /**
     * Removes what has expired and no open run reads, what an earlier removal has left, and contents without a file that are older than a day
     * (an upload stores its content before its row).
     */
    async sweep(signal: AbortSignal): Promise<SweptFiles> {
        return { expired: (await this.sweepHidden(signal)) + (await this.sweepExpired(signal)), orphans: await this.sweepOrphans(signal) };
    }

    private async sweepHidden(signal: AbortSignal): Promise<number> {
        let swept = 0;
        for (;;) {
            const files = await this.rows.hidden(BATCH);
            for (const file of files) {
                if (signal.aborted) return swept;
                await this.finish(file);
                swept++;
            }
            if (files.length < BATCH) return swept;
        }
    }

    private async sweepExpired(signal: AbortSignal): Promise<number> {
        let swept = 0;
        for (;;) {
            // Asked anew for each batch: a run may have started with a file that was not expired then.
            const used = [...(await filesInUse(this.connection.rawConnection))].filter(id => this.rows.isId(id));
            const files = await this.rows.expired({ now: new Date(), limit: BATCH, except: this.rows.asIds(used) });
            for (const file of files) {
                if (signal.aborted) return swept;
                if (await this.remove(file)) swept++;
            }
            if (files.length < BATCH) return swept;
        }
    }

    private async sweepOrphans(signal: AbortSignal): Promise<number> {
        let swept = 0;
        let keys: string[] = [];
        const sweepKeys = async (): Promise<void> => {
            const known = await this.rows.known(keys);
            for (const key of keys.filter(each => !known.has(each))) {
                if (signal.aborted) return;
                await this.blobs.delete(key);
                swept++;
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

    private async finish({ id, blobKey }: { readonly id: Id; readonly blobKey: string }): Promise<void> {
        await this.blobs.delete(blobKey);
        await this.rows.remove(id);
    }
}

import { Inject, Injectable } from '@nestjs/common';
import {
    type ID,
    ListQueryBuilder,
    type ListQueryOptions,
    Logger,
    type PaginatedList,
    type RequestContext,
    TransactionalConnection,
} from '@vendure/core';
import { randomUUID } from 'node:crypto';
import { type FindOptionsWhere, IsNull, type SelectQueryBuilder } from 'typeorm';
import type { ByteSource, FileStore, LocalFile, ManagedFile } from '../../core/adapter/files';
import { flowError, isFlowError } from '../../core/errors/flow-error';
import { show } from '../../core/value/show';
import type { Blobs } from '../../io/storage/blobs';
import type { Database } from '../../database/database';
import { withDatabaseErrors } from '../../database/database-errors';
import type { Id } from '../../database/write';
import { FlowManagedFile } from '../entities/managed-file';
import { ResourceUsage } from '../references/usage';
import { withDefaultSort } from '../stores/list-order';
import type { FlowSetup } from '../setup';
import { FLOW_DATABASE, FLOW_FILES, FLOW_SETUP, LOG_CONTEXT } from '../tokens';
import { type Expiry, expiryOf } from './expiry';
import { fileName } from './file-name';
import { FileRemoval } from './file-removal';
import { FileRows } from './file-rows';
import { verifyChecksum, verifiedStream, fileStillExists } from './verified-stream';
import { type Declared, UploadReceiver } from './upload-receiver';
import { PublicIds } from '../../platform/public-ids';
import { mimeTypeOf } from './mime-type';

/** A file that is being uploaded. */
export interface Upload extends Declared {
    readonly bytes: AsyncIterable<Uint8Array>;
    /** Called when all bytes have been received, because a form may contain the expiry after the file. */
    readonly expiry: () => Expiry;
}

/** A page of a list. */
export interface FilePage {
    readonly limit: number;
    readonly offset: number;
    readonly mimeType?: string | undefined;
}

/** The properties of a run that reading files needs. */
interface FileReader {
    readonly channelId: ID;
    /** When the run was started. A file that had not expired by then is available for the whole run. */
    readonly createdAt: Date;
}

/**
 * The files of a channel; files of other channels are not visible. A row exists only while its content is complete, so every visible file
 * can be read.
 */
@Injectable()
export class Files {
    private readonly rows: FileRows;

    constructor(
        private readonly connection: TransactionalConnection,
        private readonly lists: ListQueryBuilder,
        private readonly removal: FileRemoval,
        private readonly usage: ResourceUsage,
        private readonly ids: PublicIds,
        @Inject(FLOW_FILES) private readonly blobs: Blobs,
        @Inject(FLOW_DATABASE) database: Database,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {
        this.rows = new FileRows(connection.rawConnection, database);
    }

    /**
     * Stores a file as its bytes arrive. Throws INPUT_INVALID, FILE_LIMIT, BODY_TOO_LARGE, FILE_EMPTY, FILE_TYPE_MISMATCH and the errors of
     * its bytes; nothing is kept then. If the database fails, the file is stored completely or not at all.
     */
    async store(
        ctx: RequestContext,
        { filename: given, mimeType, bytes, expiry }: Upload,
        signal: AbortSignal,
    ): Promise<FlowManagedFile> {
        const filename = fileName(given);
        const { maxFileSize, maxFiles } = this.setup.options.files;
        await this.rows.checkRoom(ctx.channelId, maxFiles);
        const blobKey = randomUUID().replaceAll('-', '');
        const uploadReceiver = new UploadReceiver({ filename, mimeType }, maxFileSize);
        let isInserting = false;
        let id: Id;
        try {
            await this.blobs.put(blobKey, uploadReceiver.through(bytes), signal);
            const received = uploadReceiver.received();
            const file = {
                ...received,
                blobKey,
                filename,
                channelId: ctx.channelId as Id,
                mimeType: mimeTypeOf(received.format, mimeType),
                uploadedBy: ctx.activeUserId ?? null,
                expiresAt: expiryOf(expiry(), Date.now()),
            };
            isInserting = true;
            id = await this.rows.insert(file, maxFiles);
        } catch (error) {
            // If the row may exist, its content is kept. A content without a row is cleaned up later.
            if (!isInserting || isRolledBack(error)) await this.discard(blobKey);
            throw error;
        }
        return this.existing(ctx, id);
    }

    list(ctx: RequestContext, options?: ListQueryOptions<FlowManagedFile>): Promise<PaginatedList<FlowManagedFile>> {
        const orderBy = withDefaultSort(options, { createdAt: 'DESC', id: 'DESC' });
        return pageOf(
            unexpired(this.lists.build(FlowManagedFile, options, { ctx, where: visibleIn(ctx.channelId), orderBy })),
        );
    }

    /** As `list`, for callers with a separate limit and offset. */
    page(ctx: RequestContext, { limit, offset, mimeType }: FilePage): Promise<PaginatedList<FlowManagedFile>> {
        const query = this.connection
            .getRepository(ctx, FlowManagedFile)
            .createQueryBuilder('file')
            .where({ ...visibleIn(ctx.channelId), ...(mimeType !== undefined && { mimeType }) })
            .orderBy({ 'file.createdAt': 'DESC', 'file.id': 'DESC' })
            .take(limit)
            .skip(offset);
        return pageOf(unexpired(query));
    }

    /** Null if there is none, or if it has expired. */
    async find(ctx: RequestContext, id: ID): Promise<FlowManagedFile | null> {
        const file = await this.row(ctx, id);
        return file && !hasExpired(file, new Date()) ? file : null;
    }

    /** Throws FILE_NOT_FOUND and FILE_EXPIRED. */
    async existing(ctx: RequestContext, id: ID): Promise<FlowManagedFile> {
        const file = await this.row(ctx, id);
        if (!file) throw flowError('FILE_NOT_FOUND', {});
        if (hasExpired(file, new Date()))
            throw flowError('FILE_EXPIRED', { filename: file.filename, at: file.expiresAt!.toISOString() });
        return file;
    }

    /** The content, which is read completely and verified before the first byte is returned. Throws FILE_CORRUPT. */
    async content(file: FlowManagedFile, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
        await verifyChecksum(this.blobs, file, signal);
        return verifiedStream(this.blobs, file, signal);
    }

    /**
     * The content for readers that read it several times. Throws FILE_CORRUPT: for a local file before it is returned, otherwise at the end
     * of a pass.
     */
    source(file: FlowManagedFile): ByteSource {
        const { blobs } = this;
        const local = async (signal: AbortSignal): Promise<LocalFile> => {
            await verifyChecksum(blobs, file, signal);
            return fileStillExists(file, () => blobs.local(file.blobKey, signal));
        };
        return { open: signal => verifiedStream(blobs, file, signal), local };
    }

    /** The files that a run may read, by the public ids that definitions contain. */
    forRun({ channelId, createdAt }: FileReader): FileStore {
        const repository = this.connection.rawConnection.getRepository(FlowManagedFile);
        return {
            find: async (id): Promise<ManagedFile | undefined> => {
                const rowId = this.ids.decode(id);
                const file =
                    rowId !== undefined && this.rows.isId(rowId)
                        ? await withDatabaseErrors(() =>
                              repository.findOne({ where: { ...visibleIn(channelId), id: rowId } }),
                          )
                        : null;
                if (!file || hasExpired(file, createdAt)) return undefined;
                const { filename, format, sha256, size } = file;
                return { id, filename, format, sha256, size, content: this.source(file) };
            },
        };
    }

    /**
     * Deletes a file and its content, also if it has expired. Files that a pipeline of the channel names or a run in progress reads are not
     * deleted. Throws FILE_NOT_FOUND and IN_USE.
     */
    async delete(ctx: RequestContext, id: ID): Promise<void> {
        const file = await this.row(ctx, id);
        const users = file && (await this.usage.users(ctx.channelId, 'file')).get(this.ids.encode(file.id));
        if (users) {
            const what = `File ${show(file.filename)} with the id`;
            throw flowError('IN_USE', { what, code: this.ids.encode(file.id), users: users.join(', ') });
        }
        if (!file || !(await this.removal.remove({ id: file.id as Id, blobKey: file.blobKey })))
            throw flowError('FILE_NOT_FOUND', {});
    }

    /** Stores how many records a file contains. */
    setCount(file: FlowManagedFile, rows: number): Promise<void> {
        return this.rows.setCount(file.id, rows);
    }

    private row(ctx: RequestContext, id: ID): Promise<FlowManagedFile | null> {
        if (!this.rows.isId(id)) return Promise.resolve(null);
        return this.connection
            .getRepository(ctx, FlowManagedFile)
            .findOne({ where: { ...visibleIn(ctx.channelId), id } });
    }

    private async discard(key: string): Promise<void> {
        try {
            await this.blobs.delete(key);
        } catch (error) {
            // The caller receives the error of the upload. The content is cleaned up later.
            Logger.warn(`The content of a rejected upload could not be removed yet: ${String(error)}`, LOG_CONTEXT);
        }
    }
}

/**
 * A statement that the database has rejected cannot have written a row. If the connection was lost or something else failed, this is
 * unknown.
 */
function isRolledBack(error: unknown): boolean {
    return isFlowError(error) && error.treat !== 'bug' && error.code !== 'DATABASE_LOST';
}

function visibleIn(channelId: ID): FindOptionsWhere<FlowManagedFile> {
    return { channelId, removedAt: IsNull() };
}

function hasExpired({ expiresAt }: FlowManagedFile, at: Date): boolean {
    return expiresAt !== null && expiresAt <= at;
}

function unexpired(query: SelectQueryBuilder<FlowManagedFile>): SelectQueryBuilder<FlowManagedFile> {
    return query.andWhere(`(${query.alias}.expiresAt IS NULL OR ${query.alias}.expiresAt > :now)`, { now: new Date() });
}

async function pageOf(query: SelectQueryBuilder<FlowManagedFile>): Promise<PaginatedList<FlowManagedFile>> {
    const [items, totalItems] = await query.getManyAndCount();
    return { items, totalItems };
}

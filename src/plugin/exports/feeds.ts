import { Inject, Injectable } from '@nestjs/common';
import {
    type ID,
    ListQueryBuilder,
    type ListQueryOptions,
    type PaginatedList,
    type RequestContext,
    RequestContextCacheService,
    TransactionalConnection,
} from '@vendure/core';
import DataLoader from 'dataloader';
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { flowError, isFlowError } from '../../core/errors/flow-error';
import { show } from '../../core/value/show';
import type { Database } from '../../database/database';
import type { Id } from '../../database/write';
import { FlowFeed } from '../entities/feed';
import { FlowManagedFile } from '../entities/managed-file';
import { Files } from '../files/files';
import { withDefaultSort } from '../stores/list-order';
import { FLOW_DATABASE } from '../tokens';
import { FeedRows } from './feed-rows';

/** 256 bits, so that tokens cannot be guessed. */
const TOKEN_BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;
const EXPORT_CODE = /^[A-Za-z0-9_.-]{1,160}$/;
const MAX_NAME = 255;
/** More exports than a list to choose from can show. */
const MAX_EXPORTS = 500;
/** How many times a file is looked up, because it may be replaced meanwhile. */
const LOOKS = 3;

/** The data of a new feed. */
export interface FeedInput {
    readonly exportCode: string;
    readonly name: string;
    readonly expiresAt?: Date | null;
}

/** A feed and its path, which is the only place that contains its token. */
export interface CreatedFeed {
    readonly feed: FlowFeed;
    readonly path: string;
}

/** A file that is sent to the reader of a feed. */
interface FeedFile {
    readonly file: FlowManagedFile;
    /** Throws FILE_CORRUPT before it returns if the storage has lost the file. */
    open(signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
}

/** Addresses at which the newest files of exports are served. Feeds keep the users who created and revoked them. */
@Injectable()
export class Feeds {
    private readonly rows: FeedRows;

    constructor(
        private readonly connection: TransactionalConnection,
        private readonly lists: ListQueryBuilder,
        private readonly files: Files,
        private readonly cache: RequestContextCacheService,
        @Inject(FLOW_DATABASE) database: Database,
    ) {
        this.rows = new FeedRows(connection.rawConnection, database);
    }

    async list(ctx: RequestContext, options?: ListQueryOptions<FlowFeed>): Promise<PaginatedList<FlowFeed>> {
        const orderBy = withDefaultSort(options, { createdAt: 'DESC', id: 'DESC' });
        const query = this.lists.build(FlowFeed, options, { ctx, where: { channelId: ctx.channelId }, orderBy });
        const [items, totalItems] = await query.getManyAndCount();
        return { items, totalItems };
    }

    /** Throws INPUT_INVALID. The token cannot be read again. */
    async create(ctx: RequestContext, { exportCode, name, expiresAt = null }: FeedInput): Promise<CreatedFeed> {
        if (!EXPORT_CODE.test(exportCode))
            throw invalid('exportCode', exportCode, 'up to 160 letters, digits, hyphens, underscores and dots');
        if (name.trim() === '' || name.length > MAX_NAME)
            throw invalid('name', name, `1 to ${MAX_NAME} characters, to whom the address is given`);
        if (expiresAt && expiresAt <= new Date())
            throw invalid('expiresAt', expiresAt.toISOString(), 'a moment to come');
        const token = randomBytes(TOKEN_BYTES).toString('base64url');
        const id = await this.rows.insert({
            channelId: ctx.channelId as Id,
            exportCode,
            name: name.trim(),
            tokenHash: hashOf(token),
            expiresAt,
            createdBy: (ctx.activeUserId as Id | undefined) ?? null,
        });
        return { feed: await this.existing(ctx, id), path: `/flow/feeds/${token}` };
    }

    /** Nothing is served at its address afterwards. Throws FEED_NOT_FOUND. */
    async revoke(ctx: RequestContext, id: ID): Promise<FlowFeed> {
        const feed = await this.existing(ctx, id);
        await this.rows.revoke({ id: feed.id as Id, by: (ctx.activeUserId as Id | undefined) ?? null });
        return this.existing(ctx, id);
    }

    /** The newest file of an export of the active channel; null if there is none. The exports of a list are read with one query. */
    newestOf(ctx: RequestContext, exportCode: string): Promise<FlowManagedFile | null> {
        const read = async (codes: readonly string[]): Promise<ReadonlyArray<FlowManagedFile | null>> => {
            const files = await this.newest(ctx.channelId, [...new Set(codes)]);
            const byCode = new Map(files.map(file => [file.exportCode, file]));
            return codes.map(code => byCode.get(code) ?? null);
        };
        return this.cache
            .get(ctx, 'flow-newest-exports', () => new DataLoader(read, { cache: false }))
            .load(exportCode);
    }

    /** The exports of the active channel that have a file, by their codes. */
    async exportCodes(ctx: RequestContext): Promise<readonly string[]> {
        const rows = await this.connection.rawConnection
            .getRepository(FlowManagedFile)
            .createQueryBuilder('file')
            .select('file.exportCode', 'exportCode')
            .distinct(true)
            .where('file.channelId = :channelId', { channelId: ctx.channelId })
            .andWhere('file.exportCode IS NOT NULL AND file.removedAt IS NULL')
            .orderBy('file.exportCode')
            .limit(MAX_EXPORTS)
            .getRawMany<{ readonly exportCode: string }>();
        return rows.map(({ exportCode }) => exportCode);
    }

    private newest(channelId: ID, exportCodes: readonly string[]): Promise<FlowManagedFile[]> {
        const files = this.connection.rawConnection.getRepository(FlowManagedFile).createQueryBuilder('file');
        const newer = files
            .subQuery()
            .select('1')
            .from(FlowManagedFile, 'newer')
            .where(
                'newer.channelId = file.channelId AND newer.exportCode = file.exportCode AND newer.removedAt IS NULL',
            )
            .andWhere(
                '(newer.createdAt > file.createdAt OR (newer.createdAt = file.createdAt AND newer.id > file.id))',
            );
        return files
            .where('file.channelId = :channelId AND file.exportCode IN (:...exportCodes)', { channelId, exportCodes })
            .andWhere('file.removedAt IS NULL')
            .andWhere(`NOT EXISTS ${newer.getQuery()}`)
            .getMany();
    }

    /**
     * The file that is served for a token. Throws FEED_UNKNOWN if there is no such feed, if it has expired or was revoked, or if it has no
     * file yet.
     */
    async served(token: string): Promise<FeedFile> {
        const { channelId, exportCode } = await this.feedOf(token);
        const [file] = await this.newest(channelId, [exportCode]);
        if (!file) throw flowError('FEED_UNKNOWN', {});
        return { file, open: signal => begun(this.files.source(file).open(signal)) };
    }

    /** As `served`, but opened. If the file is replaced meanwhile, its replacement is opened. */
    async opened(
        token: string,
        signal: AbortSignal,
    ): Promise<{ file: FlowManagedFile; bytes: AsyncIterable<Uint8Array> }> {
        for (let look = 1; ; look++) {
            const { file, open } = await this.served(token);
            try {
                return { file, bytes: await open(signal) };
            } catch (error) {
                if (look === LOOKS || !isFlowError(error) || error.code !== 'FILE_CORRUPT') throw error;
            }
        }
    }

    private async feedOf(token: string): Promise<FlowFeed> {
        const hash = hashOf(token);
        const feed = TOKEN.test(token)
            ? await this.connection.rawConnection.getRepository(FlowFeed).findOne({ where: { tokenHash: hash } })
            : null;
        const isIt = feed && timingSafeEqual(Buffer.from(feed.tokenHash), Buffer.from(hash));
        if (!isIt || feed.revokedAt || (feed.expiresAt && feed.expiresAt <= new Date()))
            throw flowError('FEED_UNKNOWN', {});
        return feed;
    }

    private async existing(ctx: RequestContext, id: ID): Promise<FlowFeed> {
        const feed = await this.connection
            .getRepository(ctx, FlowFeed)
            .findOne({ where: { id, channelId: ctx.channelId } });
        if (!feed) throw flowError('FEED_NOT_FOUND', {});
        return feed;
    }
}

/** Returns the same bytes once the first of them have arrived. */
async function begun(bytes: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
    const iterator = bytes[Symbol.asyncIterator]();
    const first = await iterator.next();
    return (async function* () {
        for (let next = first; !next.done; next = await iterator.next()) yield next.value;
    })();
}

function hashOf(token: string): string {
    return createHash('sha256').update(token).digest('hex');
}

function invalid(field: string, value: unknown, allowed: string): Error {
    return flowError('INPUT_INVALID', { problem: `${field} is ${show(value)}; allowed: ${allowed}` });
}

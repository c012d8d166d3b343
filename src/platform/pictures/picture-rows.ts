import { Asset } from '@vendure/core';
import { createHash } from 'node:crypto';
import type { Script } from '../../core/adapter/loader';
import { column, type Sql, name, select, send, sql } from '../../database/statement';
import { type Table, tableOf } from '../../database/table';
import { type Id, insertRows, inPlaceOf } from '../../database/write';
import type { VendurePlatform } from '../context';

/** A picture in the shop's storage, and the asset that was made of it. */
export interface StoredPicture {
    readonly digest: string;
    readonly assetId: Id | null;
    readonly source: string;
    readonly preview: string;
    readonly mimeType: string;
    readonly width: number;
    readonly height: number;
    readonly fileSize: number;
}

/** What the storage is to call a picture and its preview. */
export interface FileNames {
    readonly source: string;
    readonly preview: string;
}

/** What was found at an address, and by what its server knows whether it has changed. */
export interface KnownAddress {
    readonly digest: string;
    readonly etag: string | null;
    readonly lastModified: string | null;
}

const COLUMNS = ['digest', 'assetId', 'source', 'preview', 'mimeType', 'width', 'height', 'fileSize'] as const;

/** What Flow has stored of pictures in a run's channel. */
export class PictureRows {
    readonly pictures: Table;
    private readonly addresses: Table;
    private readonly assets: Table;

    constructor(readonly platform: VendurePlatform) {
        const { dataSource } = platform;
        // Flow's own tables are declared on a floor above, and known here by their names.
        this.pictures = tableOf(dataSource, 'FlowPicture');
        this.addresses = tableOf(dataSource, 'FlowPictureAddress');
        this.assets = tableOf(dataSource, Asset);
    }

    private get channelId(): Id {
        return this.platform.ctx.channelId;
    }

    /** What is known of addresses, by address. */
    *readAddresses(urls: readonly string[]): Script<ReadonlyMap<string, KnownAddress>> {
        if (urls.length === 0) return new Map();
        const byHash = new Map(urls.map(url => [hashOf(url), url]));
        const a = (property: string): Sql => column('a', this.addresses.column(property).name);
        const rows = yield* select<KnownAddress & { readonly address: string }>(
            sql`SELECT ${a('address')} AS ${name('address')}, ${a('digest')} AS ${name('digest')}, ${a('etag')} AS ${name('etag')},
            ${a('lastModified')} AS ${name('lastModified')} FROM ${this.addresses.name} AS ${name('a')}
            WHERE ${a('channelId')} = ${this.channelId} AND ${this.platform.database.dialect.oneOf(a('address'), [...byHash.keys()])}`,
        );
        return new Map(rows.map(({ address, ...known }) => [byHash.get(address)!, known]));
    }

    /** Stored pictures by digest; those are left out whose asset, and with it their files, somebody has deleted. */
    *readPictures(digests: Iterable<string>, forUpdate = false): Script<ReadonlyMap<string, StoredPicture>> {
        const asked = [...new Set(digests)];
        if (asked.length === 0) return new Map();
        const { dialect } = this.platform.database;
        const p = (property: string): Sql => column('p', this.pictures.column(property).name);
        const parts = COLUMNS.map(property => sql`${p(property)} AS ${name(property)}`);
        const rows = yield* select<StoredPicture>(
            sql`SELECT ${parts.reduce((list, part) => sql`${list}, ${part}`)} FROM ${this.pictures.name} AS ${name('p')}
            WHERE ${p('channelId')} = ${this.channelId} AND ${dialect.oneOf(p('digest'), asked)} AND ${p('fileSize')} > 0${forUpdate ? dialect.forUpdate : sql``}`,
        );
        const ids = rows.flatMap(({ assetId }) => assetId ?? []);
        const id = column('a', this.assets.column('id').name);
        const living = ids.length
            ? yield* select<{ id: Id }>(
                  sql`SELECT ${id} AS ${name('id')} FROM ${this.assets.name} AS ${name('a')} WHERE ${dialect.oneOf(id, ids)}`,
              )
            : [];
        const alive = new Set(living.map(row => row.id));
        return new Map(
            rows
                .filter(({ assetId }) => assetId === null || alive.has(assetId))
                .map(row => [row.digest, { ...row, fileSize: Number(row.fileSize) }] as const),
        );
    }

    /**
     * The names under which a picture's files are to be stored, written down before they are: a process that ends before it has remembered the
     * picture leaves files, and whoever stores the same bytes next stores them under these names, as long as nobody else has taken them.
     */
    async reserved(digest: string, propose: () => Promise<FileNames>): Promise<FileNames> {
        const { database } = this.platform;
        const left = await database.run(() => this.readReserved(digest));
        if (left) return left;
        const names = await propose();
        const empty = { assetId: null, mimeType: '', width: 0, height: 0, fileSize: 0 };
        await this.writtenDown({ digest, ...names, ...empty });
        return names;
    }

    private *readReserved(digest: string): Script<FileNames | undefined> {
        const { pictures: table, assets, channelId } = this;
        const [left] = yield* select<FileNames>(
            sql`SELECT ${table.column('source')} AS ${name('source')}, ${table.column('preview')} AS ${name('preview')} FROM ${table.name}
            WHERE ${table.column('channelId')} = ${channelId} AND ${table.column('digest')} = ${digest} AND ${table.column('fileSize')} = 0`,
        );
        if (!left) return undefined;
        const { source, preview } = left;
        const taken = (of: Table): Sql =>
            sql`${of.column('source')} IN (${source}, ${preview}) OR ${of.column('preview')} IN (${source}, ${preview})`;
        const others = yield* select<{ one: number }>(
            sql`SELECT 1 AS ${name('one')} FROM ${assets.name} WHERE ${taken(assets)}
            UNION ALL SELECT 1 AS ${name('one')} FROM ${table.name} WHERE (${taken(table)})
            AND NOT (${table.column('channelId')} = ${channelId} AND ${table.column('digest')} = ${digest})`,
        );
        return others.length === 0 ? left : undefined;
    }

    /** Forgets the names of a picture that is not going to be stored. */
    async release(digest: string): Promise<void> {
        const { pictures: table, channelId } = this;
        await this.platform.database.run(() =>
            send(
                sql`DELETE FROM ${table.name} WHERE ${table.column('channelId')} = ${channelId} AND ${table.column('digest')} = ${digest} AND ${table.column('fileSize')} = 0`,
            ),
        );
    }

    /** Remembers a picture whose files are stored. Answers the one to go by, which is another one where somebody was faster. */
    remember(picture: StoredPicture): Promise<StoredPicture> {
        return this.writtenDown(picture);
    }

    /** Writes a picture down, unless there is one with the same bytes whose files are stored. Answers the one to go by. */
    private writtenDown(picture: StoredPicture): Promise<StoredPicture> {
        const { pictures: table, channelId } = this;
        const { database } = this.platform;
        const { digest } = picture;
        const target = { table, dialect: database.dialect };
        const read = (): Script<ReadonlyMap<string, StoredPicture>> => this.readPictures([digest]);
        return database.transaction(
            function* () {
                const stored = (yield* read()).get(digest);
                if (stored) return stored;
                const written = COLUMNS.filter(property => property !== 'digest');
                const instead = inPlaceOf(target, { key: ['channelId', 'digest'], written });
                yield* insertRows(target, [{ channelId, ...picture }], instead);
                return picture;
            },
            { locks: [`stored picture:${digest}`], brief: true },
        );
    }

    /** Remembers what was found at an address. */
    async rememberAddress(url: string, known: KnownAddress): Promise<void> {
        const { addresses: table, channelId } = this;
        const { database } = this.platform;
        const target = { table, dialect: database.dialect };
        const row = { channelId, address: hashOf(url), ...known, updatedAt: database.dialect.now };
        const written = [...Object.keys(known), 'updatedAt'];
        const instead = inPlaceOf(target, { key: ['channelId', 'address'], written });
        await database.run(() => insertRows(target, [row], instead));
    }
}

function hashOf(url: string): string {
    return createHash('sha256').update(url).digest('hex');
}

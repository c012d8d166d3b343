import { Asset } from '@vendure/core';
import { createHash } from 'node:crypto';
import type { StatementProgram } from '../../core/adapter/loader';
import { column, type Sql, name, select, send, sql } from '../../database/statement';
import { type Table, tableOf } from '../../database/table';
import { type Id, insertRows, onConflictUpdate } from '../../database/write';
import type { VendurePlatform } from '../context';

/** A picture in the shop's storage, and its asset. */
export interface StoredImage {
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

/** The picture that was found at an address, and how its server detects a change. */
export interface KnownAddress {
    readonly digest: string;
    readonly etag: string | null;
    readonly lastModified: string | null;
}

export interface FoundAddress extends KnownAddress {
    readonly url: string;
}

/** The proposed names of a picture's files, and earlier reserved names that must not be used. */
export interface ProposedNames extends FileNames {
    readonly digest: string;
    readonly instead: FileNames | undefined;
}

/** What became of proposed names. */
export interface Reserved {
    /** The names to use, by digest; pictures that are neither here nor stored need other names. */
    readonly names: ReadonlyMap<string, FileNames>;
    /** Pictures that another worker has stored meanwhile. */
    readonly stored: ReadonlySet<string>;
}

interface NamedRow extends FileNames {
    readonly digest: string;
    readonly channelId: Id;
}

const COLUMNS = ['digest', 'assetId', 'source', 'preview', 'mimeType', 'width', 'height', 'fileSize'] as const;

/** What Flow has stored of pictures in a run's channel. */
export class ImageRows {
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

    /** The recorded pictures of addresses, by address. */
    *readAddresses(urls: readonly string[]): StatementProgram<ReadonlyMap<string, KnownAddress>> {
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

    /** Stored pictures by digest; omits pictures whose asset, and so their files, was deleted. */
    *readPictures(digests: Iterable<string>, forUpdate = false): StatementProgram<ReadonlyMap<string, StoredImage>> {
        const requested = [...new Set(digests)];
        if (requested.length === 0) return new Map();
        const { dialect } = this.platform.database;
        const p = (property: string): Sql => column('p', this.pictures.column(property).name);
        const parts = COLUMNS.map(property => sql`${p(property)} AS ${name(property)}`);
        const rows = yield* select<StoredImage>(
            sql`SELECT ${parts.reduce((list, part) => sql`${list}, ${part}`)} FROM ${this.pictures.name} AS ${name('p')}
            WHERE ${p('channelId')} = ${this.channelId} AND ${dialect.oneOf(p('digest'), requested)} AND ${p('fileSize')} > 0${forUpdate ? dialect.forUpdate : sql``}`,
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

    /** Those that are stored, outside of any transaction. */
    stored(digests: readonly string[]): Promise<ReadonlyMap<string, StoredImage>> {
        return this.platform.database.run(() => this.readPictures(digests));
    }

    /**
     * The reserved names of pictures that are not stored yet, and whether they are still unused. A process that ended before it recorded a picture
     * has left files, so the next worker that stores the same bytes uses the same names. Concurrent workers do the same.
     */
    readReserved(digests: readonly string[]): Promise<ReadonlyMap<string, FileNames & { readonly isFree: boolean }>> {
        return digests.length === 0
            ? Promise.resolve(new Map())
            : this.platform.database.run(() => this.reservedNames(digests));
    }

    private *reservedNames(
        digests: readonly string[],
    ): StatementProgram<ReadonlyMap<string, FileNames & { readonly isFree: boolean }>> {
        const { pictures: table, assets } = this;
        const isOwn = this.isOneOf(digests);
        const left = yield* this.namesWhere(sql`${isOwn} AND ${table.column('fileSize')} = 0`);
        if (left.length === 0) return new Map();
        const names = namesOf(left);
        const of = (property: string): Sql => sql`${assets.column(property)} AS ${name(property)}`;
        const ofAssets = yield* select<FileNames>(
            sql`SELECT ${of('source')}, ${of('preview')} FROM ${assets.name} WHERE ${this.isCalled(assets, names)}`,
        );
        const ofPictures = yield* this.namesWhere(sql`(${this.isCalled(table, names)}) AND NOT (${isOwn})`);
        const taken = new Set(namesOf([...ofAssets, ...ofPictures]));
        return new Map(
            left.map(({ digest, source, preview }) => [
                digest,
                { source, preview, isFree: !taken.has(source) && !taken.has(preview) },
            ]),
        );
    }

    /**
     * Reserves the file names of pictures before they are stored. The storage only sees existing files, not those that another worker is about to
     * store. Reserved names are not assigned twice, and a picture that is being stored keeps its names.
     */
    reserve(proposed: readonly ProposedNames[]): Promise<Reserved> {
        return this.platform.database.transaction(() => this.reserving(proposed), {
            locks: [...namesOf(proposed).map(file => `picture file:${file}`), ...proposed.map(lockOf)],
            brief: true,
        });
    }

    private *reserving(proposed: readonly ProposedNames[]): StatementProgram<Reserved> {
        const { pictures: table, channelId } = this;
        const digests = proposed.map(({ digest }) => digest);
        const stored = new Set((yield* this.readPictures(digests)).keys());
        const isAsked = sql`(${this.isCalled(table, namesOf(proposed))}) OR (${this.isOneOf(digests)})`;
        const rows = yield* this.namesWhere(sql`${table.column('fileSize')} = 0 AND (${isAsked})`);
        const isOf = (row: NamedRow, digest: string): boolean =>
            row.digest === digest && String(row.channelId) === String(channelId);
        const names = new Map<string, FileNames>();
        const fresh: StoredImage[] = [];
        for (const { digest, source, preview, instead } of proposed) {
            if (stored.has(digest)) continue;
            const own = rows.find(row => isOf(row, digest));
            if (own && !(own.source === instead?.source && own.preview === instead.preview)) {
                names.set(digest, { source: own.source, preview: own.preview });
                continue;
            }
            const others = namesOf(rows.filter(row => !isOf(row, digest)));
            if (others.includes(source) || others.includes(preview)) continue;
            names.set(digest, { source, preview });
            fresh.push({ digest, source, preview, assetId: null, mimeType: '', width: 0, height: 0, fileSize: 0 });
        }
        yield* this.writeDown(fresh);
        return { names, stored };
    }

    /** Forgets the names of pictures that are not going to be stored. */
    async release(digests: readonly string[]): Promise<void> {
        const { pictures: table } = this;
        if (digests.length === 0) return;
        await this.platform.database.run(() =>
            send(sql`DELETE FROM ${table.name} WHERE ${this.isOneOf(digests)} AND ${table.column('fileSize')} = 0`),
        );
    }

    /** Records pictures whose files are stored. Returns the pictures to use, which are others if another worker was faster. */
    async remember(pictures: readonly StoredImage[]): Promise<ReadonlyMap<string, StoredImage>> {
        if (pictures.length === 0) return new Map();
        return this.platform.database.transaction(() => this.writeDown(pictures), {
            locks: pictures.map(lockOf),
            brief: true,
        });
    }

    /** Records pictures, unless there are stored ones with the same bytes. Returns the pictures to use. */
    private *writeDown(pictures: readonly StoredImage[]): StatementProgram<ReadonlyMap<string, StoredImage>> {
        const { pictures: table, channelId } = this;
        const target = { table, dialect: this.platform.database.dialect };
        const stored = yield* this.readPictures(pictures.map(({ digest }) => digest));
        const fresh = pictures.filter(({ digest }) => !stored.has(digest));
        const written = COLUMNS.filter(property => property !== 'digest');
        yield* insertRows(
            target,
            fresh.map(picture => ({ channelId, ...picture })),
            onConflictUpdate(target, { key: ['channelId', 'digest'], written }),
        );
        return new Map([...stored, ...fresh.map(picture => [picture.digest, picture] as const)]);
    }

    /** Remembers what was found at some addresses. */
    async rememberAddresses(found: readonly FoundAddress[]): Promise<void> {
        if (found.length === 0) return;
        const { addresses: table, channelId } = this;
        const { database } = this.platform;
        const target = { table, dialect: database.dialect };
        const rows = new Map(
            found.map(({ url, ...known }) => {
                const address = hashOf(url);
                return [address, { channelId, address, ...known, updatedAt: database.dialect.now }] as const;
            }),
        );
        const written = ['digest', 'etag', 'lastModified', 'updatedAt'];
        const instead = onConflictUpdate(target, { key: ['channelId', 'address'], written });
        // In one order for all, so that two workers with the same addresses wait for each other at most.
        const inOrder = [...rows].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
        await database.transaction(() => insertRows(target, inOrder, instead), { brief: true });
    }

    private *namesWhere(condition: Sql): StatementProgram<readonly NamedRow[]> {
        const of = (property: string): Sql => sql`${this.pictures.column(property)} AS ${name(property)}`;
        return yield* select<NamedRow>(
            sql`SELECT ${of('digest')}, ${of('channelId')}, ${of('source')}, ${of('preview')} FROM ${this.pictures.name} WHERE ${condition}`,
        );
    }

    /** Pictures of the run's channel with these bytes. */
    private isOneOf(digests: readonly string[]): Sql {
        const { pictures: table, channelId } = this;
        return sql`${table.column('channelId')} = ${channelId} AND ${this.platform.database.dialect.oneOf(table.column('digest'), digests)}`;
    }

    private isCalled(table: Table, names: readonly string[]): Sql {
        const { dialect } = this.platform.database;
        return sql`${dialect.oneOf(table.column('source'), names)} OR ${dialect.oneOf(table.column('preview'), names)}`;
    }
}

const lockOf = ({ digest }: { readonly digest: string }): string => `stored picture:${digest}`;

const namesOf = (files: readonly FileNames[]): readonly string[] =>
    files.flatMap(({ source, preview }) => [source, preview]);

function hashOf(url: string): string {
    return createHash('sha256').update(url).digest('hex');
}

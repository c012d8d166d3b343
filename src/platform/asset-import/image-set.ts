import { Asset, AssetTranslation, Tag } from '@vendure/core';
import type { Effect, StatementProgram } from '../../core/adapter/loader';
import { column, name, select, send, type Sql, sql } from '../../database/statement';
import { type JoinTable, joinTableOf, type Table, tableOf } from '../../database/table';
import { deleteRows, type Id, insertNumbered, insertRows, updateRows } from '../../database/write';
import { entitiesChanged, type EffectPublishers } from '../effects/effect';
import { MAX_PLANNED, type WorkPart } from '../entities/unit-of-work';
import { addPairs } from '../entities/write-rows';
import { filenameOf } from './asset-files';
import type { ImageRows, StoredImage } from './image-rows';

/** An asset of a picture, as it is and as the records so far have changed it. */
export interface ImageState {
    /** Its identity: the digest of its bytes, or the key of its request before they are known. */
    readonly known: string;
    readonly stored: StoredImage | undefined;
    assetId: Id | undefined;
    /** In the run's language; undefined if it has no name yet. */
    name: string | undefined;
    textId: Id | undefined;
    tags: readonly string[];
    readonly isInChannel: boolean;
    isTouched: boolean;
    areTagsChanged: boolean;
    isNameChanged: boolean;
    /** The address of its first request. */
    url: string | undefined;
}

/** A picture of which a dry run only knows the record. */
export function predictedImage(known: string): ImageState {
    return {
        known,
        stored: undefined,
        assetId: undefined,
        name: undefined,
        textId: undefined,
        tags: [],
        isInChannel: true,
        isTouched: false,
        areTagsChanged: false,
        isNameChanged: false,
        url: undefined,
    };
}

/** The pictures that a batch, or a dry run, works on. */
export class ImageSet implements WorkPart {
    private readonly states = new Map<string, ImageState>();

    find(known: string): ImageState | undefined {
        return this.states.get(known);
    }
    add(state: ImageState): void {
        this.states.set(state.known, state);
    }
    get touched(): readonly ImageState[] {
        return [...this.states.values()].filter(({ isTouched }) => isTouched);
    }
    settle(): void {
        for (const [known, { isTouched }] of this.states) if (!isTouched) this.states.delete(known);
        for (const known of this.states.keys()) {
            if (this.states.size <= MAX_PLANNED) break;
            this.states.delete(known);
        }
    }
}

interface ImageWriting {
    readonly channel: { readonly id: Id; readonly defaultId: Id };
    readonly language: string;
    readonly sideEffects: EffectPublishers;
}

/**
 * The tables of assets: reads and writes those of pictures with a number of statements that does not depend on their
 * number. The results are those of AssetService, which handles them one by one.
 */
export class ImageTables {
    private readonly asset: Table;
    private readonly text: Table;
    private readonly tag: Table;
    private readonly channels: JoinTable;
    private readonly tagged: JoinTable;

    constructor(private readonly rows: ImageRows) {
        const { dataSource } = rows.platform;
        this.asset = tableOf(dataSource, Asset);
        this.text = tableOf(dataSource, AssetTranslation);
        this.tag = tableOf(dataSource, Tag);
        this.channels = joinTableOf(dataSource, Asset, 'channels');
        this.tagged = joinTableOf(dataSource, Asset, 'tags');
    }

    get dialect() {
        return this.rows.platform.database.dialect;
    }

    /** Reads pictures by digest if they are not loaded, and their assets; returns the digests of pictures that are no longer stored. */
    *read(set: ImageSet, digests: readonly string[], isLive: boolean): StatementProgram<readonly string[]> {
        const unknown = [...new Set(digests)].filter(digest => !set.find(digest));
        if (unknown.length === 0) return [];
        const pictures = yield* this.rows.readPictures(unknown, isLive);
        const ids = [...pictures.values()].flatMap(({ assetId }) => assetId ?? []);
        const texts = yield* this.textsOf(ids);
        const tags = yield* this.tagsOf(ids);
        const inChannel = yield* this.inChannel(ids);
        for (const stored of pictures.values()) {
            const id = stored.assetId ?? undefined;
            const text = id === undefined ? undefined : texts.get(id);
            set.add({
                known: stored.digest,
                stored,
                assetId: id,
                name: text?.name,
                textId: text?.id,
                tags: (id !== undefined && tags.get(id)) || [],
                isInChannel: id !== undefined && inChannel.has(id),
                isTouched: false,
                areTagsChanged: false,
                isNameChanged: false,
                url: undefined,
            });
        }
        return unknown.filter(digest => !pictures.has(digest));
    }

    private *textsOf(
        ids: readonly Id[],
    ): StatementProgram<ReadonlyMap<Id, { readonly id: Id; readonly name: string }>> {
        if (ids.length === 0) return new Map();
        const t = (property: string): Sql => column('t', this.text.column(property).name);
        const rows = yield* select<{ id: Id; base: Id; name: string }>(
            sql`SELECT ${t('id')} AS ${name('id')}, ${t('base')} AS ${name('base')}, ${t('name')} AS ${name('name')} FROM ${this.text.name} AS ${name('t')}
            WHERE ${this.dialect.oneOf(t('base'), ids)} AND ${t('languageCode')} = ${this.rows.platform.ctx.languageCode}`,
        );
        return new Map(rows.map(({ base, ...text }) => [base, text]));
    }

    private *tagsOf(ids: readonly Id[]): StatementProgram<ReadonlyMap<Id, string[]>> {
        const found = new Map<Id, string[]>();
        if (ids.length === 0) return found;
        const { tagged } = this;
        const j = (property: string): Sql => column('j', tagged.column(property).name);
        const rows = yield* select<{ owner: Id; value: string }>(
            sql`SELECT ${j(tagged.owner)} AS ${name('owner')}, ${column('g', this.tag.column('value').name)} AS ${name('value')}
            FROM ${tagged.name} AS ${name('j')} JOIN ${this.tag.name} AS ${name('g')} ON ${column('g', this.tag.column('id').name)} = ${j(tagged.member)}
            WHERE ${this.dialect.oneOf(j(tagged.owner), ids)}`,
        );
        for (const { owner, value } of rows) found.set(owner, [...(found.get(owner) ?? []), value]);
        return found;
    }

    private *inChannel(ids: readonly Id[]): StatementProgram<ReadonlySet<Id>> {
        if (ids.length === 0) return new Set();
        const { channels } = this;
        const c = (property: string): Sql => column('c', channels.column(property).name);
        const rows = yield* select<{ owner: Id }>(
            sql`SELECT ${c(channels.owner)} AS ${name('owner')} FROM ${channels.name} AS ${name('c')}
            WHERE ${this.dialect.oneOf(c(channels.owner), ids)} AND ${c(channels.member)} = ${this.rows.platform.ctx.channelId}`,
        );
        return new Set(rows.map(({ owner }) => owner));
    }

    /** Creates and changes assets as planned; returns the effects to publish. */
    *write(set: ImageSet, { channel, language, sideEffects }: ImageWriting): StatementProgram<readonly Effect[]> {
        const { dialect } = this;
        const all = set.touched;
        const created = all.filter(({ assetId }) => assetId === undefined);
        const changed = all.filter(({ assetId }) => assetId !== undefined);
        const ids = yield* insertNumbered(
            { table: this.asset, dialect },
            created.map(({ stored }) => rowOf(stored!)),
        );
        created.forEach((state, i) => (state.assetId = ids[i]!));
        yield* updateRows(
            { table: this.rows.pictures, dialect },
            created.map(({ known, assetId }) => ({ channelId: channel.id, digest: known, assetId })),
            ['channelId', 'digest'],
        );
        yield* addPairs(this, this.channels, [
            ...created.flatMap(({ assetId }) =>
                [...new Set([channel.id, channel.defaultId])].map(id => [assetId!, id] as const),
            ),
            ...changed.flatMap(({ assetId, isInChannel }) => (isInChannel ? [] : [[assetId!, channel.id] as const])),
        ]);
        yield* this.writeNames(all, language);
        yield* this.writeTags(all.filter(({ areTagsChanged }) => areTagsChanged));
        const changedIds = changed.map(({ assetId }) => assetId!);
        return [
            ...entitiesChanged({ entity: 'Asset', operation: 'CREATE', ids, sideEffects }),
            ...entitiesChanged({ entity: 'Asset', operation: 'UPDATE', ids: changedIds, sideEffects }),
        ];
    }

    private *writeNames(states: readonly ImageState[], languageCode: string): StatementProgram<void> {
        const { dialect, text: table } = this;
        const renamed = states.filter(({ textId, isNameChanged }) => textId !== undefined && isNameChanged);
        const fresh = states.filter(
            ({ textId, isNameChanged, stored, name: given }) =>
                textId === undefined && (isNameChanged || (stored?.assetId === null && given === undefined)),
        );
        yield* updateRows(
            { table, dialect },
            renamed.map(({ textId, name: given }) => ({ id: textId, name: given })),
        );
        yield* insertRows(
            { table, dialect },
            fresh.map(({ assetId, name: given, stored, url }) => ({
                languageCode,
                base: assetId,
                name: given ?? filenameOf(url, { extension: extensionOf(stored!) }),
            })),
        );
        // As Vendure's TranslatableSaver does it.
        const owners = renamed.map(({ assetId }) => assetId!);
        if (owners.length > 0)
            yield* send(
                sql`UPDATE ${this.asset.name} SET ${this.asset.column('updatedAt')} = ${dialect.now} WHERE ${dialect.oneOf(this.asset.column('id'), owners)}`,
            );
    }

    private *writeTags(states: readonly ImageState[]): StatementProgram<void> {
        if (states.length === 0) return;
        const { dialect, tag: table, tagged } = this;
        const values = [...new Set(states.flatMap(({ tags }) => tags))];
        const g = (property: string): Sql => column('g', table.column(property).name);
        const rows = values.length
            ? yield* select<{ id: Id; value: string }>(
                  sql`SELECT ${g('id')} AS ${name('id')}, ${g('value')} AS ${name('value')} FROM ${table.name} AS ${name('g')} WHERE ${dialect.oneOf(g('value'), values)} ORDER BY ${g('id')} DESC`,
              )
            : [];
        const known = new Map(rows.map(({ id, value }) => [value, id]));
        const missing = values.filter(value => !known.has(value));
        const ids = yield* insertNumbered(
            { table, dialect },
            missing.map(value => ({ value })),
        );
        missing.forEach((value, i) => known.set(value, ids[i]!));
        yield* deleteRows(
            { table: tagged, dialect },
            tagged.owner,
            states.map(({ assetId }) => assetId!),
        );
        yield* addPairs(
            this,
            tagged,
            states.flatMap(({ assetId, tags }) => tags.map(tag => [assetId!, known.get(tag)!] as const)),
        );
    }
}

function rowOf({ source, preview, mimeType, width, height, fileSize }: StoredImage) {
    const [family] = mimeType.split('/');
    const type = family === 'image' ? 'IMAGE' : family === 'video' ? 'VIDEO' : 'BINARY';
    return { type, mimeType, width, height, fileSize, source, preview, focalPoint: null };
}

/** The ending under which its file was stored. */
function extensionOf({ source }: StoredImage): string {
    return source.slice(source.lastIndexOf('.') + 1);
}

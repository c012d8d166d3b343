import { Permission } from '@vendure/core';
import { GROUPS } from '../../core/schema/groups';
import { z } from 'zod';
import type { PossibleRight } from '../../core/adapter/base';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { listModeArgument, type ListMode } from '../entities/load-arguments';
import { FieldReader, invalidText, textProblem } from '../entities/read-field';
import {
    type RequestedImage,
    imageArguments,
    imageAt,
    imageOf,
    type ImageOptions,
} from '../asset-import/requested-image';

/** What all loads of entities with assets have in common. */
export const entityAssetArguments = {
    assetsMode: listModeArgument('assets'),
    featureFirstAsset: z.boolean().default(true).meta({
        title: 'Feature the first asset',
        group: GROUPS.images,
        description:
            'If an entity has no featured asset, it gets the first asset of the record, unless the record names one.',
    }),
    onPictureError: z.enum(['REJECT', 'SKIP']).default('REJECT').meta({
        title: 'Where a picture fails',
        group: GROUPS.images,
        description:
            'REJECT: a record is rejected if its image is missing, too large, or not an image. SKIP: the record is loaded without that image, with a line in the log, and the entity keeps its assets.',
    }),
    ...imageArguments,
};

/** The right that new pictures need. */
export function mayCreateAssets({ assetsMode }: JsonObject): readonly PossibleRight[] {
    const need = [Permission.CreateCatalog, Permission.CreateAsset];
    const reason = 'records with new pictures create assets; set assetsMode to REMOVE to create none';
    return assetsMode === 'REMOVE' ? [] : [{ need, reason }];
}

/** The notes about assets of all loads of entities with assets. */
export const ASSETS_NOTES = [
    'An asset is the address of an image, which may be relative to pictureBaseUrl, or {url, sha256}, {base64}, or an existing asset as {id}, {name} or {source}. Without pictureBaseUrl, a text that is not an address is the source of an existing asset, as the extractor platformQuery reads it. `assets` is the ordered list of assets and featuredAsset the featured one; null removes them.',
    'Images are downloaded before the batch is written, as in assetImport: each one once per run, and identical bytes are one asset per channel. If a server is unavailable, the request is retried as set in the pipeline. A dry run does not download images.',
] as const;

/** The options of a step for assets. */
export interface EntityAssetOptions extends ImageOptions {
    readonly assetsMode?: ListMode | undefined;
    readonly featureFirstAsset: boolean;
    readonly onPictureError: 'REJECT' | 'SKIP';
}

/** An asset that a record names: a picture to be fetched, or one of the shop by its id, its name or its stored file. */
export type RequestedAsset = { readonly path: string } & (
    | { readonly picture: RequestedImage }
    | { readonly id: string }
    | { readonly name: string }
    | { readonly source: string }
);

/** The assets of a record; missing fields are left unchanged. */
export interface DesiredAssets {
    readonly assets: readonly RequestedAsset[] | undefined;
    /** null takes it away. */
    readonly featured: RequestedAsset | null | undefined;
}

/** For records without assets, and for deletes, which fetch none. */
export const NO_ASSETS: DesiredAssets = { assets: undefined, featured: undefined };

/** The names of the two fields in a record. */
interface AssetFieldNames {
    readonly assets: string;
    readonly featuredAsset: string;
}

const KEYS = ['url', 'base64', 'id', 'name', 'source'] as const;
const FORMS = 'allowed: a URL, or an object with one of url, base64, id, name, source';

/** Reads the assets that a record names, and which one is featured. */
export function readAssets(reader: FieldReader, names: AssetFieldNames, options: ImageOptions): DesiredAssets {
    if (!reader.has(names.assets) && !reader.has(names.featuredAsset)) return NO_ASSETS;
    return {
        assets: listIn(reader, names.assets, options),
        featured: featuredIn(reader, names.featuredAsset, options),
    };
}

function listIn(reader: FieldReader, field: string, options: ImageOptions): readonly RequestedAsset[] | undefined {
    const value = reader.data[field];
    if (value === undefined) return undefined;
    if (value === null) return [];
    if (!Array.isArray(value)) return reader.refuse(field, `allowed: a list; each: ${FORMS.slice('allowed: '.length)}`);
    return (value as readonly JsonValue[]).flatMap(
        (entry, i) => assetIn(entry, { reader, path: `${reader.path(field)}.${i}`, options }) ?? [],
    );
}

function featuredIn(reader: FieldReader, field: string, options: ImageOptions): RequestedAsset | null | undefined {
    const value = reader.data[field];
    if (value === undefined || value === null) return value;
    return assetIn(value, { reader, path: reader.path(field), options });
}

interface Place {
    readonly reader: FieldReader;
    readonly path: string;
    readonly options: ImageOptions;
}

function assetIn(entry: JsonValue, { reader, path, options }: Place): RequestedAsset | undefined {
    const { faults: issues } = reader;
    if (typeof entry === 'string' && entry.trim() !== '') {
        const text = entry.trim();
        if (options.pictureBaseUrl === undefined && !URL.canParse(text)) {
            const problem = textProblem(text, undefined);
            return problem === undefined ? { path, source: text } : (issues.add(path, problem, text) as undefined);
        }
        return pictured(path, imageAt(text, options, { path, faults: issues }));
    }
    if (!isJsonObject(entry)) return issues.add(path, invalidText(entry, FORMS), entry) as undefined;
    const inside = new FieldReader(entry, issues, `${path}.`);
    const unknown = Object.keys(entry).find(key => !([...KEYS, 'sha256'] as readonly string[]).includes(key));
    if (unknown !== undefined) return inside.wrong(unknown, `is nothing that an asset has; ${FORMS}`);
    const [key, ...others] = KEYS.filter(one => inside.has(one));
    if (key === undefined || others.length > 0)
        return issues.add(
            path,
            `has ${[key, ...others].filter(Boolean).join(' and ') || 'none of them'}; ${FORMS}`,
            entry,
        ) as undefined;
    const digest = inside.unpadded('sha256')?.toLowerCase();
    const isPicture = key === 'url' || key === 'base64';
    if (digest !== undefined && !(isPicture && /^[0-9a-f]{64}$/.test(digest)))
        return inside.refuse('sha256', 'allowed: 64 hexadecimal digits, together with url or base64');
    if (inside.has('sha256') && digest === undefined) return undefined;
    if (!isPicture) {
        const text = inside.key(key);
        if (text === undefined) return undefined;
        if (key === 'id') return { path: `${path}.id`, id: text };
        return key === 'name' ? { path: `${path}.name`, name: text } : { path: `${path}.source`, source: text };
    }
    const text = key === 'url' ? inside.unpadded(key) : inside.text(key);
    const given = { path: `${path}.${key}`, faults: issues, digest };
    if (text === undefined) return undefined;
    return pictured(given.path, (key === 'url' ? imageAt : imageOf)(text, options, given));
}

function pictured(path: string, picture: RequestedImage | undefined): RequestedAsset | undefined {
    return picture && { path, picture };
}

import type { JsonObject } from '../../core/value/json';
import type { DesiredEntity } from '../entities/entity-record';
import type { FieldNames } from '../entities/entity-config';
import type { RecordIssues } from '../entities/record-issues';
import { type DesiredAssets, NO_ASSETS, readAssets } from '../entity-assets/read-assets';
import type { ImageOptions } from '../asset-import/requested-image';
import { FieldReader } from '../entities/read-field';
import { type DesiredOperation, type OperationDefinitions, readOperations } from '../operations/read-operation';

/** The names of the collections from the top level down to a parent. */
export type ParentPath = readonly string[];

/** A slug or name, the names from the top level down, or null for the top level. */
export type ParentReference = string | ParentPath | null;

/** The values that a record sets for a collection. */
export interface DesiredCollection extends DesiredEntity {
    readonly parent: ParentReference | undefined;
    readonly position: number | undefined;
    readonly filters: readonly DesiredOperation[] | undefined;
    readonly gallery: DesiredAssets;
}

const MAX_POSITION = 2_147_483_647;
const MAX_LEVELS = 20;

interface Reading {
    readonly names: FieldNames;
    readonly definitions: OperationDefinitions;
    readonly pictures: ImageOptions;
    readonly faults: RecordIssues;
}

/** Reads the fields of a record that only collections have; `base` has the others. */
export function readCollection(
    data: JsonObject,
    base: DesiredEntity,
    { names, definitions, pictures, faults: issues }: Reading,
): DesiredCollection {
    const reader = new FieldReader(data, issues);
    const parent = names['parent']!;
    const position = reader.whole(names['position']!, MAX_POSITION);
    if (position !== undefined && position < 0) reader.refuse(names['position']!, 'allowed: 0 or more');
    const named = { assets: names['assets']!, featuredAsset: names['featuredAsset']! };
    const gallery = readAssets(reader, named, pictures);
    return {
        ...base,
        ...readParent(reader, { data, field: parent, name: base.name }),
        position,
        filters: readOperations(reader, names['filters']!, definitions),
        gallery: base.isDelete ? NO_ASSETS : gallery,
    };
}

/** The parent of a record. The slug of a new collection with a path is made of the whole path. */
function readParent(
    reader: FieldReader,
    { data, field, name }: { readonly data: JsonObject; readonly field: string; readonly name: string | undefined },
): Pick<DesiredCollection, 'parent' | 'keySource'> {
    const value = data[field];
    if (value === null) return { parent: null };
    if (!Array.isArray(value)) return { parent: reader.key(field) };
    const path = reader.allTexts(field) ?? [];
    if (path.length === 0) return { parent: null };
    if (path.length > MAX_LEVELS) reader.refuse(field, `allowed: at most ${MAX_LEVELS} names`);
    return { parent: path, ...(name !== undefined && { keySource: [...path, name].join(' ') }) };
}

import type { JsonObject } from '../../core/value/json';
import type { DesiredEntity } from '../entities/entity-record';
import type { FieldNames } from '../entities/entity-config';
import type { RecordIssues } from '../entities/record-issues';
import { type DesiredAssets, NO_ASSETS, readAssets } from '../entity-assets/read-assets';
import type { ImageOptions } from '../asset-import/requested-image';
import { FieldReader } from '../entities/read-field';
import { type DesiredOperation, type OperationDefinitions, readOperations } from '../operations/read-operation';

/** The values that a record sets for a collection. */
export interface DesiredCollection extends DesiredEntity {
    /** The slug of the parent; null for none. */
    readonly parent: string | null | undefined;
    readonly position: number | undefined;
    readonly filters: readonly DesiredOperation[] | undefined;
    readonly gallery: DesiredAssets;
}

const MAX_POSITION = 2_147_483_647;

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
        parent: data[parent] === null ? null : reader.key(parent),
        position,
        filters: readOperations(reader, names['filters']!, definitions),
        gallery: base.isDelete ? NO_ASSETS : gallery,
    };
}

import type { CustomFields, ID, RequestContext, VendureEntity } from '@vendure/core';
import type { ObjectType } from 'typeorm';
import type { JsonValue } from '../../core/value/json';
import type { Columns } from '../entities/columns';
import type { RecordIssues } from '../entities/record-issues';
import type { AnyOf, VendurePlatform } from '../context';
import type { ServiceField } from './service-field';

/** Values by field, and of custom fields by `customFields.` and their names. */
export type Values = Readonly<Record<string, JsonValue>>;

/** The input of a service: the changed values, or those of a new entity; ids in the place of names. */
export type ServiceInput = Readonly<Record<string, unknown>>;

/** The values that a record sets, after all errors in its values were reported. */
export interface RequestedInput {
    readonly ctx: RequestContext;
    /** The id of an existing entity; undefined for a new one, and for one that a dry run has planned. */
    readonly id: ID | undefined;
    readonly key: string;
    readonly isDelete: boolean;
    /** The values that it would have. */
    readonly values: Columns;
    readonly faults: RecordIssues;
    /** How the record calls a field. */
    nameOf(field: string): string;
}

interface ChannelMove {
    readonly id: ID;
    readonly channelId: ID;
}

/** The service of a kind of entity. Every call uses the context of the record's transaction. */
export interface EntityService {
    create(ctx: RequestContext, input: ServiceInput): Promise<unknown>;
    update(ctx: RequestContext, input: ServiceInput & { readonly id: ID }): Promise<unknown>;
    remove(ctx: RequestContext, id: ID): Promise<unknown>;
    /** Brings it into another channel, and takes it out of one; of entities that have a field of the kind "channels". */
    assign?(ctx: RequestContext, move: ChannelMove): Promise<unknown>;
    take?(ctx: RequestContext, move: ChannelMove): Promise<unknown>;
    /** Reports problems of the record that the service would not report in the terms of a record. */
    check?(requested: RequestedInput): Promise<void>;
    /** Reloads what the service caches of the tables in this process. */
    refresh?(ctx: RequestContext): Promise<void>;
}

/**
 * Everything that Flow needs for a kind of entity that Vendure's own service writes (docs/adr/0005-loader-kinds.md).
 */
export interface ServiceEntity<F extends string = string> {
    /** As Vendure calls it. */
    readonly name: string;
    /** One and many, within a sentence. */
    readonly called: readonly [one: string, many: string];
    readonly type: ObjectType<VendureEntity>;
    /** The field that it is found by. */
    readonly key: NoInfer<F>;
    /** Fields with unique values, in addition to the key. */
    readonly unique?: ReadonlyArray<NoInfer<F>>;
    /** Fields that every update must contain, since the service empties missing ones. */
    readonly handedAlways?: ReadonlyArray<NoInfer<F>>;
    readonly customFields: keyof CustomFields;
    readonly permissions: { readonly create: AnyOf; readonly update: AnyOf; readonly delete: AnyOf };
    readonly fields: Readonly<Record<F, ServiceField>>;
    /** The record's values with derived ones; `before` has the current values. */
    derive?(said: Values, before: Columns): Values;
    open(platform: VendurePlatform): EntityService;
}

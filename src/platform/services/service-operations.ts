import { ConfigService, type RequestContext } from '@vendure/core';
import type { StatementProgram } from '../../core/adapter/loader';
import type { JsonObject, JsonValue } from '../../core/value/json';
import type { EntityDescription } from '../entities/description';
import type { RecordIssues } from '../entities/record-issues';
import type { FieldReader } from '../entities/read-field';
import type { UnitOfWork } from '../entities/unit-of-work';
import { NamedEntities, type StoredOperation } from '../operations/named-entities';
import {
    type DesiredOperation,
    type OperationDefinitions,
    readOperation,
    readOperations,
} from '../operations/read-operation';
import {
    idsIn,
    type NamesById,
    operationInput,
    readableOperation,
    shownOperation,
} from '../operations/shown-operation';
import type { ServiceEntity } from './service-entity';
import type { OperationsField } from './service-field';
import type { ServiceWork } from './service-work';

/** The operations in a record, by field. */
export type DesiredOperations = ReadonlyMap<string, readonly DesiredOperation[]>;

interface Defined extends Pick<OperationsField, 'isList' | 'mayBeNone'> {
    readonly definitions: OperationDefinitions;
}

/** The configurable operations of a kind of entity: in records, in the shop, and for its service. */
export class ServiceOperations {
    private readonly fields: ReadonlyMap<string, Defined>;
    private readonly named: NamedEntities;

    constructor(
        entity: ServiceEntity,
        private readonly work: ServiceWork,
        channelCode: string,
    ) {
        const config = work.platform.injector.get(ConfigService);
        this.fields = new Map(
            Object.entries(entity.fields).flatMap(([name, field]) =>
                field.kind === 'operations'
                    ? [[name, { ...field, definitions: field.definitions(config) }] as const]
                    : [],
            ),
        );
        this.named = new NamedEntities(work.platform, channelCode);
    }

    has(field: string): boolean {
        return this.fields.has(field);
    }

    /** Reads the operations of a record, each with its definition in the shop. */
    read(reader: FieldReader, names: Readonly<Record<string, string>>): DesiredOperations {
        const read = new Map<string, readonly DesiredOperation[]>();
        for (const [field, { isList, mayBeNone, definitions }] of this.fields) {
            const name = names[field]!;
            const one = isList ? undefined : readOperation(reader, name, definitions);
            if (one === null && mayBeNone !== true) reader.wrong(name, 'cannot be emptied');
            const all = isList ? readOperations(reader, name, definitions) : one === null ? [] : one && [one];
            if (all) read.set(field, all);
        }
        return read;
    }

    /** With ids instead of names, as values; names without a match are added to `faults`. */
    async resolved(
        ctx: RequestContext,
        desired: DesiredOperations,
        issues: RecordIssues,
    ): Promise<Record<string, JsonValue>> {
        const all = [...desired.values()].flat();
        if (all.length === 0) return this.values(desired, () => []);
        return this.work.read(ctx, work => this.resolving({ work, desired, faults: issues }, all));
    }

    private *resolving(
        {
            work,
            desired,
            faults: issues,
        }: { readonly work: UnitOfWork; readonly desired: DesiredOperations; readonly faults: RecordIssues },
        all: readonly DesiredOperation[],
    ): StatementProgram<Record<string, JsonValue>> {
        yield* this.named.read(work, all);
        return this.values(desired, one => this.named.stored(work, one, issues) ?? []);
    }

    private values(
        desired: DesiredOperations,
        stored: (operation: DesiredOperation) => StoredOperation | readonly never[],
    ): Record<string, JsonValue> {
        return Object.fromEntries(
            [...desired].map(([field, operations]) => {
                const { isList } = this.fields.get(field)!;
                const found = operations.flatMap(stored);
                return [field, this.valueOf(field, isList ? found : (found[0] ?? null))] as const;
            }),
        );
    }

    /** What the shop has in a field, as records have it. */
    valueOf(field: string, stored: unknown): JsonValue {
        const { definitions } = this.fields.get(field)!;
        if (stored === null || stored === undefined) return null;
        return Array.isArray(stored)
            ? (stored as readonly StoredOperation[]).map(one => shownOperation(definitions, one))
            : shownOperation(definitions, stored as StoredOperation);
    }

    /** A value as the service takes it. */
    input(field: string, value: JsonValue): unknown {
        return this.each(field, value, operationInput);
    }

    /** The same values in a readable form; only the fields with operations differ. */
    async readable(ctx: RequestContext, parts: readonly JsonObject[]): Promise<readonly JsonObject[]> {
        const requested = new Map<EntityDescription, Set<string>>();
        for (const part of parts)
            for (const [field, value] of Object.entries(part))
                for (const [entity, id] of this.has(field) ? this.idsOf(field, value!) : [])
                    requested.set(entity, (requested.get(entity) ?? new Set()).add(id));
        const names =
            requested.size === 0 ? undefined : await this.work.read(ctx, work => this.naming(work, requested));
        const toRead = (field: string, value: JsonValue): JsonValue =>
            this.has(field)
                ? (this.each(field, value, (all, one) => readableOperation(all, one, names)) as JsonValue)
                : value;
        return parts.map(part =>
            Object.fromEntries(Object.entries(part).map(([field, value]) => [field, toRead(field, value!)])),
        );
    }

    private idsOf(field: string, value: JsonValue): ReadonlyArray<readonly [EntityDescription, string]> {
        const found = this.each(field, value, idsIn) as
            ReturnType<typeof idsIn> | ReadonlyArray<ReturnType<typeof idsIn>> | null;
        return this.fields.get(field)!.isList
            ? ((found ?? []) as ReadonlyArray<ReturnType<typeof idsIn>>).flat()
            : ((found ?? []) as ReturnType<typeof idsIn>);
    }

    private *naming(
        work: UnitOfWork,
        requested: ReadonlyMap<EntityDescription, ReadonlySet<string>>,
    ): StatementProgram<NamesById> {
        const names = new Map<EntityDescription, ReadonlyMap<string, string>>();
        for (const [entity, ids] of requested) names.set(entity, yield* this.named.names(work, entity, ids));
        return names;
    }

    private each(
        field: string,
        value: JsonValue,
        to: (definitions: OperationDefinitions, operation: JsonObject) => unknown,
    ): unknown {
        const { definitions } = this.fields.get(field)!;
        if (value === null) return null;
        return Array.isArray(value)
            ? (value as readonly JsonObject[]).map(one => to(definitions, one))
            : to(definitions, value as JsonObject);
    }
}

import 'reflect-metadata';
import { EXCEPTION_FILTERS_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { PERMISSIONS_METADATA_KEY } from '@vendure/core';
import {
    type DocumentNode,
    type EnumTypeDefinitionNode,
    type FieldDefinitionNode,
    type InputObjectTypeDefinitionNode,
    type ObjectTypeDefinitionNode,
} from 'graphql';
import { adminApiSchema } from '../src/plugin/api/schema';
import { FlowPlugin } from '../src/plugin/flow.plugin';
import { flowPermissions } from '../src/plugin/permissions';

/** One query or mutation of the admin API. */
export interface Operation {
    readonly kind: 'Query' | 'Mutation';
    readonly name: string;
    readonly field: FieldDefinitionNode;
    /** Any one of them suffices. `undefined` if its resolver names none, which would admit everyone. */
    readonly permissions: readonly string[] | undefined;
}

/** A field that is null for users who lack an additional permission. */
export interface GuardedField {
    readonly type: string;
    readonly field: string;
    readonly permission: string;
}

/** The words in the descriptions of guarded fields, and the permission that they mean. */
const GUARDS: Readonly<Record<string, string>> = {
    'read pipelines': 'ReadFlowPipeline',
    'read runs': 'ReadFlowRun',
    'read records': 'ReadFlowRecord',
    'manage connections': 'ManageFlowConnections',
    'manage secrets': 'ManageFlowSecrets',
};

/** Permissions that open nothing by themselves, and when they are required. */
export const ASKED_FOR_CONTENT: Readonly<Record<string, string>> = {
    EditFlowScript:
        "needed in addition to the operation's own permission for a definition with new, changed or moved code",
};

/** What a plugin adds to the admin API, in Vendure's form. */
interface ApiExtension {
    readonly schema: DocumentNode;
    readonly resolvers: ReadonlyArray<abstract new (...args: never[]) => unknown>;
}

const definitions = adminApiSchema.definitions;

export const objectTypes = definitions.filter(
    (node): node is ObjectTypeDefinitionNode => node.kind === 'ObjectTypeDefinition',
);
export const enums = definitions.filter((node): node is EnumTypeDefinitionNode => node.kind === 'EnumTypeDefinition');
export const inputs = definitions.filter(
    (node): node is InputObjectTypeDefinitionNode => node.kind === 'InputObjectTypeDefinition',
);

/** Flow's permissions, with what each grants. */
export const permissions = flowPermissions.flatMap(permission => permission.getMetadata());

/** The queries, then the mutations, in the order of the schema, with the permissions that Vendure enforces. */
export function operations(): readonly Operation[] {
    const allowed = allowedByResolver();
    return (['Query', 'Mutation'] as const).flatMap(kind =>
        definitions.flatMap(node =>
            (node.kind === 'ObjectTypeExtension' && node.name.value === kind ? (node.fields ?? []) : []).map(field => {
                const name = field.name.value;
                return { kind, name, field, permissions: allowed.get(`${kind}.${name}`) };
            }),
        ),
    );
}

/** Maps `Query.flowPipelines` and so on to the permissions of its resolver, from the metadata of @Allow. */
export function allowedByResolver(): ReadonlyMap<string, readonly string[] | undefined> {
    return new Map(
        resolved().map(({ operation, method }) => [
            operation,
            Reflect.getMetadata(PERMISSIONS_METADATA_KEY, method) as readonly string[] | undefined,
        ]),
    );
}

/** Maps `Query.flowPipelines` and so on to the pipes of its parameters, from the metadata of @Args. */
export function pipesOfResolvers(): ReadonlyMap<string, readonly unknown[]> {
    return new Map(
        resolved().map(({ operation, resolver, name }) => {
            const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, resolver, name) ?? {}) as Readonly<
                Record<string, { readonly pipes?: readonly unknown[] }>
            >;
            return [operation, Object.values(parameters).flatMap(({ pipes = [] }) => pipes)];
        }),
    );
}

/** Maps `Query.flowPipelines` and so on to the exception filters of its resolver. */
export function filtersOfResolvers(): ReadonlyMap<string, readonly unknown[]> {
    return new Map(
        resolved().map(({ operation, resolver }) => [
            operation,
            (Reflect.getMetadata(EXCEPTION_FILTERS_METADATA, resolver) ?? []) as readonly unknown[],
        ]),
    );
}

interface Resolved {
    readonly operation: string;
    readonly resolver: object;
    readonly name: string;
    readonly method: object;
}

function resolved(): readonly Resolved[] {
    const { resolvers } = Reflect.getMetadata('adminApiExtensions', FlowPlugin) as ApiExtension;
    return resolvers.flatMap(resolver =>
        methodsOf(resolver.prototype as object).flatMap(([name, method]): Resolved[] => {
            const kind: unknown = Reflect.getMetadata('graphql:resolver_type', method);
            if (kind !== 'Query' && kind !== 'Mutation') return [];
            return [{ operation: `${kind}.${name}`, resolver, name, method }];
        }),
    );
}

/** Fields whose description contains "… unless the caller may …". Throws if the words after it are not known. */
export function guardedFields(): readonly GuardedField[] {
    return objectTypes.flatMap(type =>
        (type.fields ?? []).flatMap(field => {
            const words = /unless the caller may ([a-z ]+)/.exec(descriptionOf(field))?.[1];
            if (words === undefined) return [];
            const permission = GUARDS[words];
            if (permission === undefined) {
                throw new Error(
                    `${type.name.value}.${field.name.value}: "${words}" is not a permission; known: ${Object.keys(GUARDS).join(', ')}`,
                );
            }
            return [{ type: type.name.value, field: field.name.value, permission }];
        }),
    );
}

/** The description of a node of the schema. Empty if it has none. */
export function descriptionOf(node: { readonly description?: { readonly value: string } | undefined }): string {
    return node.description?.value ?? '';
}

function methodsOf(prototype: object): ReadonlyArray<readonly [string, object]> {
    return Object.entries(Object.getOwnPropertyDescriptors(prototype)).flatMap(([name, { value }]) =>
        typeof value === 'function' && name !== 'constructor' ? [[name, value as object] as const] : [],
    );
}

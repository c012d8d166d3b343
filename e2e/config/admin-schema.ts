import type { INestApplication } from '@nestjs/common';
import type { SimpleGraphQLClient } from '@vendure/testing';
import {
    buildClientSchema,
    getIntrospectionQuery,
    getNamedType,
    type GraphQLField,
    type GraphQLObjectType,
    type GraphQLSchema,
    isObjectType,
    parse,
} from 'graphql';

/** The schema as the server returns it, with everything that was generated into it. */
export async function schemaOf(client: SimpleGraphQLClient): Promise<GraphQLSchema> {
    return buildClientSchema((await client.query(parse(getIntrospectionQuery()))) as never);
}

/** The queries and mutations whose name or type belongs to Flow, by name. */
export function flowOperations(schema: GraphQLSchema): ReadonlyMap<string, GraphQLField<unknown, unknown>> {
    const roots = [schema.getQueryType(), schema.getMutationType()];
    return new Map(
        roots.flatMap(root =>
            Object.values(root?.getFields() ?? {})
                .filter(field => /flow/i.test(field.name) || isOfFlow(getNamedType(field.type).name))
                .map(field => [field.name, field] as const),
        ),
    );
}

/** The object types of Flow. */
export function flowTypes(schema: GraphQLSchema): readonly GraphQLObjectType[] {
    return Object.values(schema.getTypeMap())
        .filter(isObjectType)
        .filter(({ name }) => isOfFlow(name));
}

/** Fields of other types that lead to Flow; `Product.flowRuns`, for example, would be one. */
export function waysInto(schema: GraphQLSchema): readonly string[] {
    const roots = [schema.getQueryType(), schema.getMutationType()];
    const others = Object.values(schema.getTypeMap())
        .filter(isObjectType)
        .filter(type => !isOfFlow(type.name) && !roots.includes(type));
    return others.flatMap(type =>
        Object.values(type.getFields())
            .filter(field => isOfFlow(field.name) || isOfFlow(getNamedType(field.type).name))
            .map(field => `${type.name}.${field.name}`),
    );
}

/** The text of one operation with the given arguments and this selection. */
export function operationText(
    schema: GraphQLSchema,
    { name, args, selection }: { name: string; args: object; selection: string },
): string {
    const field = flowOperations(schema).get(name);
    if (!field) throw new Error(`The schema has no operation "${name}"`);
    const kind = schema.getQueryType()?.getFields()[name] ? 'query' : 'mutation';
    const given = field.args.filter(arg => arg.name in args);
    const head = given.length === 0 ? '' : `(${given.map(arg => `$${arg.name}: ${String(arg.type)}`).join(', ')})`;
    const tail = given.length === 0 ? '' : `(${given.map(arg => `${arg.name}: $${arg.name}`).join(', ')})`;
    return `${kind} Call${head} { ${name}${tail}${selection === '' ? '' : ` { ${selection} }`} }`;
}

/** All fields of a type and of the types that it contains, without a type within itself. */
export function selectionOf(type: GraphQLObjectType, within: readonly string[] = []): string {
    const fields = Object.values(type.getFields()).filter(field => field.args.length === 0);
    return fields
        .flatMap(field => {
            const inner = getNamedType(field.type);
            if (!isObjectType(inner)) return [field.name];
            const path = [...within, type.name];
            return path.includes(inner.name) ? [] : [`${field.name} { ${selectionOf(inner, path)} }`];
        })
        .join(' ');
}

/** A field that has a value, and the guarded fields on the path to it, including itself. */
export interface SeenField {
    readonly path: string;
    readonly guards: readonly string[];
}

/** The guarded fields that have a value in a response of this type; each path once, however many items there are. */
export function seenIn(type: GraphQLObjectType, answer: unknown, guarded: ReadonlySet<string>): readonly SeenField[] {
    const seen = new Map<string, SeenField>();
    const walk = (at: GraphQLObjectType, value: unknown, { path, guards }: SeenField): void => {
        if (Array.isArray(value)) return value.forEach(item => walk(at, item, { path, guards }));
        for (const [name, inner] of Object.entries((value ?? {}) as object)) {
            const field = at.getFields()[name];
            if (!field || inner === null) continue;
            const id = `${at.name}.${name}`;
            const here = {
                path: path === '' ? name : `${path}.${name}`,
                guards: guarded.has(id) ? [...guards, id] : guards,
            };
            if (guarded.has(id)) seen.set(here.path, here);
            const next = getNamedType(field.type);
            if (isObjectType(next)) walk(next, inner, here);
        }
    };
    walk(type, answer, { path: '', guards: [] });
    return [...seen.values()];
}

interface RouterLayer {
    readonly route?: { readonly path: string | readonly string[]; readonly methods: Readonly<Record<string, boolean>> };
    readonly handle?: { readonly stack?: readonly RouterLayer[] };
}

/** Every route that the server's router has, such as `GET /health`. */
export function routesOf(app: INestApplication): readonly string[] {
    const { router } = app.getHttpAdapter().getInstance() as { router: { stack: readonly RouterLayer[] } };
    const routes = (layers: readonly RouterLayer[]): readonly string[] =>
        layers.flatMap(({ route, handle }) => {
            if (!route) return routes(handle?.stack ?? []);
            const methods = Object.keys(route.methods).map(method => method.toUpperCase());
            return [route.path].flat().flatMap(path => methods.map(method => `${method} ${path}`));
        });
    return routes(router.stack);
}

function isOfFlow(name: string): boolean {
    return /^flow/i.test(name);
}

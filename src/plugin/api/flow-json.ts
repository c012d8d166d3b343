import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import type { JsonValue } from '../../core/value/json';

/**
 * A JSON object or list on its way through the server. Vendure walks all arguments and responses for the ids of entities, and fails on
 * fields with a name that every object has ("constructor"). Sealed JSON hides its fields until it is unsealed or sent.
 */
class SealedJson {
    readonly #value: object;

    constructor(value: object) {
        this.#value = value;
    }

    /** The same object that was sealed. */
    open(): object {
        return this.#value;
    }

    /** The JSON that is sent. */
    toJSON(): object {
        return this.#value;
    }
}

/**
 * JSON that passes unchanged. In values of Vendure's scalar JSON, everything called "id" is treated as the id of an entity and rewritten on
 * output: a record `{id: 7}` would become `{id: "7"}`. Resolvers read their arguments with `@DecodedArgs()`.
 */
export const flowJson = new GraphQLScalarType({
    name: 'FlowJSON',
    description: 'Any JSON value, passed on unchanged: a record, a definition, a configuration.',
    serialize: sealed,
    parseValue: sealed,
    parseLiteral: (node, variables) => sealed(literal(node, variables ?? {})),
});

/** Unseals all JSON in the arguments. */
export function unsealed(value: unknown): unknown {
    if (value instanceof SealedJson) return value.open();
    if (Array.isArray(value)) return value.map(unsealed);
    if (typeof value !== 'object' || value === null || value instanceof Date) return value;
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, unsealed(field)]));
}

function sealed(value: unknown): unknown {
    return typeof value === 'object' && value !== null ? new SealedJson(value) : value;
}

function literal(node: ValueNode, variables: Readonly<Record<string, unknown>>): unknown {
    switch (node.kind) {
        case Kind.STRING:
        case Kind.BOOLEAN:
        case Kind.ENUM:
            return node.value;
        case Kind.INT:
        case Kind.FLOAT:
            return Number(node.value);
        case Kind.NULL:
            return null;
        case Kind.LIST:
            return node.values.map(value => literal(value, variables));
        // Only a property definition makes "__proto__" an ordinary field.
        case Kind.OBJECT:
            return Object.fromEntries(
                node.fields.map(field => [field.name.value, literal(field.value, variables)]),
            ) as Record<string, JsonValue>;
        case Kind.VARIABLE:
            return unsealed(variables[node.name.value]);
        default:
            throw new GraphQLError('FlowJSON: this is not a JSON value', { nodes: node });
    }
}

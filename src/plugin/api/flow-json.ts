import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import type { JsonValue } from '../../core/value/json';

/**
 * A JSON object or list on its way through the server. Vendure walks all arguments and all answers for the ids of entities, and cannot pass
 * fields called as something that every object has ("constructor"): nothing can be seen of what is sealed until it is opened or sent.
 */
export class SealedJson {
    readonly #value: object;

    constructor(value: object) {
        this.#value = value;
    }

    /** What was sealed, the very same. */
    open(): object {
        return this.#value;
    }

    /** What is sent of it. */
    toJSON(): object {
        return this.#value;
    }
}

/**
 * JSON that goes through as it is. Vendure takes whatever is called "id" in a value of its own scalar JSON for the id of an entity and
 * rewrites it on the way out: of a record `{id: 7}` it would make `{id: "7"}`. Resolvers take their arguments with `@DecodedArgs()`.
 */
export const flowJson = new GraphQLScalarType({
    name: 'FlowJSON',
    description: 'Any JSON value, passed on unchanged: a record, a definition, a configuration.',
    serialize: sealed,
    parseValue: sealed,
    parseLiteral: (node, variables) => sealed(literal(node, variables ?? {})),
});

/** Arguments with all that is sealed in them opened. */
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
        // A field "__proto__" must be an ordinary field, which only a definition makes it.
        case Kind.OBJECT:
            return Object.fromEntries(
                node.fields.map(field => [field.name.value, literal(field.value, variables)]),
            ) as Record<string, JsonValue>;
        case Kind.VARIABLE:
            return unsealed(variables[node.name.value]);
        default:
            throw new GraphQLError('FlowJSON: this is no JSON value', { nodes: node });
    }
}

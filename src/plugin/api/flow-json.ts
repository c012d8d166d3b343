import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import type { JsonValue } from '../../core/data/json';

/**
 * JSON that goes through as it is. Vendure takes whatever is called "id" in a value of its own scalar JSON for the id of an entity and
 * rewrites it on the way out: of a record `{id: 7}` it would make `{id: "7"}`.
 */
export const flowJson = new GraphQLScalarType({
    name: 'FlowJSON',
    description: 'Any JSON value, passed on unchanged: a record, a definition, a configuration.',
    serialize: value => value,
    parseValue: value => value,
    parseLiteral: (node, variables) => literal(node, variables ?? {}),
});

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
            return variables[node.name.value];
        default:
            throw new GraphQLError('FlowJSON: this is no JSON value', { nodes: node });
    }
}

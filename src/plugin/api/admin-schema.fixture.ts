import { buildASTSchema, concatAST, type GraphQLSchema, Kind, parse } from 'graphql';
import { adminApiSchema } from './schema';

const OF_VENDURE = parse(`
    scalar DateTime
    enum DeletionResult { DELETED }
    type DeletionResponse { result: DeletionResult! }
    interface Node { id: ID! }
    interface PaginatedList { totalItems: Int! }
    type Product { id: ID!, variants: [Product!]! }
    type Query { products: [Product!]! }
    type Mutation { nothing: Boolean }
`);
/** The fields that Vendure generates for the options of lists. */
const LIST_OPTIONS = parse(
    adminApiSchema.definitions
        .flatMap(one =>
            one.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION && one.name.value.endsWith('ListOptions')
                ? [`extend input ${one.name.value} { take: Int, skip: Int }`]
                : [],
        )
        .join('\n'),
);

/** Flow's part of the admin API, without resolvers, with as much of Vendure's as it needs. */
export function adminSchema(): GraphQLSchema {
    return buildASTSchema(concatAST([OF_VENDURE, adminApiSchema, LIST_OPTIONS]), { assumeValid: true });
}

import { initGraphQLTada } from 'gql.tada';
import type { introspection } from './graphql-env.d.ts';

/** Writes typed documents of Flow's part of the admin API; `npm run docs` renews the types. */
export const graphql = initGraphQLTada<{
    disableMasking: true;
    introspection: introspection;
    scalars: { DateTime: string; FlowJSON: unknown };
}>();

export type { ResultOf, VariablesOf } from 'gql.tada';

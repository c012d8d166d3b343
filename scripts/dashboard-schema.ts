import 'reflect-metadata';
import { minifyIntrospection, outputIntrospectionFile } from '@gql.tada/internal';
import { GraphQLTypesLoader } from '@nestjs/graphql';
import {
    getConfig,
    getFinalVendureSchema,
    resetConfig,
    runPluginConfigurations,
    setConfig,
    VENDURE_ADMIN_API_TYPE_PATHS,
} from '@vendure/core';
import {
    buildSchema,
    type GraphQLFieldConfigMap,
    GraphQLObjectType,
    GraphQLSchema,
    introspectionFromSchema,
} from 'graphql';
import { FlowPlugin } from '../src/plugin/flow.plugin';

/** The types of Flow's part of the admin API, sort and filter inputs included, by which the pages' documents are typed. */
export async function dashboardTypes(): Promise<string> {
    const introspection = introspectionFromSchema(flowPartOf(await adminSchema()), { descriptions: false });
    return outputIntrospectionFile(minifyIntrospection(introspection), { fileType: '.d.ts', shouldPreprocess: true });
}

async function adminSchema(): Promise<GraphQLSchema> {
    resetConfig();
    await setConfig({ plugins: [FlowPlugin], paymentOptions: { paymentMethodHandlers: [] } });
    const sdl = await getFinalVendureSchema({
        config: await runPluginConfigurations(getConfig()),
        typePaths: VENDURE_ADMIN_API_TYPE_PATHS,
        typesLoader: new GraphQLTypesLoader(),
        apiType: 'admin',
        output: 'sdl',
    });
    return buildSchema(sdl);
}

/** Only the operations of Flow, and the types that they lead to. */
function flowPartOf(schema: GraphQLSchema): GraphQLSchema {
    return new GraphQLSchema({
        query: ownFieldsOf('Query', schema.getQueryType()),
        mutation: ownFieldsOf('Mutation', schema.getMutationType()),
    });
}

function ownFieldsOf(name: string, type: GraphQLObjectType | null | undefined): GraphQLObjectType {
    const fields = Object.entries(type?.toConfig().fields ?? {}).filter(([field]) => /flow/i.test(field));
    return new GraphQLObjectType({
        name,
        fields: Object.fromEntries(fields) as GraphQLFieldConfigMap<unknown, unknown>,
    });
}

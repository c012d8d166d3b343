import { type Provider, type Type } from '@nestjs/common';
import { Logger, PluginCommonModule, type RuntimeVendureConfig, TransactionalConnection, VendurePlugin } from '@vendure/core';
import { databaseOf } from '../platform/sql/open-database';
import type { Database } from '../platform/sql/database';
import { LogResolver, RecordErrorFieldResolver } from './api/log.resolver';
import { PipelineFieldResolver, PipelineResolver, RevisionFieldResolver } from './api/pipeline.resolver';
import { RunFieldResolver, RunResolver } from './api/run.resolver';
import { adminApiSchema } from './api/schema';
import { configureFlow } from './configuration';
import { flowEntities } from './entities/flow-entities';
import type { FlowPluginOptions } from './options';
import { RunProcessor } from './queue/run.processor';
import { RunQueue } from './queue/run-queue';
import { Actors } from './services/actors';
import { EffectPublisher } from './services/effect-publisher';
import { FlowTables } from './services/flow-tables';
import { LoggedDatabase } from './services/logged-database';
import { Pipelines } from './services/pipelines';
import { RunCanceller } from './services/run-canceller';
import { RunCloser } from './services/run-closer';
import { RunPlatform } from './services/run-platform';
import { RunPreparation } from './services/run-preparation';
import { Runs } from './services/runs';
import { RunStores } from './services/run-stores';
import { RunStarter } from './services/run-starter';
import { Startup } from './services/startup';
import { type FlowSetup, setUp } from './setup';
import { FLOW_DATABASE, FLOW_SETUP, LOG_CONTEXT } from './tokens';
import { Sweeper } from './watch/sweeper';

const defaultSetup: Provider = { provide: FLOW_SETUP, useFactory: () => setUp({}) };

const providers: Provider[] = [
    {
        provide: FLOW_DATABASE,
        inject: [TransactionalConnection, FLOW_SETUP],
        useFactory: (connection: TransactionalConnection, { options }: FlowSetup): Database => {
            const database = databaseOf(connection.rawConnection);
            return options.logging.logQueries ? new LoggedDatabase(database, text => Logger.debug(text, LOG_CONTEXT)) : database;
        },
    },
    FlowTables, Startup, Pipelines, Runs, RunStarter, RunCanceller, RunCloser, RunStores, RunPlatform, RunPreparation, EffectPublisher, Actors,
    RunQueue, RunProcessor, Sweeper,
];

/** Data pipelines for Vendure: `plugins: [FlowPlugin.init({ pipelines: […] })]`. */
@VendurePlugin({
    imports: [PluginCommonModule],
    entities: flowEntities,
    providers: [...providers, defaultSetup],
    adminApiExtensions: {
        schema: adminApiSchema,
        resolvers: [
            PipelineResolver, PipelineFieldResolver, RevisionFieldResolver, RunResolver, RunFieldResolver, LogResolver, RecordErrorFieldResolver,
        ],
    },
    configuration: configureFlow,
    compatibility: '^3.7.0',
})
export class FlowPlugin {
    /**
     * A plugin class with these options. Nothing is kept outside of it, so that two servers in one process can differ. What is
     * wrong with the options or the pipelines is told when the server or the worker starts.
     */
    static init(options: FlowPluginOptions = {}): Type<FlowPlugin> {
        class ConfiguredFlowPlugin extends FlowPlugin {}
        let setup: FlowSetup | undefined;
        const setUpOnce = (): FlowSetup => (setup ??= setUp(options));
        const own = [...providers, { provide: FLOW_SETUP, useFactory: setUpOnce }];
        const metadata: Readonly<Record<string, unknown>> = {
            providers: own,
            // Vendure exports a plugin's providers, so that its resolvers, which it puts into a module of their own, find them.
            exports: own,
            configuration: (config: RuntimeVendureConfig) => {
                setUpOnce();
                return configureFlow(config);
            },
        };
        for (const [key, value] of Object.entries(metadata)) Reflect.defineMetadata(key, value, ConfiguredFlowPlugin);
        // Vendure and its dashboard know plugins by the name of their class.
        Object.defineProperty(ConfiguredFlowPlugin, 'name', { value: FlowPlugin.name });
        return ConfiguredFlowPlugin;
    }
}

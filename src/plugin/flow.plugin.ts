import { type Provider, type Type } from '@nestjs/common';
import {
    Logger,
    PluginCommonModule,
    type RuntimeVendureConfig,
    TransactionalConnection,
    VendurePlugin,
} from '@vendure/core';
import { databaseOf } from '../platform/sql/open-database';
import type { Database } from '../platform/sql/database';
import { AuthoringResolver, PublicationResolver } from './api/authoring.resolver';
import { AdapterResolver } from './api/adapter.resolver';
import { ConnectionFieldResolver, ConnectionResolver } from './api/connection.resolver';
import { FileFieldResolver, FileResolver } from './api/file.resolver';
import { DocumentResolver } from './api/document.resolver';
import { DifferenceFieldResolver, LogFieldResolver, LogResolver, RecordErrorFieldResolver } from './api/log.resolver';
import {
    PipelineEventFieldResolver,
    PipelineFieldResolver,
    PipelineResolver,
    RevisionFieldResolver,
    WorkingCopyFieldResolver,
} from './api/pipeline.resolver';
import { RunFieldResolver, RunResolver } from './api/run.resolver';
import { flowJson } from './api/flow-json';
import { adminApiSchema } from './api/schema';
import { StepTestResolver } from './api/step-test.resolver';
import { SecretFieldResolver, SecretResolver } from './api/secret.resolver';
import { Availability } from './authoring/availability';
import { DefinitionChecks } from './authoring/definition-check';
import { Documents } from './authoring/documents';
import { PipelineChanges } from './authoring/pipeline-changes';
import { Publications } from './authoring/publications';
import { RequestChecks } from './authoring/request-checks';
import { Reviews } from './authoring/reviews';
import { StoredChecks } from './authoring/stored-checks';
import { WorkingCopies } from './authoring/working-copies';
import { checkCodeFirst } from './code-first';
import { checkedLast, configureFlow } from './configuration';
import { flowEntities } from './entities/flow-entities';
import { FileRemoval } from './files/file-removal';
import { fileStorage } from './files/file-storage';
import { Files } from './files/files';
import { FilePreviews, PreviewReader } from './files/previews';
import { RejectsCsv } from './files/rejects-csv';
import { FilesController } from './http/files.controller';
import { RejectsController } from './http/rejects.controller';
import type { FlowPluginOptions } from './options';
import { ParkedRuns } from './queue/parked-runs';
import { RunProcessor } from './queue/run.processor';
import { RunQueue } from './queue/run-queue';
import { ConnectionTests } from './resources/connection-test';
import { Connections } from './resources/connections';
import { KnownCodes } from './resources/known-codes';
import { ReferenceIssues } from './resources/reference-issues';
import { RunResources } from './resources/run-resources';
import { Secrets } from './resources/secrets';
import { ResourceUsage } from './resources/usage';
import { Actors } from './services/actors';
import { CodeFirstStart } from './services/code-first-start';
import { EffectPublisher } from './services/effect-publisher';
import { EndHooks } from './services/end-hooks';
import { FlowTables } from './services/flow-tables';
import { LoggedDatabase } from './services/logged-database';
import { LargeValues } from './services/large-values';
import { Lookups } from './services/lookups';
import { Outbound } from './services/outbound';
import { Pipelines } from './services/pipelines';
import { RunCanceller } from './services/run-canceller';
import { RunCloser } from './services/run-closer';
import { RunPlatform } from './services/run-platform';
import { RunPreparation } from './services/run-preparation';
import { Runs } from './services/runs';
import { RunStores } from './services/run-stores';
import { RunStarter } from './services/run-starter';
import { Startup } from './services/startup';
import { WorkLane } from './services/work-lane';
import { type FlowSetup, setUp } from './setup';
import { FLOW_DATABASE, FLOW_FILES, FLOW_SETUP, LOG_CONTEXT } from './tokens';
import { FileSweeper } from './watch/file-sweeper';
import { PreviewProcess } from './trials/preview-process';
import { TrialProcesses } from './trials/process/trial-processes';
import { StepTests } from './trials/step-tests';
import { Purger } from './watch/purger';
import { Sweeper } from './watch/sweeper';
import { UndeliveredRuns } from './watch/undelivered-runs';

const defaultSetup: Provider = { provide: FLOW_SETUP, useFactory: () => setUp({}) };

const providers: Provider[] = [
    {
        provide: FLOW_DATABASE,
        inject: [TransactionalConnection, FLOW_SETUP],
        useFactory: (connection: TransactionalConnection, { options }: FlowSetup): Database => {
            const database = databaseOf(connection.rawConnection, options.runtime.leaseMs);
            return options.logging.logQueries
                ? new LoggedDatabase(database, text => Logger.debug(text, LOG_CONTEXT))
                : database;
        },
    },
    {
        provide: FLOW_FILES,
        inject: [FLOW_SETUP],
        useFactory: ({ options }: FlowSetup) => fileStorage(options.files.storage),
    },
    Files,
    FileRemoval,
    FilePreviews,
    { provide: PreviewReader, useClass: PreviewProcess },
    TrialProcesses,
    FileSweeper,
    PipelineChanges,
    WorkLane,
    DefinitionChecks,
    RequestChecks,
    StoredChecks,
    WorkingCopies,
    Documents,
    Reviews,
    Publications,
    Availability,
    KnownCodes,
    ResourceUsage,
    Connections,
    ConnectionTests,
    Secrets,
    ReferenceIssues,
    RunResources,
    FlowTables,
    CodeFirstStart,
    Startup,
    Pipelines,
    LargeValues,
    Lookups,
    Outbound,
    Runs,
    RunStarter,
    RunCanceller,
    RunCloser,
    RunStores,
    RunPlatform,
    RunPreparation,
    EffectPublisher,
    EndHooks,
    Actors,
    RejectsCsv,
    StepTests,
    RunQueue,
    ParkedRuns,
    RunProcessor,
    UndeliveredRuns,
    Sweeper,
    Purger,
];

/** Data pipelines for Vendure: `plugins: [FlowPlugin.init({ pipelines: […] })]`. */
@VendurePlugin({
    imports: [PluginCommonModule],
    entities: flowEntities,
    controllers: [FilesController, RejectsController],
    providers: [...providers, defaultSetup],
    adminApiExtensions: {
        schema: adminApiSchema,
        scalars: { FlowJSON: flowJson },
        resolvers: [
            ConnectionResolver,
            ConnectionFieldResolver,
            FileResolver,
            FileFieldResolver,
            SecretResolver,
            SecretFieldResolver,
            AdapterResolver,
            AuthoringResolver,
            DocumentResolver,
            PublicationResolver,
            WorkingCopyFieldResolver,
            PipelineEventFieldResolver,
            PipelineResolver,
            PipelineFieldResolver,
            RevisionFieldResolver,
            RunResolver,
            RunFieldResolver,
            LogResolver,
            LogFieldResolver,
            RecordErrorFieldResolver,
            DifferenceFieldResolver,
            StepTestResolver,
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
        const check = (permissions: ReadonlySet<string>): void =>
            void checkCodeFirst(setUpOnce().pipelines, permissions);
        const own = [...providers, { provide: FLOW_SETUP, useFactory: setUpOnce }];
        const metadata: Readonly<Record<string, unknown>> = {
            providers: own,
            // Vendure exports a plugin's providers, so that its resolvers, which it puts into a module of their own, find them.
            exports: own,
            configuration: (config: RuntimeVendureConfig) => {
                setUpOnce();
                return checkedLast(config, check);
            },
        };
        for (const [key, value] of Object.entries(metadata)) Reflect.defineMetadata(key, value, ConfiguredFlowPlugin);
        // Vendure and its dashboard know plugins by the name of their class.
        Object.defineProperty(ConfiguredFlowPlugin, 'name', { value: FlowPlugin.name });
        return ConfiguredFlowPlugin;
    }
}

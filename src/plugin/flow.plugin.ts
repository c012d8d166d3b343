import { type Provider, type Type } from '@nestjs/common';
import {
    ConfigService,
    Logger,
    PluginCommonModule,
    type RuntimeVendureConfig,
    TransactionalConnection,
    VendurePlugin,
} from '@vendure/core';
import { databaseOf } from '../database/open-database';
import type { Database } from '../database/database';
import { AdapterRegistryModule, FlowAdapterRegistry } from './adapter-registry';
import { Analytics } from './analytics/analytics';
import { AnalyticsResolver } from './api/analytics.resolver';
import { AuthoringResolver, PublicationResolver } from './api/authoring.resolver';
import { AdapterResolver } from './api/adapter.resolver';
import { ConnectionFieldResolver, ConnectionResolver } from './api/connection.resolver';
import { ExportFieldResolver, FeedFieldResolver, FeedResolver } from './api/feed.resolver';
import { FileFieldResolver, FileResolver } from './api/file.resolver';
import { DocumentResolver } from './api/document.resolver';
import { EventResolver, GivenUpEventFieldResolver } from './api/event.resolver';
import { DifferenceFieldResolver, LogFieldResolver, LogResolver } from './api/log.resolver';
import { dashboardProviders, dashboardResolvers } from './dashboard-parts';
import {
    PipelineEventFieldResolver,
    PipelineFieldResolver,
    PipelineResolver,
    RevisionFieldResolver,
    WorkingCopyFieldResolver,
} from './api/pipeline.resolver';
import { RunFieldResolver, RunResolver } from './api/run.resolver';
import { SavedPositionResolver } from './api/saved-position.resolver';
import { SourcePositions } from './pipelines/source-positions';
import { GateDecisionFieldResolver, GateResolver } from './api/gate.resolver';
import { flowJson } from './api/flow-json';
import { adminApiSchema } from './api/schema';
import { StepTestResolver } from './api/step-test.resolver';
import { TemplateResolver } from './api/template.resolver';
import { SecretFieldResolver, SecretResolver } from './api/secret.resolver';
import { PublishingRights } from './pipelines/publishing-rights';
import { Availability } from './pipelines/availability';
import { DefinitionChecks } from './pipelines/definition-check';
import { Documents } from './pipelines/documents';
import { PipelineChanges } from './pipelines/pipeline-changes';
import { PipelineVisibility } from './pipelines/pipeline-visibility';
import { Publications } from './pipelines/publications';
import { RequestChecks } from './pipelines/request-checks';
import { Reviews } from './pipelines/reviews';
import { StoredChecks } from './pipelines/stored-checks';
import { WorkingCopies } from './pipelines/working-copies';
import { checkBeforeStart } from './options/written-pipelines';
import { checkTemplates } from './options/written-templates';
import { checkedLast, configureFlow } from './configuration';
import { withLookupIndexes } from './lookup-indexes';
import { flowEntities } from './entities/flow-entities';
import { Feeds } from './exports/feeds';
import { RunExports } from './exports/run-exports';
import { FileRemoval } from './files/file-removal';
import { fileStorage } from './files/file-storage';
import { Files } from './files/files';
import { FilePreviews, PreviewReader } from './files/previews';
import { RejectsCsv } from './files/rejects-csv';
import { FeedsController } from './http/feeds.controller';
import { FilesController } from './http/files.controller';
import { RawBodies } from './http/raw-bodies';
import { RecordErrorsController } from './http/record-errors.controller';
import { RejectsController } from './http/rejects.controller';
import { WebhookController } from './http/webhook.controller';
import type { FlowPluginOptions } from './options/options';
import { StickyRuns } from './runs/sticky-runs';
import { RunProcessor } from './runs/run.processor';
import { importProviders, importResolvers } from './import-parts';
import { messageProviders } from './message-parts';
import { remoteProviders, remoteResolvers } from './remote-parts';
import { RunQueue } from './runs/run-queue';
import { ConnectionTests } from './connections/connection-test';
import { Connections } from './connections/connections';
import { KnownCodes } from './references/known-codes';
import { ReferenceIssues } from './references/reference-issues';
import { RunResources } from './runs/run-resources';
import { SecretDestinations } from './secrets/secret-destinations';
import { SecretHosts } from './secrets/secret-hosts';
import { Secrets } from './secrets/secrets';
import { ResourceUsage } from './references/usage';
import { RunPrincipals } from './runs/run-principals';
import { CodeFirstStart } from './code-first/start';
import { CollectionUpdates } from './runs/collection-updates';
import { EffectPublisher } from './runs/effect-publisher';
import { EndHooks } from './runs/end-hooks';
import { GateNotifications } from './runs/gate-notifications';
import { GateClock } from './gates/gate-clock';
import { GateDecisions } from './gates/gate-decisions';
import { GatePreviews } from './gates/gate-previews';
import { PublicIds } from '../platform/public-ids';
import { FlowTables } from './stores/flow-tables';
import { LoggedDatabase } from './stores/logged-database';
import { LazyBlobs } from './responses/lazy-blobs';
import { DataLoaders } from './runs/data-loaders';
import { OutboundAccess } from './connections/outbound';
import { Pipelines } from './pipelines/pipelines';
import { RunCanceller } from './runs/run-canceller';
import { RunResumer } from './runs/run-resumer';
import { CausationChains } from './runs/causation-chains';
import { RunFinalizer } from './runs/run-finalizer';
import { RunPlatform } from './run-platform';
import { RunEvents } from './runs/run-events';
import { RunNotifications } from './runs/run-notifications';
import { RunPreparation } from './runs/run-preparation';
import { RunRevisions } from './runs/run-revisions';
import { Runs } from './runs/runs';
import { RunStores } from './runs/run-stores';
import { RunStarter } from './runs/run-starter';
import { HookTriggeredRuns } from './runs/hook-triggered-runs';
import { Startup, StartsLast } from './startup';
import { ProcessTaskQueue } from './process-task-queue';
import { type FlowSetup, setUp } from './setup';
import { openLeases } from './leases/open-leases';
import { type IsQueueWorker, PeriodicJobs } from './periodic-jobs/periodic-jobs';
import { FLOW_DATABASE, FLOW_FILES, FLOW_IS_QUEUE_WORKER, FLOW_LEASES, FLOW_SETUP, LOG_CONTEXT } from './tokens';
import { ExpiredFileSweeper } from './runs/expired-file-sweeper';
import { PreviewProcess } from './test-runs/preview-process';
import { TestRunProcesses } from './test-runs/process/test-run-processes';
import { StepTests } from './test-runs/step-tests';
import { TriggerPreviews } from './test-runs/trigger-previews';
import { TestRuns } from './test-runs/test-runs';
import { RetentionCleaner } from './runs/retention-cleaner';
import { AbandonedRunSweeper } from './runs/abandoned-run-sweeper';
import { OrphanedRunPoller } from './runs/orphaned-run-poller';
import { ActiveTriggers } from './triggers/active-triggers';
import { EventCapture } from './event-triggers/event-capture';
import { EventOutbox } from './event-triggers/event-outbox';
import { EventQueue } from './event-triggers/event-queue';
import { EventStarter } from './event-triggers/event-starter';
import { WebhookLookup } from './webhooks/webhook-lookup';
import { WebhookRates } from './webhooks/webhook-rates';
import { Webhooks } from './webhooks/webhooks';
import { Scheduler } from './schedules/scheduler';

/** The setup of one server or worker. Another one in the same process has a separate registry. */
function setupProvider(made: () => FlowSetup): Provider {
    return {
        provide: FLOW_SETUP,
        inject: [FlowAdapterRegistry],
        useFactory: (adapters: FlowAdapterRegistry): FlowSetup => {
            const setup = { ...made() };
            adapters.connect(setup);
            return setup;
        },
    };
}

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
        provide: FLOW_LEASES,
        inject: [TransactionalConnection, FLOW_DATABASE, FLOW_SETUP],
        useFactory: (connection: TransactionalConnection, database: Database, { options }: FlowSetup) =>
            openLeases(options, connection.rawConnection, database),
    },
    {
        provide: FLOW_IS_QUEUE_WORKER,
        inject: [RunQueue, FlowTables],
        useFactory:
            (queue: RunQueue, tables: FlowTables): IsQueueWorker =>
            async () =>
                queue.isWorkedHere && (await tables.exist()),
    },
    PeriodicJobs,
    ActiveTriggers,
    {
        provide: FLOW_FILES,
        inject: [FLOW_SETUP],
        useFactory: ({ options }: FlowSetup) => fileStorage(options.files.storage),
    },
    Files,
    FileRemoval,
    RunExports,
    Feeds,
    FilePreviews,
    { provide: PreviewReader, useClass: PreviewProcess },
    TestRunProcesses,
    ExpiredFileSweeper,
    PipelineChanges,
    PipelineVisibility,
    ProcessTaskQueue,
    DefinitionChecks,
    SourcePositions,
    RequestChecks,
    StoredChecks,
    WorkingCopies,
    Documents,
    Reviews,
    Publications,
    Availability,
    PublishingRights,
    KnownCodes,
    ResourceUsage,
    Connections,
    ConnectionTests,
    SecretDestinations,
    SecretHosts,
    Secrets,
    ReferenceIssues,
    RunResources,
    FlowTables,
    CodeFirstStart,
    Startup,
    Pipelines,
    LazyBlobs,
    DataLoaders,
    OutboundAccess,
    Runs,
    RunStarter,
    HookTriggeredRuns,
    RunCanceller,
    RunResumer,
    RunFinalizer,
    RunStores,
    RunPlatform,
    RunPreparation,
    RunRevisions,
    CollectionUpdates,
    EffectPublisher,
    RunNotifications,
    RunEvents,
    EndHooks,
    GateNotifications,
    GateDecisions,
    GatePreviews,
    GateClock,
    RunPrincipals,
    RejectsCsv,
    TestRuns,
    StepTests,
    TriggerPreviews,
    RunQueue,
    StickyRuns,
    RunProcessor,
    OrphanedRunPoller,
    Scheduler,
    Analytics,
    AbandonedRunSweeper,
    CausationChains,
    EventQueue,
    EventOutbox,
    EventCapture,
    EventStarter,
    RetentionCleaner,
    {
        provide: PublicIds,
        inject: [ConfigService],
        useFactory: (config: ConfigService): PublicIds => new PublicIds(config),
    },
    RawBodies,
    WebhookLookup,
    WebhookRates,
    Webhooks,
    ...dashboardProviders,
    ...remoteProviders,
    ...messageProviders,
    ...importProviders,
];

/** Data pipelines for Vendure: `plugins: [FlowPlugin.init({ pipelines: […] })]`. */
@VendurePlugin({
    imports: [PluginCommonModule, AdapterRegistryModule, StartsLast],
    entities: flowEntities,
    controllers: [FilesController, RejectsController, RecordErrorsController, WebhookController, FeedsController],
    providers: [...providers, setupProvider(() => setUp({}))],
    adminApiExtensions: {
        schema: adminApiSchema,
        scalars: { FlowJSON: flowJson },
        resolvers: [
            ConnectionResolver,
            ConnectionFieldResolver,
            FileResolver,
            FileFieldResolver,
            FeedResolver,
            FeedFieldResolver,
            ExportFieldResolver,
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
            GateResolver,
            GateDecisionFieldResolver,
            SavedPositionResolver,
            LogResolver,
            EventResolver,
            GivenUpEventFieldResolver,
            AnalyticsResolver,
            LogFieldResolver,
            ...dashboardResolvers,
            ...remoteResolvers,
            ...importResolvers,
            DifferenceFieldResolver,
            StepTestResolver,
            TemplateResolver,
        ],
    },
    configuration: config => withLookupIndexes(configureFlow(config, setUp({}).options.api), true),
    // A plain text, because the host's build reads it from this file. dist has a copy of the pages at the same path.
    dashboard: '../../dashboard-ui/index.tsx',
    compatibility: '^3.7.0',
})
export class FlowPlugin {
    /**
     * A plugin class with these options. All state belongs to the class, so that two servers in one process can differ. Errors in the
     * options or the pipelines are reported when the server or the worker starts.
     */
    static init(options: FlowPluginOptions = {}): Type<FlowPlugin> {
        class ConfiguredFlowPlugin extends FlowPlugin {}
        let setup: FlowSetup | undefined;
        const setUpOnce = (): FlowSetup => (setup ??= setUp(options));
        const check = (permissions: ReadonlySet<string>): void => {
            const { pipelines, options: parsed, registry } = setUpOnce();
            checkBeforeStart(pipelines, permissions);
            checkTemplates(parsed.templates, { registry, permissions, isStarted: false });
        };
        const own = [...providers, setupProvider(setUpOnce)];
        const metadata: Readonly<Record<string, unknown>> = {
            providers: own,
            // Vendure exports a plugin's providers, so that its resolvers, which it puts into a separate module, find them.
            exports: own,
            configuration: (config: RuntimeVendureConfig) => {
                const { api, lookupIndexes } = setUpOnce().options;
                return withLookupIndexes(checkedLast(config, { api, check }), lookupIndexes);
            },
        };
        for (const [key, value] of Object.entries(metadata)) Reflect.defineMetadata(key, value, ConfiguredFlowPlugin);
        // Vendure and its dashboard identify plugins by the name of their class.
        Object.defineProperty(ConfiguredFlowPlugin, 'name', { value: FlowPlugin.name });
        return ConfiguredFlowPlugin;
    }
}

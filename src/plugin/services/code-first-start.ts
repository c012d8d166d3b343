import { Inject, Injectable } from '@nestjs/common';
import { ConfigService, EventBus, Logger, ProcessContext, TransactionalConnection } from '@vendure/core';
import type { Database } from '../../platform/sql/database';
import { checkPermissions } from '../code-first';
import { FlowPipelinePublished } from '../events';
import { knownPermissions } from '../known-permissions';
import { ReferenceIssues } from '../resources/reference-issues';
import type { FlowSetup } from '../setup';
import { FLOW_DATABASE, FLOW_SETUP, LOG_CONTEXT } from '../tokens';
import { type CodeFirstReport, CodeFirstSync } from './code-first-sync';
import type { CodeFirstPublication, PipelineReport } from './pipeline-sync';
import { RunPlatform } from './run-platform';

/** Brings pipelines, connections and secrets of the code into the database when the process starts, and tells what came of it. */
@Injectable()
export class CodeFirstStart {
    constructor(
        private readonly connection: TransactionalConnection,
        private readonly config: ConfigService,
        private readonly process: ProcessContext,
        private readonly platform: RunPlatform,
        private readonly events: EventBus,
        private readonly references: ReferenceIssues,
        @Inject(FLOW_DATABASE) private readonly database: Database,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    /** Throws DEFINITION_INVALID when a pipeline asks for a permission that there is not; all plugins have been configured by now. */
    check(): void {
        checkPermissions(this.setup.pipelines, knownPermissions(this.config));
    }

    /** Throws CHANNEL_NOT_FOUND, OPTION_INVALID. */
    async sync(): Promise<void> {
        const { pipelines, options } = this.setup;
        const sync = new CodeFirstSync(this.connection.rawConnection, this.database);
        const report = await sync.sync({ pipelines, secrets: options.secrets, connections: options.connections });
        tell(report);
        for (const publication of report.pipelines.publications) await this.publish(publication);
        // One process tells it; what is missing may still be made in the dashboard.
        if (this.process.isServer) await this.warnOfMissing(report.pipelines);
    }

    private async publish({ channelId, ...publication }: CodeFirstPublication): Promise<void> {
        try {
            const ctx = await this.platform.withoutUser(channelId);
            await this.events.publish(new FlowPipelinePublished(ctx, { ...publication, message: undefined }));
        } catch (error) {
            // The revision is stored; a subscriber that throws must not keep the shop from starting.
            Logger.error(`A subscriber of FlowPipelinePublished failed: ${String(error)}`, LOG_CONTEXT);
        }
    }

    private async warnOfMissing({ channels }: PipelineReport): Promise<void> {
        for (const { source, definition } of this.setup.pipelines) {
            const issues = await this.references.of(channels.get(source.code)!, definition);
            for (const { message } of issues) Logger.warn(`Pipeline "${source.code}": ${message}`, LOG_CONTEXT);
        }
    }
}

function tell({ pipelines, secrets, connections }: CodeFirstReport): void {
    const told = {
        'New pipelines': pipelines.created,
        'New revisions of': pipelines.published,
        'Pipelines no longer in the code, disabled': pipelines.disabled,
        'New secrets': secrets.created,
        'Changed secrets': secrets.changed,
        'Secrets no longer in the code, disabled': secrets.disabled,
        'New connections': connections.created,
        'Changed connections': connections.changed,
        'Connections no longer in the code, disabled': connections.disabled,
    };
    for (const [what, codes] of Object.entries(told)) {
        if (codes.length > 0) Logger.info(`${what}: ${codes.join(', ')}`, LOG_CONTEXT);
    }
}

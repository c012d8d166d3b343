import { Inject, Injectable } from '@nestjs/common';
import { ConfigService, EventBus, Logger, ProcessContext, TransactionalConnection } from '@vendure/core';
import type { Database } from '../../database/database';
import { isErrorIssue, type Issue } from '../../core/pipeline/issues';
import { checkCodeFirst, type CodeFirstPipeline, checkCodeFirstReferences } from '../options/written-pipelines';
import { checkTemplates } from '../options/written-templates';
import { checkConnections } from '../options/connection-sources';
import { FlowPipelinePublished } from '../events';
import { hostProblemOf } from '../../io/outbound/host-problem';
import { knownPermissions } from '../known-permissions';
import { ReferenceIssues } from '../references/reference-issues';
import type { FlowSetup } from '../setup';
import { FLOW_DATABASE, FLOW_SETUP, LOG_CONTEXT } from '../tokens';
import { type CodeFirstReport, CodeFirstSync } from './sync';
import type { CodeFirstPublication } from './pipeline-sync';
import { RunPlatform } from '../run-platform';
import { PeriodicJobs } from '../periodic-jobs/periodic-jobs';
import { reportOpenWebhook } from '../triggers/webhook-trigger';

/** The longest time between two checks of what unpublished pipelines lack. */
const MOST_WAIT_MS = 5_000;

/** Syncs pipelines, connections and secrets of the code to the database when the process starts, and logs the result. */
@Injectable()
export class CodeFirstStart {
    /** The pipelines whose definition in the code is not published, with the versions of their rows. */
    private held: ReadonlyMap<string, number> = new Map();
    private lacking: CodeFirstReport['lacking'] = new Map();
    /** The pipelines that were checked at the start. The code does not change while the process runs. */
    private written: readonly CodeFirstPipeline[] = [];

    constructor(
        private readonly connection: TransactionalConnection,
        private readonly config: ConfigService,
        private readonly process: ProcessContext,
        private readonly platform: RunPlatform,
        private readonly events: EventBus,
        private readonly references: ReferenceIssues,
        @Inject(FLOW_DATABASE) private readonly database: Database,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
        periodicJobs: PeriodicJobs,
    ) {
        periodicJobs.add({
            name: 'Publication of pipelines from the code',
            everyMs: Math.min(MOST_WAIT_MS, setup.options.runtime.scheduler.refreshIntervalMs),
            jitter: 0.2,
            everywhere: true,
            work: () => this.publishHeld(),
        });
    }

    /** The issues that prevent publishing the definition in the code; empty if it is published. */
    issuesOf(code: string): readonly Issue[] {
        return this.held.has(code) ? (this.lacking.get(code) ?? []).filter(isErrorIssue) : [];
    }

    /**
     * Throws DEFINITION_INVALID with the issues of all pipelines and templates, in the form of those of stored pipelines. All plugins have
     * been configured before.
     */
    check(): readonly CodeFirstPipeline[] {
        const { pipelines, registry, options } = this.setup;
        const permissions = knownPermissions(this.config);
        checkTemplates(options.templates, { registry, permissions, isStarted: true });
        const shop = { platform: this.platform.shop, hostProblem: hostProblemOf(options.security) };
        return checkCodeFirst(checkCodeFirstReferences(pipelines, registry, shop), permissions);
    }

    /** Throws DEFINITION_INVALID, CHANNEL_NOT_FOUND, OPTION_INVALID. */
    async sync(): Promise<void> {
        const { options, registry } = this.setup;
        const sync = new CodeFirstSync(this.connection.rawConnection, this.database, this.references);
        const pipelines = this.check();
        this.written = pipelines;
        const report = await sync.sync({
            pipelines,
            secrets: options.secrets,
            connections: checkConnections(options.connections, registry, true),
        });
        logReport(report);
        this.held = report.pipelines.heldVersions;
        this.lacking = report.lacking;
        for (const publication of report.pipelines.publications) await this.publish(publication);
        // Only the server logs this. The missing resources may still be created in the dashboard.
        if (this.process.isServer) logMissing(report);
    }

    /** Publishes pipelines without a restart, as soon as the connections, secrets and pipelines that they name exist. */
    private async publishHeld(): Promise<void> {
        if (this.held.size === 0) return;
        const { written } = this;
        const sync = new CodeFirstSync(this.connection.rawConnection, this.database, this.references);
        const { lacking, publications } = await sync.publishHeld(written, this.held);
        this.lacking = lacking;
        this.held = new Map([...this.held].filter(([code]) => lacking.get(code)?.some(isErrorIssue)));
        for (const publication of publications) {
            const { pipelineCode } = publication;
            Logger.info(
                `Published pipeline "${pipelineCode}" from the code: everything that it names exists now.`,
                LOG_CONTEXT,
            );
            const found = written.find(({ source }) => source.code === pipelineCode);
            if (found?.source.enabled) reportOpenWebhook(pipelineCode, found.definition);
            await this.publish(publication);
        }
    }

    private async publish({ channelId, ...publication }: CodeFirstPublication): Promise<void> {
        try {
            const ctx = await this.platform.withoutUser(channelId);
            await this.events.publish(new FlowPipelinePublished(ctx, { ...publication, message: undefined }));
        } catch (error) {
            // The revision is stored; a subscriber that throws must not prevent the shop from starting.
            Logger.error(`A subscriber of FlowPipelinePublished failed: ${String(error)}`, LOG_CONTEXT);
        }
    }
}

/** Logs what pipelines lack, and whether an earlier revision stays in use. */
function logMissing({ lacking, pipelines: { held } }: CodeFirstReport): void {
    for (const [code, issues] of lacking) {
        const faults = issues.filter(isErrorIssue);
        for (const { message } of issues.filter(issue => !isErrorIssue(issue)))
            Logger.warn(`Pipeline "${code}": ${message}`, LOG_CONTEXT);
        if (faults.length === 0) continue;
        const problems = faults.map(({ message }) => message.replace(/\.?$/, '.')).join(' ');
        Logger.error(`Pipeline "${code}": ${problems} ${MEANWHILE[held.get(code) ?? 'PUBLISHED']}`, LOG_CONTEXT);
    }
}

const MEANWHILE = {
    PUBLISHED: 'It is published already; its runs fail until this exists.',
    RUNNING: 'The changes in the code are not published, and the previous revision runs, until this exists.',
    IDLE: 'It is not published, and it does not run, until this exists.',
} as const;

function logReport({ pipelines, secrets, connections }: CodeFirstReport): void {
    const changes = {
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
    for (const [what, codes] of Object.entries(changes)) {
        if (codes.length > 0) Logger.info(`${what}: ${codes.join(', ')}`, LOG_CONTEXT);
    }
}

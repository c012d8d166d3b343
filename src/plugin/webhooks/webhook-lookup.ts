import { Inject, Injectable } from '@nestjs/common';
import { Channel, type ID, TransactionalConnection } from '@vendure/core';
import type { StatementProgram } from '../../core/adapter/loader';
import type { PipelineDefinition } from '../../core/pipeline/definition';
import { SingleFlight } from '../../core/concurrency/single-flight';
import type { Database } from '../../database/database';
import { column, join, name, select, sql } from '../../database/statement';
import { type Table, tableOf } from '../../database/table';
import type { Id } from '../../database/write';
import { FlowPipeline } from '../entities/pipeline';
import { FlowPipelineRevision } from '../entities/revision';
import { FLOW_DATABASE } from '../tokens';
import { webhookOf, type WebhookTrigger } from '../triggers/webhook-trigger';

/** The webhook of a revision. */
interface RevisionWebhook extends WebhookTrigger {
    /** The user for whom its runs act: the publisher of the revision, or null for the shop's code. */
    readonly actor: ID | null;
}

/** A webhook that currently accepts posts. */
export interface ActiveWebhook extends RevisionWebhook {
    readonly pipelineId: Id;
    readonly pipelineCode: string;
    readonly revisionId: Id;
    readonly channel: Pick<Channel, 'id' | 'code' | 'token'>;
}

/** The number of cached revisions. The one that was used longest ago is removed first. */
const MOST_REVISIONS = 500;
/** A code that no pipeline has. */
const NOBODY = '-';
const LONGEST_CODE = 64;

interface PipelineRow {
    readonly pipelineId: Id;
    readonly enabled: unknown;
    readonly archived: unknown;
    readonly revisionId: Id | null;
    readonly channelId: Id;
    readonly channelCode: string;
    readonly channelToken: string;
}

/**
 * Finds webhooks by the code of their pipeline. Uses one statement for all concurrent posts, and another one for a revision that this process has not read yet.
 */
@Injectable()
export class WebhookLookup {
    private readonly pipelines: Table;
    private readonly channels: Table;
    private readonly requested = new SingleFlight<PipelineRow | undefined>();
    /** Revisions never change, so the cache is always valid. */
    private readonly revisions = new Map<string, RevisionWebhook | undefined>();

    constructor(
        private readonly connection: TransactionalConnection,
        @Inject(FLOW_DATABASE) private readonly database: Database,
    ) {
        this.pipelines = tableOf(connection.rawConnection, FlowPipeline);
        this.channels = tableOf(connection.rawConnection, Channel);
    }

    /** Undefined if no enabled, published pipeline with this code has an enabled WEBHOOK trigger. */
    async find(code: string): Promise<ActiveWebhook | undefined> {
        // Texts that cannot be a code are looked up all the same, as a code that does not exist, so that the response takes the same time.
        const requested = code.length <= LONGEST_CODE && /^[a-z0-9-]+$/.test(code) ? code : NOBODY;
        const row = await this.requested.of(requested, () => this.database.run(() => this.pipeline(requested)));
        if (!row || !row.enabled || row.archived || row.revisionId === null) return undefined;
        const { pipelineId, revisionId, channelId: id, channelCode, channelToken: token } = row;
        const found = await this.ofRevision(revisionId);
        if (!found) return undefined;
        return { ...found, pipelineId, pipelineCode: requested, revisionId, channel: { id, code: channelCode, token } };
    }

    private *pipeline(code: string): StatementProgram<PipelineRow | undefined> {
        const { pipelines, channels } = this;
        const of = (property: string): ReturnType<typeof column> => column('p', pipelines.column(property).name);
        const ofChannel = (property: string): ReturnType<typeof column> => column('c', channels.column(property).name);
        const columns = join([
            sql`${of('id')} AS ${name('pipelineId')}`,
            sql`${of('enabled')} AS ${name('enabled')}`,
            sql`${of('archived')} AS ${name('archived')}`,
            sql`${of('selectedRevisionId')} AS ${name('revisionId')}`,
            sql`${of('channelId')} AS ${name('channelId')}`,
            sql`${ofChannel('code')} AS ${name('channelCode')}`,
            sql`${ofChannel('token')} AS ${name('channelToken')}`,
        ]);
        const [row] = yield* select<PipelineRow>(sql`
            SELECT ${columns} FROM ${pipelines.name} p JOIN ${channels.name} c ON ${ofChannel('id')} = ${of('channelId')}
            WHERE ${of('code')} = ${code}`);
        return row;
    }

    private async ofRevision(revisionId: Id): Promise<RevisionWebhook | undefined> {
        const key = String(revisionId);
        const { revisions } = this;
        if (revisions.has(key)) {
            const known = revisions.get(key);
            revisions.delete(key);
            revisions.set(key, known);
            return known;
        }
        const revision = await this.connection.rawConnection
            .getRepository(FlowPipelineRevision)
            .findOne({ where: { id: revisionId } });
        const found = revision ? webhookOf(revision.definition as unknown as PipelineDefinition) : undefined;
        const read = found && { ...found, actor: revision!.publishedBy };
        revisions.set(key, read);
        if (revisions.size > MOST_REVISIONS) revisions.delete(revisions.keys().next().value!);
        return read;
    }
}

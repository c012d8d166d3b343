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
export interface RevisionWebhook extends WebhookTrigger {
    /** Whom its runs act for: who published the revision; null where the code did. */
    readonly actor: ID | null;
}

/** A webhook that takes posts now. */
export interface ActiveWebhook extends RevisionWebhook {
    readonly pipelineId: Id;
    readonly pipelineCode: string;
    readonly revisionId: Id;
    readonly channel: Pick<Channel, 'id' | 'code' | 'token'>;
}

/** So many revisions are remembered; the one that was asked for longest ago goes first. */
const MOST_REVISIONS = 500;
/** No pipeline is called so. */
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

/** Finds webhooks by the code of their pipeline: one statement, for all posts that come at the same time, and another one for a revision that this process has not seen yet. */
@Injectable()
export class WebhookLookup {
    private readonly pipelines: Table;
    private readonly channels: Table;
    private readonly requested = new SingleFlight<PipelineRow | undefined>();
    /** Revisions never change, so what was read of one is always true. */
    private readonly revisions = new Map<string, RevisionWebhook | undefined>();

    constructor(
        private readonly connection: TransactionalConnection,
        @Inject(FLOW_DATABASE) private readonly database: Database,
    ) {
        this.pipelines = tableOf(connection.rawConnection, FlowPipeline);
        this.channels = tableOf(connection.rawConnection, Channel);
    }

    /** Undefined where no enabled, published pipeline of this code has an enabled WEBHOOK trigger. */
    async find(code: string): Promise<ActiveWebhook | undefined> {
        // What is too long to be a code, or holds what a database refuses, is asked for all the same, under another name.
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

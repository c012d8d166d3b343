import { DEFAULT_CHANNEL_CODE } from '@vendure/common/lib/shared-constants';
import { Channel } from '@vendure/core';
import type { DataSource } from 'typeorm';
import type { Script } from '../../core/adapter/loader';
import type { JsonObject } from '../../core/data/json';
import { flowError } from '../../core/errors/flow-error';
import type { Database } from '../../platform/sql/database';
import { join, name, select, sql } from '../../platform/sql/statement';
import { type Table, tableOf } from '../../platform/sql/table';
import { type Id, insertNumbered, updateRows } from '../../platform/sql/write';
import type { CodeFirstPipeline } from '../code-first';
import { FlowPipeline } from '../entities/pipeline';
import { FlowPipelineRevision } from '../entities/revision';

/** What a sync did, by pipeline code. */
export interface SyncReport {
    readonly created: readonly string[];
    /** Got a new revision. */
    readonly published: readonly string[];
    /** No longer in the code. */
    readonly disabled: readonly string[];
}

interface StoredPipeline {
    readonly id: Id;
    readonly code: string;
    readonly name: string;
    readonly description: string | null;
    readonly enabled: boolean;
    readonly codeFirst: boolean;
    readonly channelId: Id;
    readonly publishedRevisionId: Id | null;
}
type Latest = { readonly number: number; readonly digest: string };

/** Whoever syncs holds this; several servers and workers may start at once on an empty database. */
const SYNC_LOCK = 'flow:code-first';

/**
 * Brings the stored pipelines to what the code says (spec 4, "code-first"): new ones are made, a changed definition is
 * published as a new revision, one that is gone from the code is disabled and kept. Throws CHANNEL_NOT_FOUND.
 */
export class PipelineSync {
    private readonly pipelines: Table;
    private readonly revisions: Table;
    private readonly channels: Table;

    constructor(
        dataSource: DataSource,
        private readonly database: Database,
    ) {
        this.pipelines = tableOf(dataSource, FlowPipeline);
        this.revisions = tableOf(dataSource, FlowPipelineRevision);
        this.channels = tableOf(dataSource, Channel);
    }

    sync(wanted: readonly CodeFirstPipeline[]): Promise<SyncReport> {
        return this.database.transaction(() => this.script(wanted), { locks: [SYNC_LOCK] });
    }

    private *script(wanted: readonly CodeFirstPipeline[]): Script<SyncReport> {
        const channelOf = yield* this.channelIds();
        const stored = yield* this.stored(wanted.map(({ source }) => source.code));
        const report = { created: new Array<string>(), published: new Array<string>(), disabled: new Array<string>() };
        for (const pipeline of wanted) {
            const { code } = pipeline.source;
            const known = stored.find(other => other.code === code);
            const channelId = channelOf(pipeline.source.channel);
            if (!known) {
                yield* this.create(pipeline, channelId);
                report.created.push(code);
            } else if (yield* this.update(known, pipeline, channelId)) {
                report.published.push(code);
            }
        }
        for (const { id, code, enabled } of stored) {
            if (!enabled || wanted.some(({ source }) => source.code === code)) continue;
            yield* updateRows(this.into(this.pipelines), [{ id, enabled: false }]);
            report.disabled.push(code);
        }
        return report;
    }

    private *create({ source, definition, digest }: CodeFirstPipeline, channelId: Id): Script<void> {
        const { code, name: title, description, enabled } = source;
        const [pipelineId] = yield* insertNumbered(this.into(this.pipelines), [
            { code, name: title, description, enabled, archived: false, codeFirst: true, channelId, publishedRevisionId: null },
        ]);
        yield* this.publish(pipelineId!, { number: 1, digest, definition });
    }

    /** True when a new revision was published. */
    private *update(known: StoredPipeline, { source, definition, digest }: CodeFirstPipeline, channelId: Id): Script<boolean> {
        const row = { name: source.name, description: source.description, enabled: source.enabled, codeFirst: true, channelId };
        const differs = Object.entries(row).some(([property, value]) => String(known[property as keyof typeof row]) !== String(value));
        if (differs) yield* updateRows(this.into(this.pipelines), [{ id: known.id, ...row }]);
        const published = yield* this.revision('id', known.publishedRevisionId);
        if (published?.digest === digest) return false;
        const newest = yield* this.revision('pipelineId', known.id);
        yield* this.publish(known.id, { number: (newest?.number ?? 0) + 1, digest, definition });
        return true;
    }

    private *publish(pipelineId: Id, { number, digest, definition }: Latest & { readonly definition: object }): Script<void> {
        const [id] = yield* insertNumbered(this.into(this.revisions), [
            { pipelineId, number, definition: definition as JsonObject, digest, publishedBy: null },
        ]);
        yield* updateRows(this.into(this.pipelines), [{ id: pipelineId, publishedRevisionId: id! }]);
    }

    /** The newest revision whose property has this value. */
    private *revision(property: 'id' | 'pipelineId', value: Id | null): Script<Latest | undefined> {
        if (value === null) return undefined;
        const { revisions } = this;
        const rows = yield* select<{ number: number; digest: string }>(sql`
            SELECT ${revisions.column('number')} AS ${name('number')}, ${revisions.column('digest')} AS ${name('digest')} FROM ${revisions.name}
            WHERE ${revisions.column(property)} = ${value} ORDER BY ${revisions.column('number')} DESC LIMIT 1`);
        return rows[0];
    }

    /** The pipelines of these codes, and all others that came from code. */
    private *stored(codes: readonly string[]): Script<readonly StoredPipeline[]> {
        const { pipelines } = this;
        const { dialect } = this.database;
        const properties = ['id', 'code', 'name', 'description', 'enabled', 'codeFirst', 'channelId', 'publishedRevisionId'] as const;
        const rows = yield* select<Record<string, unknown>>(sql`
            SELECT ${join(properties.map(property => sql`${pipelines.column(property)} AS ${name(property)}`))} FROM ${pipelines.name}
            WHERE ${pipelines.column('codeFirst')} = ${true} OR ${dialect.oneOf(pipelines.column('code'), codes)}`);
        return rows.map(row => Object.fromEntries(
            properties.map(property => [property, pipelines.fromColumn(property, row[property])]),
        ) as unknown as StoredPipeline);
    }

    private *channelIds(): Script<(token: string | undefined) => Id> {
        const { channels } = this;
        const rows = yield* select<{ id: Id; token: string; code: string }>(sql`
            SELECT ${join(['id', 'token', 'code'].map(property => sql`${channels.column(property)} AS ${name(property)}`))} FROM ${channels.name}`);
        return token => {
            const found = rows.find(channel => (token === undefined ? channel.code === DEFAULT_CHANNEL_CODE : channel.token === token));
            if (found) return found.id;
            const known = rows.map(channel => `"${channel.token}"`).join(', ');
            throw flowError('CHANNEL_NOT_FOUND', { token: token ?? DEFAULT_CHANNEL_CODE, known });
        };
    }

    private into(table: Table): { readonly table: Table; readonly dialect: Database['dialect'] } {
        return { table, dialect: this.database.dialect };
    }
}

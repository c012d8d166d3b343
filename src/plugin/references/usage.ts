import { Inject, Injectable } from '@nestjs/common';
import { type ID, TransactionalConnection } from '@vendure/core';
import type { StatementProgram } from '../../core/adapter/loader';
import type { JsonObject } from '../../core/value/json';
import type { Reference } from '../../core/schema/references';
import type { Database } from '../../database/database';
import { join, name, select, sql } from '../../database/statement';
import { type Table, tableOf } from '../../database/table';
import type { Id } from '../../database/write';
import { FlowConnection } from '../entities/connection';
import { FlowPipeline } from '../entities/pipeline';
import { FlowPipelineRevision } from '../entities/revision';
import { FlowPipelineRun } from '../entities/run';
import { FlowWorkingCopy } from '../entities/working-copy';
import { ProcessTaskQueue } from '../process-task-queue';
import type { FlowSetup } from '../setup';
import { FLOW_DATABASE, FLOW_SETUP } from '../tokens';
import { secretsOf } from '../options/connection-settings';
import { findingDefinitionReferences } from './definition-references';

/** Definitions are read in smaller portions than settings, since each may have a megabyte. */
const PIPELINES_AT_ONCE = 50;
const CONNECTIONS_AT_ONCE = 500;

interface PipelineRow {
    readonly id: Id;
    readonly code: string;
    readonly draft: string | null;
    readonly published: string | null;
}

interface ConnectionRow {
    readonly id: Id;
    readonly code: string;
    readonly type: string;
    readonly settings: string;
}

/** Finds the users of the secrets, connections and files of a channel. */
@Injectable()
export class ResourceUsage {
    private readonly pipelines: Table;
    private readonly copies: Table;
    private readonly revisions: Table;
    private readonly runs: Table;
    private readonly connections: Table;

    constructor(
        connection: TransactionalConnection,
        private readonly taskQueue: ProcessTaskQueue,
        @Inject(FLOW_DATABASE) private readonly database: Database,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {
        const table = (entity: Parameters<typeof tableOf>[1]): Table => tableOf(connection.rawConnection, entity);
        this.pipelines = table(FlowPipeline);
        this.copies = table(FlowWorkingCopy);
        this.revisions = table(FlowPipelineRevision);
        this.runs = table(FlowPipelineRun);
        this.connections = table(FlowConnection);
    }

    /**
     * Maps each code (of a file: its public id) to its users: the codes of connections, and of pipelines whose working copy, selected revision or revision of
     * an active run names it, including disabled steps. Pipelines of unfinished imports are not users, since no list shows them. Reads everything in the channel, in portions, for any number of codes, so call it once for a whole
     * list.
     */
    async users(channelId: ID, to: Reference['to']): Promise<ReadonlyMap<string, readonly string[]>> {
        const users = new Map<string, Set<string>>();
        const note = (user: string, references: readonly Reference[]): void => {
            for (const { to: what, code } of references) {
                if (what === to) users.set(code, (users.get(code) ?? new Set()).add(user));
            }
        };
        const { registry } = this.setup;
        await this.eachPortion(
            PIPELINES_AT_ONCE,
            after => this.pipelinesAfter(channelId as Id, after),
            async ({ code, draft, published }) => {
                for (const text of [draft, published]) if (text !== null) note(code, await this.references(text));
            },
        );
        for (const { code, published } of await this.database.run(() => this.underWay(channelId as Id))) {
            note(code, await this.references(published));
        }
        if (to === 'secret') {
            await this.eachPortion(
                CONNECTIONS_AT_ONCE,
                after => this.connectionsAfter(channelId as Id, after),
                ({ code, type, settings }) => {
                    note(code, secretsOf({ type, settings: JSON.parse(settings) as JsonObject }, registry));
                },
            );
        }
        return new Map([...users].map(([code, names]) => [code, [...names].sort()]));
    }

    private references(definition: string): Promise<readonly Reference[]> {
        return this.taskQueue.done(findingDefinitionReferences(JSON.parse(definition), this.setup.registry));
    }

    private async eachPortion<R extends { readonly id: Id }>(
        size: number,
        portion: (after: Id | undefined) => StatementProgram<readonly R[]>,
        look: (row: R) => Promise<void> | void,
    ): Promise<void> {
        let after: Id | undefined;
        for (;;) {
            const rows = await this.database.run(() => portion(after));
            for (const row of rows) await look(row);
            if (rows.length < size) return;
            after = rows.at(-1)!.id;
        }
    }

    private *pipelinesAfter(channelId: Id, after: Id | undefined): StatementProgram<readonly PipelineRow[]> {
        const { pipelines, copies, revisions } = this;
        const of = (table: Table, property: string) => sql`${table.name}.${table.column(property)}`;
        const beyond = after === undefined ? sql`` : sql` AND ${of(pipelines, 'id')} > ${after}`;
        return yield* select<PipelineRow>(sql`
            SELECT ${of(pipelines, 'id')} AS ${name('id')}, ${of(pipelines, 'code')} AS ${name('code')},
                ${of(copies, 'definition')} AS ${name('draft')}, ${of(revisions, 'definition')} AS ${name('published')}
            FROM ${pipelines.name}
            LEFT JOIN ${copies.name} ON ${of(copies, 'pipelineId')} = ${of(pipelines, 'id')} AND ${of(pipelines, 'codeFirst')} = ${false}
            LEFT JOIN ${revisions.name} ON ${of(revisions, 'id')} = ${of(pipelines, 'selectedRevisionId')}
            WHERE ${of(pipelines, 'channelId')} = ${channelId} AND ${of(pipelines, 'hidden')} = ${false}${beyond} ORDER BY ${of(pipelines, 'id')} LIMIT ${PIPELINES_AT_ONCE}`);
    }

    /** The revisions that active runs execute, even if others have been selected since. */
    private *underWay(
        channelId: Id,
    ): StatementProgram<ReadonlyArray<{ readonly code: string; readonly published: string }>> {
        const { pipelines, revisions, runs } = this;
        const of = (table: Table, property: string) => sql`${table.name}.${table.column(property)}`;
        const open = join(['PENDING', 'RUNNING', 'PAUSED'].map(status => sql`${status}`));
        return yield* select<{ code: string; published: string }>(sql`
            SELECT ${of(pipelines, 'code')} AS ${name('code')}, ${of(revisions, 'definition')} AS ${name('published')}
            FROM ${revisions.name} JOIN ${pipelines.name} ON ${of(pipelines, 'id')} = ${of(revisions, 'pipelineId')}
            WHERE ${of(revisions, 'id')} IN (
                SELECT ${runs.column('revisionId')} FROM ${runs.name}
                WHERE ${runs.column('channelId')} = ${channelId} AND ${runs.column('status')} IN (${open})
            )`);
    }

    private *connectionsAfter(channelId: Id, after: Id | undefined): StatementProgram<readonly ConnectionRow[]> {
        const { connections } = this;
        const beyond = after === undefined ? sql`` : sql` AND ${connections.column('id')} > ${after}`;
        const column = (property: string) => sql`${connections.column(property)} AS ${name(property)}`;
        return yield* select<ConnectionRow>(sql`
            SELECT ${column('id')}, ${column('code')}, ${column('type')}, ${column('settings')} FROM ${connections.name}
            WHERE ${connections.column('channelId')} = ${channelId}${beyond} ORDER BY ${connections.column('id')} LIMIT ${CONNECTIONS_AT_ONCE}`);
    }
}

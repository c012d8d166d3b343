import { Inject, Injectable } from '@nestjs/common';
import { type ID, Logger, TransactionalConnection } from '@vendure/core';
import type { StatementProgram } from '../../core/adapter/loader';
import type { PipelineDefinition, StepDefinition } from '../../core/pipeline/definition';
import { parseWith } from '../../core/schema/issues';
import type { JsonObject } from '../../core/value/json';
import type { Database } from '../../database/database';
import { join, name, select, type Sql, sql } from '../../database/statement';
import { type Table, tableOf } from '../../database/table';
import type { Id, Row } from '../../database/write';
import { FlowPipeline } from '../entities/pipeline';
import { FlowPipelineRevision } from '../entities/revision';
import { PeriodicJobs } from '../periodic-jobs/periodic-jobs';
import type { FlowSetup } from '../setup';
import { FLOW_DATABASE, FLOW_SETUP, LOG_CONTEXT } from '../tokens';
import { type TriggerTypeName, triggersOf } from './triggers';

/** An enabled trigger step of the selected published revision of an enabled, non-archived pipeline. */
export interface ActiveTrigger {
    readonly pipelineId: ID;
    readonly pipelineCode: string;
    readonly channelId: ID;
    readonly revisionId: ID;
    readonly publishedAt: Date;
    /** The user for whom its runs act; null for the configured superadmin. */
    readonly publishedBy: ID | null;
    readonly stepKey: string;
    /** Parsed by the schema of the trigger's type, without `type`. */
    readonly config: JsonObject;
}

/** An enabled trigger step that is not active, since its type does not (or no longer) accept its stored configuration. */
interface RejectedTrigger extends Pick<ActiveTrigger, 'pipelineId' | 'channelId' | 'revisionId' | 'stepKey'> {
    /** The problem in words for users. */
    readonly problem: string;
}

/** A pipeline with active triggers, and the revision that defines them. */
type InForce = Pick<FlowPipeline, 'id' | 'code' | 'channelId'> & { readonly selectedRevisionId: ID };

/** The cached part of a revision. Revisions never change. */
type ReadRevision = Pick<FlowPipelineRevision, 'createdAt' | 'publishedBy'> & {
    readonly triggers: ReadonlyArray<Pick<ActiveTrigger, 'stepKey' | 'config'> & { readonly type: string }>;
    readonly refused: ReadonlyArray<Pick<RejectedTrigger, 'stepKey' | 'problem'>>;
};

const IN_FORCE = ['id', 'code', 'channelId', 'selectedRevisionId'] as const;
const REVISION = ['id', 'createdAt', 'publishedBy', 'definition'];
/** The number of definitions that are read at a time, since one may have a megabyte. */
const PAGE = 20;
const NONE: readonly ActiveTrigger[] = [];

/**
 * The active triggers that this process knows. They are read at the start, each `runtime.scheduler.refreshIntervalMs`, and immediately after a pipeline is
 * changed in this process. Other components read them from memory, without a query.
 */
@Injectable()
export class ActiveTriggers {
    private byType: ReadonlyMap<string, readonly ActiveTrigger[]> = new Map();
    private rejectedTriggers: readonly RejectedTrigger[] = [];
    /** Identifies the current snapshot. */
    private state = '[]';
    private revisions: ReadonlyMap<string, ReadRevision> = new Map();
    private readonly listeners: Array<() => void> = [];
    private inHand: Promise<unknown> = Promise.resolve();
    private next: Promise<void> | undefined;

    constructor(
        private readonly connection: TransactionalConnection,
        @Inject(FLOW_DATABASE) private readonly database: Database,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
        periodicJobs: PeriodicJobs,
    ) {
        periodicJobs.add({
            name: 'Triggers in force',
            everyMs: setup.options.runtime.scheduler.refreshIntervalMs,
            jitter: 0.2,
            everywhere: true,
            work: () => this.refresh(),
        });
    }

    /** The triggers of a type, by pipeline and in the order of their steps. The returned list never changes: a refresh creates another list. */
    of(type: TriggerTypeName): readonly ActiveTrigger[] {
        return this.byType.get(type) ?? NONE;
    }

    /** The triggers that are not active because their type does not accept the stored configuration. */
    refused(): readonly RejectedTrigger[] {
        return this.rejectedTriggers;
    }

    /** Calls a listener after each refresh that changes the active triggers. */
    onChange(listener: () => void): void {
        this.listeners.push(listener);
    }

    /**
     * Reads the triggers again. When it resolves, it includes everything that was committed before the call. Throws the errors of the database; then the
     * triggers stay as they were.
     */
    refresh(): Promise<void> {
        // A refresh in progress may have read an earlier state. All calls in the meantime share the next one.
        this.next ??= this.inHand.then(() => {
            this.next = undefined;
            const reading = this.read();
            this.inHand = reading.catch(() => undefined);
            return reading;
        });
        return this.next;
    }

    private async read(): Promise<void> {
        const pipelines = await this.database.run(() => this.inForce());
        // Revisions that are no longer selected are removed from the cache.
        this.revisions = await this.withNew(new Set(pipelines.map(({ selectedRevisionId }) => selectedRevisionId)));
        const byType = new Map<string, ActiveTrigger[]>();
        const rejected: RejectedTrigger[] = [];
        for (const pipeline of pipelines) {
            const revision = this.revisions.get(String(pipeline.selectedRevisionId));
            for (const one of revision?.refused ?? []) rejected.push({ ...refusedFacts(pipeline), ...one });
            for (const { type, ...trigger } of revision?.triggers ?? []) {
                byType.set(type, [...(byType.get(type) ?? []), { ...factsOf(pipeline, revision!), ...trigger }]);
            }
        }
        this.byType = byType;
        this.rejectedTriggers = rejected;
        this.tell();
    }

    private *inForce(): StatementProgram<readonly InForce[]> {
        const pipelines = tableOf(this.connection.rawConnection, FlowPipeline);
        const rows = yield* select<Row>(sql`
            SELECT ${columnsOf(pipelines, IN_FORCE)} FROM ${pipelines.name}
            WHERE ${pipelines.column('enabled')} = ${pipelines.toColumn('enabled', true)}
            AND ${pipelines.column('archived')} = ${pipelines.toColumn('archived', false)}
            AND ${pipelines.column('selectedRevisionId')} IS NOT NULL ORDER BY ${pipelines.column('id')}`);
        return rows.map(row => propertiesOf(pipelines, IN_FORCE, row) as unknown as InForce);
    }

    private async withNew(selected: ReadonlySet<ID>): Promise<ReadonlyMap<string, ReadRevision>> {
        const revisions = new Map<string, ReadRevision>();
        const unknown: Id[] = [];
        for (const id of selected) {
            const known = this.revisions.get(String(id));
            if (known) revisions.set(String(id), known);
            else unknown.push(id);
        }
        for (let from = 0; from < unknown.length; from += PAGE) {
            const page = unknown.slice(from, from + PAGE);
            const read = await this.database.run(() => this.revisionsOf(page));
            for (const [id, revision] of read) revisions.set(id, revision);
        }
        return revisions;
    }

    private *revisionsOf(ids: readonly Id[]): StatementProgram<ReadonlyArray<readonly [string, ReadRevision]>> {
        const { dialect } = this.database;
        const table = tableOf(this.connection.rawConnection, FlowPipelineRevision);
        const rows = yield* select<Row>(sql`
            SELECT ${columnsOf(table, REVISION)} FROM ${table.name} WHERE ${dialect.oneOf(table.column('id'), ids)}`);
        return rows.map(row => [String(row['id']), this.readRevision(table, row)]);
    }

    private readRevision(table: Table, { definition, ...row }: Row): ReadRevision {
        const { id, createdAt, publishedBy } = propertiesOf(table, REVISION.slice(0, -1), row) as Pick<
            FlowPipelineRevision,
            'id' | 'createdAt' | 'publishedBy'
        >;
        try {
            const { steps } = table.fromColumn('definition', definition) as PipelineDefinition;
            const enabled = triggersOf({ steps }).filter(trigger => trigger.enabled);
            const rejected: Array<ReadRevision['refused'][number]> = [];
            const triggers = enabled.flatMap(({ key, type }) => {
                const config = this.configOf(
                    id,
                    steps.find(step => step.key === key)!,
                    rejected,
                );
                return config ? [{ type, stepKey: key, config }] : [];
            });
            return { createdAt, publishedBy, triggers, refused: rejected };
        } catch (error) {
            // A revision that cannot be read must not affect the triggers of others.
            Logger.error(`The triggers of revision ${id} cannot be read: ${String(error)}`, LOG_CONTEXT);
            return { createdAt, publishedBy, triggers: [], refused: [] };
        }
    }

    /** Undefined for an inactive trigger whose stored configuration its type does not (or no longer) accept. Configurations are never corrected by guessing. */
    private configOf(
        revisionId: ID,
        { key, config: { type, ...config } }: StepDefinition,
        rejected: Array<ReadRevision['refused'][number]>,
    ): JsonObject | undefined {
        const adapter = this.setup.registry.find('trigger', String(type));
        if (!adapter) return undefined;
        const parsed = parseWith(adapter.config, config, `steps.${key}.config`);
        if (parsed.ok) return parsed.value as JsonObject;
        const problems = parsed.issues.map(({ message }) => message).join('; ');
        rejected.push({ stepKey: key, problem: problems });
        Logger.warn(`Trigger "${key}" of revision ${revisionId} is not in force: ${problems}`, LOG_CONTEXT);
        return undefined;
    }

    private tell(): void {
        const all = [...this.byType].map(([type, triggers]) => [
            type,
            triggers.map(({ pipelineId, revisionId, stepKey }) => [pipelineId, revisionId, stepKey]),
        ]);
        const state = JSON.stringify(all);
        if (state === this.state) return;
        this.state = state;
        for (const listener of this.listeners) listener();
    }
}

function refusedFacts({
    id: pipelineId,
    channelId,
    selectedRevisionId: revisionId,
}: InForce): Omit<RejectedTrigger, 'stepKey' | 'problem'> {
    return { pipelineId, channelId, revisionId };
}

function factsOf(
    { id: pipelineId, code: pipelineCode, channelId, selectedRevisionId: revisionId }: InForce,
    { createdAt: publishedAt, publishedBy }: ReadRevision,
): Omit<ActiveTrigger, 'stepKey' | 'config'> {
    return { pipelineId, pipelineCode, channelId, revisionId, publishedAt, publishedBy };
}

function columnsOf(table: Table, properties: readonly string[]): Sql {
    return join(properties.map(property => sql`${table.column(property)} AS ${name(property)}`));
}

function propertiesOf(table: Table, properties: readonly string[], row: Row): Row {
    return Object.fromEntries(properties.map(property => [property, table.fromColumn(property, row[property])]));
}

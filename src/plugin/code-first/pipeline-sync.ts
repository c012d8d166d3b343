import type { DataSource } from 'typeorm';
import type { StatementProgram } from '../../core/adapter/loader';
import { flowError } from '../../core/errors/flow-error';
import type { PipelineSource } from '../../core/pipeline/definition';
import type { Database } from '../../database/database';
import { column, join, name, select, sql } from '../../database/statement';
import { type Table, tableOf } from '../../database/table';
import { type Id, insertNumbered, type Row, type WriteTarget, updateRows } from '../../database/write';
import type { CodeFirstPipeline } from '../options/written-pipelines';
import { FlowPipeline } from '../entities/pipeline';
import { FlowPipelineEvent } from '../entities/pipeline-event';
import { FlowPipelineRevision } from '../entities/revision';
import { insertFlowRows } from '../stores/insert';
import type { ChannelLookup, ChannelScoped } from '../runs/channel-tokens';
import {
    plannedCode,
    changesRow,
    prunedRow,
    historyOf,
    type Plan,
    type Revision,
    plannedRow,
    sameId,
    STORED,
    type StoredPipeline,
} from './pipeline-plan';

/** A revision that was published from the code. */
export interface CodeFirstPublication {
    readonly pipelineId: Id;
    readonly pipelineCode: string;
    readonly channelId: Id;
    readonly revisionId: Id;
    readonly number: number;
}

/** The result of a sync, by pipeline code. */
export interface PipelineReport {
    readonly created: readonly string[];
    /** Pipelines with a new revision. */
    readonly published: readonly string[];
    /** Pipelines that are no longer in the code. */
    readonly disabled: readonly string[];
    readonly publications: readonly CodeFirstPublication[];
    /** Pipelines whose definition is not published yet: RUNNING if an earlier revision stays in use, otherwise IDLE. */
    readonly held: ReadonlyMap<string, 'RUNNING' | 'IDLE'>;
    /** The versions of these pipelines. */
    readonly heldVersions: ReadonlyMap<string, number>;
}

/** Which parts of the code are written. */
interface SyncRules {
    /** Codes of pipelines whose new definitions are not published. */
    readonly unpublished: ReadonlySet<string>;
    /** If given, only pipelines that still have these versions are written, and none is disabled: another process may have newer code. */
    readonly versions?: ReadonlyMap<string, number>;
}

/**
 * Makes the stored pipelines equal to the code. New pipelines are created. A changed definition is published as a new revision. A pipeline
 * that is no longer in the code is disabled and kept. A pipeline that users have created under the same code is taken over; its working
 * copy is kept. A pipeline whose definition cannot be published yet is stored all the same; its earlier revision stays in use if it was
 * enabled. Needs a constant number of statements.
 */
export class PipelineSync {
    private readonly pipelines: WriteTarget & { readonly table: Table };
    private readonly revisions: WriteTarget;
    private readonly events: WriteTarget;

    constructor(dataSource: DataSource, { dialect }: Database) {
        this.pipelines = { table: tableOf(dataSource, FlowPipeline), dialect };
        this.revisions = { table: tableOf(dataSource, FlowPipelineRevision), dialect };
        this.events = { table: tableOf(dataSource, FlowPipelineEvent), dialect };
    }

    *script(
        given: readonly CodeFirstPipeline[],
        channelLookup: ChannelLookup,
        { unpublished, versions }: SyncRules,
    ): StatementProgram<PipelineReport> {
        const channels = new Map(given.map(({ source }) => [source.code, channelLookup(pipelineIn(source))]));
        const stored = yield* this.stored([...channels.keys()]);
        const isUnchanged = (code: string): boolean =>
            stored.find(other => other.code === code)?.version === versions?.get(code);
        const desired = versions ? given.filter(({ source }) => isUnchanged(source.code)) : given;
        const revisions = yield* this.relevantRevisions(stored.filter(({ code }) => channels.has(code)));
        const plans = desired.map((pipeline): Plan => {
            const { code } = pipeline.source;
            const known = stored.find(other => other.code === code);
            if (known && !sameId(known.channelId, channels.get(code))) throw movedElsewhere(code);
            const own = known ? revisions.filter(({ pipelineId }) => sameId(pipelineId, known.id)) : [];
            const newest = own.reduce((number, revision) => Math.max(number, revision.number), 0);
            // The selected revision first, because the newest one may have the same content.
            const same = [...own]
                .sort(
                    (a, b) =>
                        Number(sameId(b.id, known?.selectedRevisionId)) -
                        Number(sameId(a.id, known?.selectedRevisionId)),
                )
                .find(({ digest }) => digest === pipeline.digest);
            const isSelected = same !== undefined && sameId(same.id, known?.selectedRevisionId);
            return {
                pipeline,
                channelId: channels.get(code)!,
                known,
                same,
                nextNumber: newest + 1,
                isHeld: unpublished.has(code) && !isSelected,
            };
        });
        const gone = versions ? [] : stored.filter(({ code, enabled }) => enabled && !channels.has(code));
        return yield* this.write(plans, gone);
    }

    private *write(plans: readonly Plan[], gone: readonly StoredPipeline[]): StatementProgram<PipelineReport> {
        const fresh = plans.filter(({ known }) => !known);
        const freshIds = yield* insertNumbered(
            this.pipelines,
            fresh.map(plan => ({
                code: plan.pipeline.source.code,
                ...plannedRow(plan),
                selectedRevisionId: null,
                version: 1,
            })),
        );
        const idOf = (plan: Plan): Id => plan.known?.id ?? freshIds[fresh.indexOf(plan)]!;
        const publishing = plans.filter(({ same, isHeld }) => !same && !isHeld);
        const revisionIds = yield* insertNumbered(
            this.revisions,
            publishing.map(plan => ({
                pipelineId: idOf(plan),
                number: plan.nextNumber,
                definition: plan.pipeline.definition,
                digest: plan.pipeline.digest,
                message: null,
                submittedBy: null,
                publishedBy: null,
            })),
        );
        const revisionOf = (plan: Plan): Id | null =>
            plan.isHeld
                ? (plan.known?.selectedRevisionId ?? null)
                : (plan.same?.id ?? revisionIds[publishing.indexOf(plan)]!);
        const rows = plans.flatMap((plan): Row[] => {
            const row = { ...plannedRow(plan), selectedRevisionId: revisionOf(plan) };
            if (!plan.known) return [{ id: idOf(plan), ...row, version: 1 }];
            return changesRow(plan.known, row) ? [{ id: plan.known.id, ...row, version: plan.known.version + 1 }] : [];
        });
        yield* updateRows(this.pipelines, [...rows, ...gone.map(prunedRow)]);
        yield* insertFlowRows(this.events, [
            ...plans.flatMap(plan =>
                historyOf(plan).map(action => ({
                    pipelineId: idOf(plan),
                    action,
                    actorId: null,
                    comment: null,
                    revisionId: action === 'PUBLISHED' || action === 'REVISION_SELECTED' ? revisionOf(plan) : null,
                })),
            ),
            ...gone.map(({ id }) => ({
                pipelineId: id,
                action: 'DISABLED',
                actorId: null,
                comment: null,
                revisionId: null,
            })),
        ]);
        return {
            created: fresh.map(plannedCode),
            published: publishing.filter(({ known }) => known).map(plannedCode),
            disabled: gone.map(({ code }) => code),
            publications: publishing.map((plan, i) => ({
                pipelineId: idOf(plan),
                pipelineCode: plannedCode(plan),
                channelId: plan.channelId,
                revisionId: revisionIds[i]!,
                number: plan.nextNumber,
            })),
            held: new Map(
                plans
                    .filter(({ isHeld }) => isHeld)
                    .map(plan => [
                        plannedCode(plan),
                        plannedRow(plan).enabled && revisionOf(plan) !== null ? 'RUNNING' : 'IDLE',
                    ]),
            ),
            heldVersions: new Map(
                plans
                    .filter(({ isHeld }) => isHeld)
                    .map(plan => [
                        plannedCode(plan),
                        Number(rows.find(({ id }) => id === idOf(plan))?.['version'] ?? plan.known?.version),
                    ]),
            ),
        };
    }

    /** The pipelines with these codes, and all others that came from code. They are locked until the transaction has ended. */
    private *stored(codes: readonly string[]): StatementProgram<readonly StoredPipeline[]> {
        const { table, dialect } = this.pipelines;
        const rows = yield* select<Row>(sql`
            SELECT ${join(STORED.map(property => sql`${table.column(property)} AS ${name(property)}`))} FROM ${table.name}
            WHERE ${table.column('codeFirst')} = ${true} OR ${dialect.oneOf(table.column('code'), codes)}
            ORDER BY ${table.column('id')}${dialect.forUpdate}`);
        return rows.map(
            row =>
                Object.fromEntries(
                    STORED.map(property => [property, table.fromColumn(property, row[property])]),
                ) as unknown as StoredPipeline,
        );
    }

    /** The selected and the newest revision of each pipeline. */
    private *relevantRevisions(pipelines: readonly StoredPipeline[]): StatementProgram<readonly Revision[]> {
        if (pipelines.length === 0) return [];
        const { table, dialect } = this.revisions;
        const of = (property: string) => column('revision', table.column(property).name);
        const other = (property: string) => column('other', table.column(property).name);
        const columns = join(
            ['id', 'pipelineId', 'number', 'digest'].map(property => sql`${of(property)} AS ${name(property)}`),
        );
        const selected = pipelines.flatMap(({ selectedRevisionId: id }) => (id === null ? [] : [id]));
        return yield* select<Revision>(sql`
            SELECT ${columns} FROM ${table.name} ${name('revision')}
            WHERE ${dialect.oneOf(
                of('pipelineId'),
                pipelines.map(({ id }) => id),
            )} AND (${dialect.oneOf(of('id'), selected)} OR ${of('number')} = (
                SELECT MAX(${other('number')}) FROM ${table.name} ${name('other')} WHERE ${other('pipelineId')} = ${of('pipelineId')}
            ))`);
    }
}

/**
 * The runs, revisions and history of a pipeline belong to the channel in which it was created. Users of another channel must not see them.
 */
function movedElsewhere(code: string): Error {
    const problem = `pipeline "${code}" is already stored in another channel, and a pipeline cannot change its channel; choose another code`;
    return flowError('OPTION_INVALID', { option: 'pipelines', problem });
}

/** A pipeline of the code, as messages name it, with its channel. */
export function pipelineIn({ code, channel }: PipelineSource): ChannelScoped {
    return { what: `Pipeline "${code}"`, token: channel };
}

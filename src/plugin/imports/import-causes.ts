import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { type RequestContext, TransactionalConnection } from '@vendure/core';
import { In } from 'typeorm';
import { type CauseCode, type ImportCause, importCauseOf } from '../../core/import/import-cause';
import type { ImportContext } from '../../core/import/import-context';
import type { ImportPlan, Remedy } from '../../core/import/import-plan';
import { type KnownValues, remediesOf } from '../../core/import/import-remedies';
import { FlowRecordError } from '../entities/record-error';
import type { FlowPipelineRun } from '../entities/run';
import { withoutBlobs } from '../responses/lazy-blobs';

/** Rows that were rejected for the same reason. */
export interface CauseGroup {
    readonly id: string;
    readonly code: CauseCode;
    readonly field: string | null;
    readonly column: string | null;
    readonly value: string | null;
    readonly rows: number;
    readonly places: readonly string[];
    readonly examples: readonly FlowRecordError[];
    readonly groupId: string;
    readonly remedies: readonly Remedy[];
}

/** The causes of a check, the one with most rows first. */
export interface Causes {
    readonly causes: readonly CauseGroup[];
    readonly isCausesComplete: boolean;
}

/** What the causes of a run are derived with. */
interface CauseContext {
    readonly plan: ImportPlan;
    readonly context: ImportContext;
    readonly known: KnownValues;
}

const MAX_READ = 10_000;
/** Few rows, since each may have megabytes. */
const PAGE = 100;
/** Values with the same problem that are a cause each; all others are one cause together. */
const MAX_VALUES = 20;
const MAX_PLACES = 5;
const MAX_EXAMPLES = 3;
const MAX_CAUSES = 100;

/** Problems that each value has its own remedies for. */
const BY_VALUE: ReadonlySet<CauseCode> = new Set<CauseCode>([
    'NOT_A_NUMBER',
    'UNKNOWN_FACET_VALUE',
    'UNKNOWN_TAX_CATEGORY',
    'UNKNOWN',
    'DATE',
]);

interface Found {
    /** The code and the field. */
    readonly problem: string;
    readonly cause: ImportCause;
    readonly groupId: string;
    readonly ids: FlowRecordError['id'][];
    readonly places: string[];
    rows: number;
}

/** Groups the rejected rows of a check by what is wrong with them. */
@Injectable()
export class ImportCauses {
    constructor(private readonly connection: TransactionalConnection) {}

    async of(ctx: RequestContext, run: FlowPipelineRun, { plan, context, known }: CauseContext): Promise<Causes> {
        const found = new Map<string, Found>();
        let read = 0;
        for (let last: FlowRecordError | undefined; read < MAX_READ;) {
            const page = await this.page(ctx, run, last);
            last = page.at(-1);
            if (!last) break;
            read += page.length;
            for (const error of page) add(found, { error, cause: causeOf(error, plan, context) });
        }
        const all = [...merged(found)].sort(([, a], [, b]) => b.rows - a.rows).slice(0, MAX_CAUSES);
        const examples = await this.examples(
            ctx,
            all.flatMap(([, { ids }]) => ids),
        );
        return {
            causes: all.map(([id, { cause, groupId, ids, places, rows }]) => ({
                id,
                code: cause.code,
                field: cause.args['field'] ?? null,
                column: cause.args['column'] ?? null,
                value: cause.args['value'] ?? null,
                rows,
                places,
                examples: examples.filter(error => ids.some(own => own === error.id)),
                groupId,
                remedies: remediesOf(cause, plan, known),
            })),
            isCausesComplete: read < MAX_READ || read >= run.recordsRejected,
        };
    }

    /** How many rows continued with a warning. */
    countWarnings(ctx: RequestContext, { id: runId }: FlowPipelineRun): Promise<number> {
        const where = { runId, channelId: ctx.channelId, severity: 'WARNING' as const };
        return this.connection.getRepository(ctx, FlowRecordError).count({ where });
    }

    private page(
        ctx: RequestContext,
        { id: runId }: FlowPipelineRun,
        last: FlowRecordError | undefined,
    ): Promise<FlowRecordError[]> {
        const query = this.connection
            .getRepository(ctx, FlowRecordError)
            .createQueryBuilder('error')
            .select(
                ['id', 'stepKey', 'path', 'place', 'payload', 'faults', 'cause', 'seq'].map(name => `error.${name}`),
            )
            .where({ runId, channelId: ctx.channelId, severity: 'ERROR' })
            .orderBy('error.id', 'ASC')
            .take(PAGE);
        if (last) query.andWhere('error.id > :last', { last: last.id });
        return query.getMany();
    }

    private async examples(
        ctx: RequestContext,
        ids: ReadonlyArray<FlowRecordError['id']>,
    ): Promise<readonly FlowRecordError[]> {
        if (ids.length === 0) return [];
        const errors = this.connection.getRepository(ctx, FlowRecordError).createQueryBuilder('error');
        return withoutBlobs(errors)
            .where({ id: In([...ids]) })
            .getMany();
    }
}

function causeOf(
    { stepKey, path, faults, payload }: FlowRecordError,
    plan: ImportPlan,
    context: ImportContext,
): ImportCause {
    const issues = faults as unknown as Parameters<typeof importCauseOf>[0]['faults'] | null;
    return importCauseOf(
        { stepKey, path: path ?? undefined, payload, ...(issues && { faults: issues }) },
        plan,
        context,
    );
}

function add(
    found: Map<string, Found>,
    { error, cause }: { readonly error: FlowRecordError; readonly cause: ImportCause },
): void {
    const { value, ...rest } = cause.args;
    const problem = JSON.stringify([cause.code, rest['field'] ?? cause.path ?? error.stepKey]);
    const isOwn = value !== undefined && value !== '' && BY_VALUE.has(cause.code);
    const id = idOf(isOwn ? `${problem} ${value}` : problem);
    const group = found.get(id) ?? {
        problem,
        cause: isOwn ? cause : { ...cause, args: rest },
        groupId: error.cause,
        ids: [],
        places: [],
        rows: 0,
    };
    found.set(id, group);
    group.rows++;
    if (group.ids.length < MAX_EXAMPLES) group.ids.push(error.id);
    if (group.places.length < MAX_PLACES && error.place !== null) group.places.push(error.place);
}

/** If a problem has many values, those with one row each are one cause. */
function merged(found: ReadonlyMap<string, Found>): ReadonlyArray<readonly [string, Found]> {
    const problems = new Map<string, Array<readonly [string, Found]>>();
    for (const entry of found) {
        const { problem } = entry[1];
        const groups = problems.get(problem) ?? [];
        problems.set(problem, groups);
        groups.push(entry);
    }
    return [...problems].flatMap(([problem, groups]) => {
        if (groups.length <= MAX_VALUES) return groups;
        const sorted = groups.sort(([, a], [, b]) => b.rows - a.rows);
        const kept = sorted.slice(0, MAX_VALUES).filter(([, { rows }]) => rows > 1);
        const others = sorted.slice(kept.length).map(([, group]) => group);
        const { value: _, ...args } = others[0]!.cause.args;
        const rest: Found = {
            ...others[0]!,
            cause: { ...others[0]!.cause, args },
            ids: others.flatMap(({ ids }) => ids).slice(0, MAX_EXAMPLES),
            places: others.flatMap(({ places }) => places).slice(0, MAX_PLACES),
            rows: others.reduce((sum, { rows }) => sum + rows, 0),
        };
        return [...kept, [idOf(problem), rest] as const];
    });
}

function idOf(text: string): string {
    return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

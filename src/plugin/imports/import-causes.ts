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
export interface CauseContext {
    readonly plan: ImportPlan;
    readonly context: ImportContext;
    readonly known: KnownValues;
}

const MAX_READ = 10_000;
const PAGE = 500;
/** Values with the same problem that are a cause each; all others are one cause together. */
const MAX_VALUES = 20;
const MAX_PLACES = 5;
const MAX_EXAMPLES = 3;
const MAX_CAUSES = 100;

interface Found {
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
        const valuesOf = new Map<string, number>();
        let read = 0;
        for (let last: FlowRecordError | undefined; read < MAX_READ;) {
            const page = await this.page(ctx, run, last);
            last = page.at(-1);
            if (!last) break;
            read += page.length;
            for (const error of page) add(found, valuesOf, { error, cause: causeOf(error, plan, context) });
        }
        const all = [...found].sort(([, a], [, b]) => b.rows - a.rows).slice(0, MAX_CAUSES);
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
    valuesOf: Map<string, number>,
    { error, cause }: { readonly error: FlowRecordError; readonly cause: ImportCause },
): void {
    const { value, ...rest } = cause.args;
    const problem = JSON.stringify([cause.code, rest['field'] ?? cause.path ?? error.stepKey]);
    const own = idOf(`${problem} ${value ?? ''}`);
    const isNew = !found.has(own);
    const values = valuesOf.get(problem) ?? 0;
    if (isNew && value !== undefined) valuesOf.set(problem, values + 1);
    const isOneOfMany = isNew && value !== undefined && values >= MAX_VALUES;
    const id = isOneOfMany ? idOf(problem) : own;
    const group: Found = found.get(id) ?? {
        cause: isOneOfMany || value === undefined || value === '' ? { ...cause, args: rest } : cause,
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

function idOf(text: string): string {
    return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

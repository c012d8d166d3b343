import type { Id, Row } from '../../database/write';
import type { FlowPipeline } from '../entities/pipeline';
import type { PipelineAction } from '../entities/pipeline-event';
import type { CodeFirstPipeline } from '../options/written-pipelines';

/** The properties of a stored pipeline that a sync reads. */
export const STORED = [
    'id',
    'code',
    'name',
    'description',
    'enabled',
    'archived',
    'codeFirst',
    'channelId',
    'selectedRevisionId',
    'version',
    'status',
    'hasChanges',
    'submittedBy',
    'submittedAt',
    'heldDigest',
] as const;
/** A stored pipeline as a sync reads it. */
export type StoredPipeline = Pick<FlowPipeline, (typeof STORED)[number]>;

/** A revision as a sync compares it. */
export interface Revision {
    readonly id: Id;
    readonly pipelineId: Id;
    readonly number: number;
    readonly digest: string;
}

/** The rows to be written for one pipeline of the code. */
export interface Plan {
    readonly pipeline: CodeFirstPipeline;
    readonly channelId: Id;
    readonly known: StoredPipeline | undefined;
    /** The existing revision with the same definition. */
    readonly same: Revision | undefined;
    /** The number of the next revision. */
    readonly nextNumber: number;
    /** Whether it cannot be published now, so that the selected revision stays selected. */
    readonly isHeld: boolean;
}

/**
 * The columns of a pipeline's row that the code decides. A code-first pipeline has no working copy that users could see or review. A
 * different held definition changes the row's version, so that a process with older code cannot publish its definition after a process with
 * newer code has started.
 */
export function plannedRow({ pipeline: { source, digest }, channelId, known, isHeld }: Plan) {
    // A pipeline that was disabled is not enabled with a definition that the code no longer contains.
    const isOff = isHeld && known !== undefined && (!known.enabled || known.archived);
    return {
        name: source.name,
        description: source.description,
        enabled: source.enabled && !isOff,
        archived: isOff && known.archived,
        codeFirst: true,
        channelId,
        status: 'DRAFT' as const,
        hasChanges: false,
        submittedBy: null,
        submittedAt: null,
        heldDigest: isHeld ? digest : null,
    };
}

/** The row of a pipeline that is no longer in the code. */
export function prunedRow({ id, code: _code, ...row }: StoredPipeline): Row {
    return { id, ...row, enabled: false, version: row.version + 1 };
}

/** Whether a row changes what is stored. */
export function changesRow(known: StoredPipeline, row: Partial<StoredPipeline>): boolean {
    return Object.entries(row).some(
        ([property, value]) => String(known[property as keyof StoredPipeline]) !== String(value),
    );
}

/** The history entries that a plan adds to its pipeline. */
export function historyOf(plan: Plan): readonly PipelineAction[] {
    const { known, same, isHeld } = plan;
    const { enabled, archived } = plannedRow(plan);
    if (!known) return isHeld ? ['CREATED'] : ['CREATED', 'PUBLISHED'];
    const isSelecting = same && !sameId(same.id, known.selectedRevisionId);
    return [
        ...(known.archived && !archived ? ['RESTORED' as const] : []),
        ...(same || isHeld ? [] : ['PUBLISHED' as const]),
        ...(isSelecting && !isHeld ? ['REVISION_SELECTED' as const] : []),
        ...(known.enabled === enabled ? [] : [enabled ? ('ENABLED' as const) : ('DISABLED' as const)]),
    ];
}

/** The code of a plan's pipeline. */
export function plannedCode({ pipeline }: Plan): string {
    return pipeline.source.code;
}

/** Whether two ids are the same, whatever their types. */
export function sameId(a: Id | null | undefined, b: Id | null | undefined): boolean {
    return String(a) === String(b);
}

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

/** What is to be written for one pipeline of the code. */
export interface Plan {
    readonly pipeline: CodeFirstPipeline;
    readonly channelId: Id;
    readonly known: StoredPipeline | undefined;
    /** The revision that says the same already. */
    readonly same: Revision | undefined;
    /** Of the revision to come. */
    readonly nextNumber: number;
    /** It is not to be published now: what is selected stays so. */
    readonly isHeld: boolean;
}

/**
 * What the code decides about a pipeline's row. It has no working copy that anybody could see or review. Another held definition changes the
 * row's version: a process with older code cannot publish what it holds after a process with newer code has started.
 */
export function plannedRow({ pipeline: { source, digest }, channelId, known, isHeld }: Plan) {
    // Of what was switched off, nothing begins to run that the code does not say any more.
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

/** What a plan adds to the history of its pipeline. */
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

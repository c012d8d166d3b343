import type { RunWithState } from '../../ground/run-state';

/** A pipeline as far as what is next to do about it goes. */
export interface PipelineState {
    readonly enabled: boolean;
    readonly archived: boolean;
    readonly status: 'DRAFT' | 'REVIEW';
    readonly hasChanges: boolean;
    readonly revision: object | null;
    /** Null for those who may not read runs. */
    readonly openErrors: number | null;
    readonly lastRun: RunWithState | null;
}

/** The one thing that a person should do about a pipeline next. */
export type NextToDo =
    'restore' | 'publish' | 'review' | 'failure' | 'approval' | 'rejects' | 'changes' | 'enable' | 'run';

/** The order: errors first, then what waits for a person, then drafts. */
export function nextToDo(pipeline: PipelineState): NextToDo | undefined {
    const { enabled, archived, status, hasChanges, revision, openErrors, lastRun } = pipeline;
    if (archived) return 'restore';
    if (status === 'REVIEW') return 'review';
    if (revision === null) return 'publish';
    if (lastRun?.status === 'FAILED') return 'failure';
    if (lastRun?.status === 'PAUSED') return 'approval';
    if ((openErrors ?? 0) > 0) return 'rejects';
    if (hasChanges) return 'changes';
    if (!enabled) return 'enable';
    return lastRun === null ? 'run' : undefined;
}

/** A pipeline as it is now. */
export interface PipelineNow {
    readonly hasChanges: boolean;
    readonly workingCopy: { readonly updatedAt: string } | null;
    readonly revision: { readonly id: string } | null;
}

/** How what a dry run has shown is run: as it is live, after publishing the draft, or not, because it has changed since. */
export type AfterDryRun = 'START' | 'PUBLISH' | 'CHANGED';

/** What has to be done so that a run does what the dry run has shown. A dry run without a revision is one of the draft. */
export function nextAfterDryRun(
    { revisionId, createdAt }: { readonly revisionId: string | null; readonly createdAt: string },
    { hasChanges, workingCopy, revision }: PipelineNow,
): AfterDryRun {
    if (revisionId !== null) return revision?.id === revisionId ? 'START' : 'CHANGED';
    if (workingCopy && Date.parse(workingCopy.updatedAt) > Date.parse(createdAt)) return 'CHANGED';
    return hasChanges || revision === null ? 'PUBLISH' : 'START';
}

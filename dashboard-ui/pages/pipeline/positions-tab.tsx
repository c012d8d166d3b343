import { Trans } from '@lingui/react/macro';
import { Link, PermissionGuard } from '@vendure/dashboard';
import type { ReactNode } from 'react';
import { Moment } from '../../parts/moment';
import { ReseedDialog, ResetDialog } from './position-dialogs';
import { type Positions, type SavedPosition, sourcesOf } from './positions.graphql';

interface PositionsTabProps {
    readonly pipelineId: string;
    readonly positions: Positions;
}

/** Where the next run begins to read each source, and how that is moved. */
export function PositionsTab({ pipelineId, positions }: PositionsTabProps): ReactNode {
    const { flowSavedPositions: saved, flowReseedableSteps: settable } = positions;
    return (
        <div className="space-y-4">
            <p className="text-sm text-muted-foreground">
                <Trans>
                    These sources continue after the last completed run. Changing a position changes nothing in the
                    shop. It sets where the next run starts.
                </Trans>
            </p>
            <ul className="space-y-4">
                {sourcesOf(positions).map(stepKey => {
                    const position = saved.find(one => one.stepKey === stepKey);
                    return (
                        <li key={stepKey} className="space-y-3 rounded-md border p-4">
                            <p className="flex flex-wrap items-center gap-2">
                                <strong className="font-medium" translate="no">
                                    {stepKey}
                                </strong>
                                <Standing position={position} />
                            </p>
                            <PermissionGuard requires={['RunFlowPipeline']}>
                                <div className="flex flex-wrap gap-2">
                                    {settable.includes(stepKey) && (
                                        <ReseedDialog
                                            pipelineId={pipelineId}
                                            stepKey={stepKey}
                                            trackingValue={position?.trackingValue ?? ''}
                                            primaryKey={position?.primaryKey ?? ''}
                                        />
                                    )}
                                    {position && <ResetDialog pipelineId={pipelineId} stepKey={stepKey} />}
                                </div>
                            </PermissionGuard>
                        </li>
                    );
                })}
            </ul>
        </div>
    );
}

function Standing({ position }: { readonly position: SavedPosition | undefined }): ReactNode {
    if (!position)
        return (
            <span className="text-sm">
                <Trans>from the beginning</Trans>
            </span>
        );
    const { trackingValue, primaryKey, runId, movedAt } = position;
    return (
        <>
            {trackingValue !== null && primaryKey !== null ? (
                <span className="text-sm">
                    <Trans>
                        after the row <code translate="no">{trackingValue}</code>,{' '}
                        <code translate="no">{primaryKey}</code>
                    </Trans>
                </span>
            ) : (
                <span className="text-sm">
                    <Trans>Resume from the last position</Trans>
                </span>
            )}
            <span className="text-sm text-muted-foreground">
                <Moment value={movedAt} />
                {' · '}
                {runId === null ? (
                    <Trans>set manually</Trans>
                ) : (
                    <Link to={`/flow/runs/${runId}`} className="underline underline-offset-4">
                        <Trans>By run</Trans>
                    </Link>
                )}
            </span>
        </>
    );
}

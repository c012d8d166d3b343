import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { api, Button, Label, PermissionGuard, Textarea, useLocalFormat, useMutation } from '@vendure/dashboard';
import { CheckIcon, XIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useOnce } from '../../ground/use-once';
import { FaultNotice } from '../../parts/fault-notice';
import { Moment } from '../../parts/moment';
import { GatePreview } from './gate-preview';
import { approveGateDocument, rejectGateDocument, type Run } from './run.graphql';

interface GateTabProps {
    readonly run: Run;
    readonly onDecided: () => Promise<unknown>;
}

/** What a gate holds and what would become of it; the decision, and those that were taken before. */
export function GateTab({ run, onDecided }: GateTabProps): ReactNode {
    return (
        <div className="space-y-6">
            {run.gateStepKey !== null && run.status === 'PAUSED' && (
                <Decision key={run.gateStepKey} run={run} stepKey={run.gateStepKey} onDecided={onDecided} />
            )}
            <Decided run={run} />
        </div>
    );
}

interface DecisionProps extends GateTabProps {
    readonly stepKey: string;
}

function Decision({ run, stepKey, onDecided }: DecisionProps): ReactNode {
    const [comment, setComment] = useState('');
    const decide = useMutation({
        mutationFn: async (verdict: 'approve' | 'reject'): Promise<unknown> => {
            const decision = { runId: run.id, stepKey, comment: comment.trim() || null };
            return verdict === 'approve'
                ? api.mutate(approveGateDocument, decision)
                : api.mutate(rejectGateDocument, decision);
        },
        onSuccess: onDecided,
    });
    const press = useOnce(decide.mutateAsync);
    const records = run.held.find(held => held.stepKey === stepKey)?.records ?? 0;
    return (
        <div className="space-y-4">
            <p className="text-base font-medium">
                <Plural
                    value={records}
                    one="# record waits here. Review the changes, then decide."
                    other="# records wait here. Review the changes, then decide."
                />
            </p>
            <OpensByItself at={run.gateTimeoutAt} />
            <GatePreview runId={run.id} stepKey={stepKey} />
            {decide.error && <FaultNotice error={decide.error} />}
            <PermissionGuard requires={['ApproveFlowGate']}>
                <div className="sticky bottom-0 z-10 -mx-1 space-y-2 rounded-md border bg-card p-3 shadow-sm">
                    <Label htmlFor="flow-gate-comment">
                        <Trans>Comment, kept with the decision</Trans>
                    </Label>
                    <Textarea
                        id="flow-gate-comment"
                        rows={1}
                        className="min-h-9 max-w-xl"
                        value={comment}
                        maxLength={2000}
                        onChange={event => setComment(event.target.value)}
                    />
                    <div className="flex flex-wrap gap-2">
                        <Button disabled={decide.isPending} onClick={() => press('approve')}>
                            <CheckIcon aria-hidden />
                            <Plural value={records} one="Approve # record" other="Approve # records" />
                        </Button>
                        <Button variant="outline" disabled={decide.isPending} onClick={() => press('reject')}>
                            <XIcon aria-hidden />
                            <Trans>Reject and cancel the run</Trans>
                        </Button>
                    </div>
                </div>
            </PermissionGuard>
        </div>
    );
}

function OpensByItself({ at }: { readonly at: string | null }): ReactNode {
    const { formatDate } = useLocalFormat();
    if (at === null) return null;
    const moment = formatDate(at, { dateStyle: 'medium', timeStyle: 'short' });
    return (
        <p className="text-sm text-muted-foreground">
            <Trans>No decision is needed. The gate opens automatically at {moment}.</Trans>
        </p>
    );
}

function Decided({ run }: { readonly run: Run }): ReactNode {
    const { t } = useLingui();
    if (run.gateDecisions.length === 0) return null;
    const deciders = { TIMEOUT: t`timed out`, THRESHOLD: t`below the error threshold` };
    return (
        <ul className="space-y-3">
            {run.gateDecisions.map(({ id, stepKey, verdict, decider, decidedBy, comment, createdAt, records }) => (
                <li key={id} className="rounded-md border p-3 text-sm">
                    <p className="flex flex-wrap items-center gap-2">
                        {verdict === 'APPROVED' ? (
                            <CheckIcon aria-hidden className="size-4 text-success" />
                        ) : (
                            <XIcon aria-hidden className="size-4 text-destructive" />
                        )}
                        <strong>
                            {verdict === 'APPROVED' ? (
                                <Trans context="flow gate">Approved</Trans>
                            ) : (
                                <Trans context="flow gate">Rejected</Trans>
                            )}
                        </strong>
                        <span translate="no">{stepKey}</span>
                        <Plural value={records} one="# record" other="# records" />
                        <span className="text-muted-foreground">
                            {decider === 'PERSON' ? (
                                <span translate="no">{decidedBy?.identifier}</span>
                            ) : (
                                deciders[decider]
                            )}{' '}
                            · <Moment value={createdAt} />
                        </span>
                    </p>
                    {comment && <p className="mt-1 whitespace-pre-wrap">{comment}</p>}
                </li>
            ))}
        </ul>
    );
}

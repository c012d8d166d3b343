import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { api, Button, Card, CardContent, CardHeader, CardTitle, Link, useQuery } from '@vendure/dashboard';
import { CircleCheckIcon, Undo2Icon } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { usePlaceText } from '../../../parts/use-place-text';
import { useFieldWords } from '../field-words';
import type { Remedy } from '../import-plan';
import { fieldOfRemedy, useCauseText, useRemedyText } from './cause-words';
import { causeReasonDocument, type ImportCause, type ImportCheck } from './check.graphql';

interface CauseListProps {
    readonly check: ImportCheck;
    readonly isBusy: boolean;
    readonly onDecide: (remedy: Remedy, isUndone?: boolean) => void;
}

/** Rejected rows by cause, each with what can be done about it, and the decisions that were made. */
export function CauseList({ check, isBusy, onDecide }: CauseListProps): ReactNode {
    const { causes, rejected, applied } = check;
    const list = useRef<HTMLUListElement>(null);
    const before = useRef(causes.length);
    // After a remedy, the focus is on the cause that follows.
    useEffect(() => {
        if (causes.length < before.current) list.current?.querySelector('button')?.focus();
        before.current = causes.length;
    }, [causes.length]);
    if (rejected === 0 && applied.length === 0) return null;
    return (
        <Card>
            <CardHeader>
                <CardTitle>
                    <Plural value={rejected} _0="No rejected rows" one="Rejected: # row" other="Rejected: # rows" />
                </CardTitle>
            </CardHeader>
            <CardContent className="space-y-3">
                {causes.length > 0 && (
                    <ul ref={list} className="divide-y">
                        {causes.map(cause => (
                            <Cause
                                key={cause.id}
                                cause={cause}
                                runId={check.runId}
                                isBusy={isBusy}
                                onDecide={onDecide}
                            />
                        ))}
                    </ul>
                )}
                {!check.isCausesComplete && (
                    <p className="text-sm text-muted-foreground">
                        <Trans>Only the first 10,000 rejected rows are grouped here.</Trans>
                    </p>
                )}
                {rejected > 0 && (
                    <p className="text-sm">
                        <Link
                            to="/flow/record-errors"
                            search={{ runId: check.runId } as never}
                            className="underline underline-offset-4"
                        >
                            <Trans>Show all rejected rows</Trans>
                        </Link>
                    </p>
                )}
                <Applied applied={applied} isBusy={isBusy} onDecide={onDecide} />
            </CardContent>
        </Card>
    );
}

interface CauseProps extends Pick<CauseListProps, 'isBusy' | 'onDecide'> {
    readonly cause: ImportCause;
    readonly runId: string;
}

function Cause({ cause, runId, isBusy, onDecide }: CauseProps): ReactNode {
    const causeText = useCauseText();
    const remedyText = useRemedyText();
    const placeOf = usePlaceText();
    const remedies = cause.remedies as readonly Remedy[];
    const places = cause.places.map(placeOf).join(', ');
    const text = causeText(cause);
    return (
        <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3" data-testid="flow-import-cause">
            <div className="min-w-0 grow">
                <p className="break-words">{text}</p>
                {(cause.code === 'OTHER' || (cause.code === 'PICTURE' && cause.value === null)) && (
                    <Reason cause={cause} runId={runId} />
                )}
                <p className="text-sm text-muted-foreground">
                    <Plural value={cause.rows} one="# row" other="# rows" />
                    {places !== '' && ` · ${places}${cause.rows > cause.places.length ? ' …' : ''}`}
                </p>
            </div>
            <div className="flex flex-wrap gap-2 max-md:w-full max-md:flex-col">
                {remedies.map(remedy => (
                    <Button
                        key={JSON.stringify(remedy)}
                        variant="outline"
                        size="sm"
                        className="max-md:h-11 max-md:w-full"
                        disabled={isBusy}
                        aria-label={`${remedyText(remedy, cause)} – ${text}`}
                        onClick={() => onDecide(remedy)}
                    >
                        {remedyText(remedy, cause)}
                    </Button>
                ))}
            </div>
        </li>
    );
}

/** What the server says about the first of the rows, for a cause whose sentence does not say what is wrong. */
function Reason({ cause, runId }: Pick<CauseProps, 'cause' | 'runId'>): ReactNode {
    const groupIds = cause.groupId === null ? undefined : [cause.groupId];
    const { data } = useQuery({
        queryKey: ['flow', 'import-cause-reason', runId, cause.groupId],
        queryFn: () => api.query(causeReasonDocument, { selection: { runId, ...(groupIds && { groupIds }) } }),
        enabled: groupIds !== undefined,
        retry: false,
    });
    const message = data?.flowRecordErrors.items[0]?.message;
    return message === undefined ? null : <p className="text-sm break-words">{message}</p>;
}

interface AppliedProps extends Pick<CauseListProps, 'isBusy' | 'onDecide'> {
    readonly applied: readonly Remedy[];
}

/** The decisions so far. Each can be taken back. */
function Applied({ applied, isBusy, onDecide }: AppliedProps): ReactNode {
    const { t } = useLingui();
    const remedyText = useRemedyText();
    const fieldOf = useFieldWords();
    if (applied.length === 0) return null;
    return (
        <ul aria-label={t`Your decisions`} className="space-y-1 text-sm">
            {applied.map(remedy => {
                const field = fieldOfRemedy(remedy);
                const text = field === undefined ? remedyText(remedy) : `${fieldOf(field)}: ${remedyText(remedy)}`;
                return (
                    <li key={JSON.stringify(remedy)} className="flex flex-wrap items-center gap-2">
                        <CircleCheckIcon aria-hidden className="size-4 shrink-0 text-success" />
                        <span className="min-w-0">{text}</span>
                        <Button
                            variant="ghost"
                            size="sm"
                            className="max-md:h-11"
                            disabled={isBusy}
                            aria-label={t`Undo: ${text}`}
                            onClick={() => onDecide(remedy, true)}
                        >
                            <Undo2Icon aria-hidden />
                            <Trans>Undo</Trans>
                        </Button>
                    </li>
                );
            })}
        </ul>
    );
}

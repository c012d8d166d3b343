import { Trans, useLingui } from '@lingui/react/macro';
import {
    Button,
    Link,
    PermissionGuard,
    TableBody,
    TableCell,
    TableHead,
    TableHeader,
    TableRow,
    toast,
    useMutation,
} from '@vendure/dashboard';
import { CircleCheckIcon, DownloadIcon, TriangleAlertIcon, WrenchIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { faultOf } from '../../ground/fault';
import { hasEnded } from '../../ground/run-state';
import { StateBadge } from '../../ground/state-badge';
import { useErrorText } from '../../i18n/use-server-texts';
import { FaultNotice } from '../../parts/fault-notice';
import { NothingHere } from '../../parts/nothing-here';
import { Pager } from '../../parts/pager';
import { cellText, valueAt } from '../../parts/record-fields';
import { saveFile } from '../../parts/rest';
import { usePlaceText } from '../../parts/use-place-text';
import { useRefreshed } from '../../parts/use-refreshed';
import { useSkip } from '../../parts/use-search';
import { WideTable } from '../../parts/wide-table';
import { type Run, runRecordsDocument } from './run.graphql';

const TAKE = 25;

/** The records that this run rejected or warned about, and the ways to correct them. */
export function RecordsTab({ run }: { readonly run: Run }): ReactNode {
    const { t } = useLingui();
    const placeOf = usePlaceText();
    const textOf = useErrorText();
    const [skip, setSkip] = useSkip('records');
    const { data, error, refetch } = useRefreshed({
        document: runRecordsDocument,
        variables: { runId: run.id, options: { skip, take: TAKE, sort: { id: 'ASC' as const } } },
        isRefreshed: !hasEnded(run),
    });
    if (error) return <FaultNotice error={error} onRetry={refetch} />;
    const list = data?.flowRecordErrors;
    if (list?.totalItems === 0)
        return (
            <NothingHere
                icon={CircleCheckIcon}
                title={<Trans>No rejected records</Trans>}
                purpose={<Trans>Rejected records are kept here with the reason. All other records continue.</Trans>}
            />
        );
    return (
        <div className="space-y-3">
            <Ways run={run} />
            <WideTable name={t({ message: 'Rejected records', context: 'flow' })}>
                <TableHeader>
                    <TableRow>
                        <TableHead>
                            <Trans context="flow">Location</Trans>
                        </TableHead>
                        <TableHead>
                            <Trans context="flow">Step</Trans>
                        </TableHead>
                        <TableHead>
                            <Trans context="flow">Field</Trans>
                        </TableHead>
                        <TableHead>
                            <Trans context="flow">Value</Trans>
                        </TableHead>
                        <TableHead>
                            <Trans context="flow">Reason</Trans>
                        </TableHead>
                    </TableRow>
                </TableHeader>
                <TableBody translate="no">
                    {list?.items.map(({ id, place, seq, stepKey, path, payload, message, facts, code, severity }) => (
                        <TableRow key={id}>
                            <TableCell className="align-top whitespace-nowrap">
                                {placeOf(place) ?? `#${seq + 1}`}
                            </TableCell>
                            <TableCell className="align-top">{stepKey}</TableCell>
                            <TableCell className="align-top font-mono text-xs">{path ?? ''}</TableCell>
                            <TableCell className="max-w-48 truncate align-top">
                                {path === null ? '' : cellText(valueAt(payload, path))}
                            </TableCell>
                            <TableCell className="min-w-64 align-top break-words whitespace-pre-wrap">
                                {severity === 'WARNING' && (
                                    <span className="mr-2" translate="yes">
                                        <StateBadge tone="warning" icon={TriangleAlertIcon}>
                                            <Trans>Warning (continued)</Trans>
                                        </StateBadge>
                                    </span>
                                )}
                                {textOf({ code, message, facts })}{' '}
                                <code className="text-xs text-muted-foreground">{code}</code>
                            </TableCell>
                        </TableRow>
                    ))}
                </TableBody>
            </WideTable>
            <Pager skip={skip} take={TAKE} total={list?.totalItems ?? 0} onSkip={setSkip} />
        </div>
    );
}

function Ways({ run }: { readonly run: Run }): ReactNode {
    const { t } = useLingui();
    const download = useMutation({
        mutationFn: () => saveFile(`/flow/runs/${run.id}/rejects.csv`),
        onError: error => toast.error(t`The download failed`, { description: faultOf(error).message }),
    });
    return (
        <div className="flex flex-wrap gap-2">
            {!run.dryRun && run.recordsRejected > 0 && (
                <PermissionGuard requires={['RetryFlowRecord']}>
                    <Button size="sm" render={<Link to="/flow/record-errors" search={{ runId: run.id } as never} />}>
                        <WrenchIcon aria-hidden />
                        <Trans>Correct and replay</Trans>
                    </Button>
                </PermissionGuard>
            )}
            <PermissionGuard requires={['ReadFlowRecord']}>
                <Button size="sm" variant="outline" disabled={download.isPending} onClick={() => download.mutate()}>
                    <DownloadIcon aria-hidden />
                    <Trans>Download as CSV</Trans>
                </Button>
            </PermissionGuard>
        </div>
    );
}

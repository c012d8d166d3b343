import { Trans, useLingui } from '@lingui/react/macro';
import {
    NativeSelect,
    NativeSelectOption,
    TableBody,
    TableCell,
    TableHead,
    TableHeader,
    TableRow,
    useLocalFormat,
} from '@vendure/dashboard';
import { ScrollTextIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { hasEnded } from '../../ground/run-state';
import { useLineText } from '../../i18n/use-server-texts';
import { FaultNotice } from '../../parts/fault-notice';
import { type Level, LevelBadge, useLevelWords } from '../../parts/log-level';
import { NothingHere } from '../../parts/nothing-here';
import { Pager } from '../../parts/pager';
import { useRefreshed } from '../../parts/use-refreshed';
import { useSearch, useSkip } from '../../parts/use-search';
import { WideTable } from '../../parts/wide-table';
import { type Run, runLogDocument } from './run.graphql';

const TAKE = 50;

/** What the run has written into its log, the newest line first. */
export function LogTab({ run }: { readonly run: Run }): ReactNode {
    const { t } = useLingui();
    const levels = useLevelWords();
    const [skip, setSkip] = useSkip('log');
    const [{ level = '' }, change] = useSearch();
    const { data, error, refetch } = useRefreshed({
        document: runLogDocument,
        variables: {
            runId: run.id,
            options: {
                skip,
                take: TAKE,
                sort: { id: 'DESC' as const },
                ...(level && { filter: { level: { eq: level } } }),
            },
        },
        isRefreshed: !hasEnded(run),
    });
    if (error) return <FaultNotice error={error} onRetry={refetch} />;
    const lines = data?.flowLogs;
    return (
        <div className="space-y-3">
            <NativeSelect
                aria-label={t`Level`}
                value={level}
                onChange={({ target }) => change({ level: target.value || undefined, log: undefined })}
            >
                <NativeSelectOption value="">{t`All levels`}</NativeSelectOption>
                {Object.entries(levels).map(([name, word]) => (
                    <NativeSelectOption key={name} value={name}>
                        {word}
                    </NativeSelectOption>
                ))}
            </NativeSelect>
            {lines?.totalItems === 0 ? (
                <NothingHere
                    icon={ScrollTextIcon}
                    title={<Trans>No such log line</Trans>}
                    purpose={<Trans>The run logs its steps, warnings and result here.</Trans>}
                />
            ) : (
                <WideTable name={t({ message: 'Log', context: 'flow' })}>
                    <TableHeader>
                        <TableRow>
                            <TableHead>
                                <Trans context="flow">Time</Trans>
                            </TableHead>
                            <TableHead>
                                <Trans context="flow">Level</Trans>
                            </TableHead>
                            <TableHead className="max-sm:hidden">
                                <Trans context="flow">Step</Trans>
                            </TableHead>
                            <TableHead>
                                <Trans context="flow">Message</Trans>
                            </TableHead>
                        </TableRow>
                    </TableHeader>
                    <TableBody>
                        {lines?.items.map(line => (
                            <LogLine key={line.id} line={line} />
                        ))}
                    </TableBody>
                </WideTable>
            )}
            <Pager skip={skip} take={TAKE} total={lines?.totalItems ?? 0} onSkip={setSkip} />
        </div>
    );
}

interface Line {
    readonly createdAt: string;
    readonly level: Level;
    readonly code: string | null;
    readonly message: string;
    readonly facts: unknown;
    readonly stepKey: string | null;
}

function LogLine({ line }: { readonly line: Line }): ReactNode {
    const { formatDate } = useLocalFormat();
    const textOf = useLineText();
    return (
        <TableRow>
            <TableCell className="align-top text-muted-foreground tabular-nums whitespace-nowrap">
                <span className="max-sm:hidden">{formatDate(line.createdAt, { dateStyle: 'short' })}</span>{' '}
                {formatDate(line.createdAt, { timeStyle: 'medium' })}
            </TableCell>
            <TableCell className="align-top">
                <LevelBadge level={line.level} />
            </TableCell>
            <TableCell translate="no" className="align-top font-mono text-xs max-sm:hidden">
                {line.stepKey ?? ''}
            </TableCell>
            <TableCell className="min-w-48 align-top break-words whitespace-pre-wrap">
                {/* A phone has no space for it next to the message. */}
                {line.stepKey !== null && (
                    <span translate="no" className="mr-2 font-mono text-xs sm:hidden">
                        {line.stepKey}
                    </span>
                )}
                {textOf(line)}
            </TableCell>
        </TableRow>
    );
}

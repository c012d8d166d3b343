import { Trans, useLingui } from '@lingui/react/macro';
import {
    api,
    keepPreviousData,
    Link,
    TableBody,
    TableCell,
    TableHead,
    TableHeader,
    TableRow,
    useLocalFormat,
    useQuery,
} from '@vendure/dashboard';
import type { ReactNode } from 'react';
import { useLineText } from '../../i18n/use-server-texts';
import { FaultNotice } from '../../parts/fault-notice';
import { LevelBadge } from '../../parts/log-level';
import { Pager } from '../../parts/pager';
import type { Search } from '../../parts/use-search';
import { WideTable } from '../../parts/wide-table';
import { logLinesDocument, newestRunsDocument } from './logs.graphql';
import type { TimeWindow } from './time-window';

const TAKE = 50;
/** For one pipeline, the number of its newest runs whose lines are searched. */
const RUNS = 100;

interface LogLinesProps {
    readonly search: Search;
    readonly window: TimeWindow;
    readonly onSkip: (skip: number) => void;
}

/** The lines that fit, the newest first. */
export function LogLines({ search, window, onSkip }: LogLinesProps): ReactNode {
    const skip = Number(search['skip'] ?? 0);
    const { data, error, refetch } = useQuery({
        queryKey: ['flow', 'log-lines', search, window],
        queryFn: () => askedLines(search, window),
        placeholderData: keepPreviousData,
        retry: false,
    });
    if (error) return <FaultNotice error={error} onRetry={refetch} />;
    if (!data) return null;
    if (data.totalItems === 0)
        return (
            <p className="py-6 text-center text-muted-foreground">
                <Trans>No lines match. Choose a longer period or fewer filters.</Trans>
            </p>
        );
    return (
        <>
            <div className="overflow-x-auto">
                <Lines lines={data.items} />
            </div>
            <Pager skip={skip} take={TAKE} total={data.totalItems} onSkip={onSkip} />
            {search['pipeline'] !== undefined && search['run'] === undefined && (
                <p className="text-xs text-muted-foreground">
                    <Trans>Searches the latest {RUNS} runs of a pipeline.</Trans>
                </p>
            )}
        </>
    );
}

type Answer = Awaited<ReturnType<typeof askedLines>>;

async function askedLines(search: Search, { from, to }: TimeWindow) {
    const { run, pipeline, level, step, text } = search;
    const ofPipeline = run === undefined && pipeline !== undefined ? await newestRuns(pipeline) : undefined;
    const { flowLogs } = await api.query(logLinesDocument, {
        runId: run,
        options: {
            take: TAKE,
            skip: Number(search['skip'] ?? 0),
            filter: {
                createdAt: to === undefined ? { after: from } : { between: { start: from, end: to } },
                ...(level !== undefined && { level: { eq: level } }),
                ...(step !== undefined && { stepKey: { eq: step } }),
                ...(text !== undefined && { message: { contains: text } }),
                ...(ofPipeline && { runId: { in: ofPipeline } }),
            },
        },
    });
    return flowLogs;
}

async function newestRuns(pipelineId: string): Promise<string[]> {
    const { flowPipelineRuns } = await api.query(newestRunsDocument, { pipelineId, take: RUNS });
    return flowPipelineRuns.items.map(({ id }) => id);
}

function Lines({ lines }: { readonly lines: Answer['items'] }): ReactNode {
    const { t } = useLingui();
    const { formatDate } = useLocalFormat();
    const textOf = useLineText();
    return (
        <WideTable name={t({ message: 'Log', context: 'flow' })}>
            <TableHeader>
                <TableRow>
                    <TableHead>
                        <Trans>Time</Trans>
                    </TableHead>
                    <TableHead>
                        <Trans context="log">Level</Trans>
                    </TableHead>
                    <TableHead>
                        <Trans context="flow">Run</Trans>
                    </TableHead>
                    <TableHead>
                        <Trans context="flow">Step</Trans>
                    </TableHead>
                    <TableHead>
                        <Trans>Message</Trans>
                    </TableHead>
                </TableRow>
            </TableHeader>
            <TableBody>
                {lines.map(line => (
                    <TableRow key={line.id}>
                        <TableCell className="align-top whitespace-nowrap tabular-nums">
                            <time dateTime={line.createdAt}>
                                {formatDate(line.createdAt, { dateStyle: 'short', timeStyle: 'medium' })}
                            </time>
                        </TableCell>
                        <TableCell className="align-top">
                            <LevelBadge level={line.level} />
                        </TableCell>
                        <TableCell className="align-top">
                            <Link to={`/flow/runs/${line.runId}`} className="hover:underline" translate="no">
                                {line.runId}
                            </Link>
                        </TableCell>
                        <TableCell className="align-top" translate="no">
                            {line.stepKey}
                        </TableCell>
                        <TableCell className="min-w-80 align-top whitespace-normal">{textOf(line)}</TableCell>
                    </TableRow>
                ))}
            </TableBody>
        </WideTable>
    );
}

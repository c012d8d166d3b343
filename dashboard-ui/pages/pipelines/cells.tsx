import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Badge, cn, Link, useLocalFormat } from '@vendure/dashboard';
import { ArrowRightIcon, CodeIcon, PencilIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { ResultOf } from '../../gql/graphql';
import type { RunWithState } from '../../ground/run-state';
import { RunStatusBadge } from '../../ground/status';
import { Moment } from '../../parts/moment';
import { DAYS, filled } from '../../parts/periods';
import { useTriggerText, useTriggerWords } from '../../parts/trigger-words';
import { nextToDo } from './next-to-do';
import type { pipelineListDocument } from './pipelines.graphql';

/** A row of the list. Hidden columns and what only they need are not queried. */
export type PipelineRow = ResultOf<typeof pipelineListDocument>['flowPipelines']['items'][number];

/** Its name, which leads to its page, the way to its drawing, and its code. */
export function NameCell({ row }: { readonly row: PipelineRow }): ReactNode {
    const { t } = useLingui();
    const { name } = row;
    return (
        <div className="min-w-40">
            <div className="flex items-start gap-1">
                <Link
                    to={`/flow/pipelines/${row.id}`}
                    className="block max-w-80 font-medium break-words whitespace-normal hover:underline"
                >
                    {row.name}
                </Link>
                {!row.codeFirst && (
                    <Link
                        to={`/flow/pipelines/${row.id}/edit`}
                        aria-label={t`Edit ${name}`}
                        title={t`Edit ${name}`}
                        className="flex size-6 shrink-0 items-center justify-center rounded-md text-muted-foreground hover:bg-muted hover:text-foreground"
                    >
                        <PencilIcon aria-hidden className="size-3.5" />
                    </Link>
                )}
            </div>
            <div className="flex flex-wrap items-center gap-x-2 text-xs text-muted-foreground">
                <span translate="no">{row.code}</span>
                {row.codeFirst && (
                    <span className="inline-flex items-center gap-1">
                        <CodeIcon aria-hidden className="size-3" />
                        <Trans>Defined in code</Trans>
                    </span>
                )}
            </div>
        </div>
    );
}

/** The revision that its runs execute, and whether there are newer changes. */
export function RunsCell({ row }: { readonly row: PipelineRow }): ReactNode {
    const { revision, hasChanges } = row;
    if (!revision)
        return (
            <span className="text-muted-foreground">
                <Trans context="pipeline">not published</Trans>
            </span>
        );
    const { number } = revision;
    return (
        <span className="inline-flex items-center gap-2 whitespace-nowrap">
            <Trans>revision {number}</Trans>
            {hasChanges && (
                <Badge variant="outline">
                    <PencilIcon aria-hidden />
                    <Trans context="pipeline">edited</Trans>
                </Badge>
            )}
        </span>
    );
}

/** How its newest run went, when, and how much it did. */
export function LastRunCell({ run }: { readonly run: PipelineRow['lastRun'] }): ReactNode {
    const { formatNumber } = useLocalFormat();
    if (!run)
        return (
            <span className="text-muted-foreground">
                <Trans context="pipeline">never ran</Trans>
            </span>
        );
    const loaded = formatNumber(run.recordsLoaded);
    return (
        <div className="space-y-1">
            <Link to={`/flow/runs/${run.id}`} className="inline-flex">
                <RunStatusBadge run={run as RunWithState} />
            </Link>
            <div className="text-xs text-muted-foreground">
                <Moment value={run.finishedAt ?? run.createdAt} />
                {run.dryRun ? (
                    <>
                        {' · '}
                        <Trans>dry run</Trans>
                    </>
                ) : (
                    run.recordsLoaded > 0 && (
                        <>
                            {' · '}
                            <Trans>{loaded} loaded</Trans>
                        </>
                    )
                )}
            </div>
        </div>
    );
}

/** What starts it, in words. */
export function TriggersCell({ row }: { readonly row: PipelineRow }): ReactNode {
    const words = useTriggerWords();
    const textOf = useTriggerText();
    const on = (row.revision?.triggers ?? []).filter(({ enabled }) => enabled);
    if (on.length === 0) return <span className="text-muted-foreground">–</span>;
    return (
        <ul>
            {on.map(trigger => (
                <li key={trigger.key} title={textOf(trigger)} className="max-w-56 truncate">
                    {words[trigger.type] ?? trigger.type}
                    {trigger.type !== 'MANUAL' && (
                        <span className="block truncate text-xs text-muted-foreground" translate="no">
                            {textOf(trigger)}
                        </span>
                    )}
                </li>
            ))}
        </ul>
    );
}

/** Its last thirty days, a small bar each: how its runs ended. */
export function DaysCell({ days }: { readonly days: PipelineRow['days'] }): ReactNode {
    const { t } = useLingui();
    const told = filled(days ?? [], DAYS, new Date());
    const sum = (pick: (figures: DayFigures) => number): number =>
        told.reduce((total, { figures }) => total + (figures ? pick(figures) : 0), 0);
    const [good, bad] = [sum(({ success, empty }) => success + empty), sum(({ failed, partial }) => failed + partial)];
    return (
        <span
            role="img"
            aria-label={t`Last 30 days: ${good} runs succeeded, ${bad} failed or had rejected records`}
            className="flex h-6 items-end gap-px"
        >
            {told.map(({ start, figures }) => (
                <span key={start.getTime()} className={cn('w-[3px] rounded-xs', dayLook(figures))} />
            ))}
        </span>
    );
}

type DayFigures = NonNullable<PipelineRow['days']>[number]['figures'];

/** The worst of a day is what is seen of it; a day that went well is lower than one that did not. */
function dayLook(figures: DayFigures | undefined): string {
    if (figures === undefined) return 'h-1 bg-muted-foreground/25';
    if (figures.failed > 0) return 'h-6 bg-destructive';
    if (figures.partial > 0) return 'h-5 bg-warning';
    return figures.success > 0 ? 'h-4 bg-success' : 'h-2 bg-muted-foreground';
}

/** What to do about it, and where. */
export function NextCell({ row }: { readonly row: PipelineRow }): ReactNode {
    const { t } = useLingui();
    const next = nextToDo({ ...row, lastRun: row.lastRun as RunWithState | null });
    if (next === undefined) return null;
    const rejected = row.openErrors ?? 0;
    const run = row.lastRun ? `/flow/runs/${row.lastRun.id}` : '';
    const page = `/flow/pipelines/${row.id}`;
    const steps = {
        restore: [page, t`Restore`],
        publish: [page, t`Publish`],
        review: [page, t`Review`],
        changes: [page, t`Publish the changes`],
        enable: [page, t`Enable`],
        run: [page, t`Start a dry run`],
        failure: [run, t`See why it failed`],
        approval: [run, t`Approve or resume`],
        rejects: [
            `/flow/record-errors?pipelineId=${row.id}`,
            t`${plural(rejected, { one: 'Correct # record', other: 'Correct # records' })}`,
        ],
    } as const;
    const [to, text] = steps[next];
    return (
        <Link to={to} className="inline-flex items-center gap-1 whitespace-nowrap hover:underline">
            {text}
            <ArrowRightIcon aria-hidden className="size-3.5" />
        </Link>
    );
}

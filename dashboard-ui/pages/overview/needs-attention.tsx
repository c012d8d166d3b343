import { Plural, Trans } from '@lingui/react/macro';
import {
    Card,
    CardContent,
    CardHeader,
    CardTitle,
    Item,
    ItemContent,
    ItemDescription,
    ItemMedia,
    ItemTitle,
    Link,
} from '@vendure/dashboard';
import {
    ChevronRightIcon,
    CircleCheckIcon,
    CircleXIcon,
    HandIcon,
    type LucideIcon,
    RadioIcon,
    TriangleAlertIcon,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { useErrorText, useLineText } from '../../i18n/use-server-texts';
import { Moment } from '../../parts/moment';
import type { Overview } from './overview.graphql';

/** Failed runs, waiting gates, rejected records and triggers that may not fire, each with a link to the next action. */
export function NeedsAttention({ overview }: { readonly overview: Overview }): ReactNode {
    const { failuresTotal, waitingGatesTotal, openRecordErrors, triggerWarnings } = overview;
    const things = failuresTotal + waitingGatesTotal + (openRecordErrors > 0 ? 1 : 0) + triggerWarnings.length;
    return (
        <Card>
            <CardHeader>
                <CardTitle role="heading" aria-level={2} aria-live="polite">
                    {things === 0 ? (
                        <Trans>Nothing needs attention</Trans>
                    ) : (
                        <Plural value={things} one="# item needs attention" other="# items need attention" />
                    )}
                </CardTitle>
            </CardHeader>
            <CardContent>{things === 0 ? <AllIsWell /> : <Things overview={overview} />}</CardContent>
        </Card>
    );
}

function AllIsWell(): ReactNode {
    return (
        <p className="flex items-center gap-2 text-sm text-muted-foreground">
            <CircleCheckIcon aria-hidden className="size-5 text-success" />
            <Trans>No failed pipelines, waiting gates, rejected records to review or trigger warnings.</Trans>
        </p>
    );
}

function Things({ overview }: { readonly overview: Overview }): ReactNode {
    const textOf = useErrorText();
    const lineOf = useLineText();
    return (
        <ul className="grid grid-cols-[minmax(0,1fr)] gap-2 lg:grid-cols-[repeat(2,minmax(0,1fr))]">
            {overview.failures.map(({ id, pipeline, finishedAt, error }) => (
                <Thing key={`run-${id}`} to={`/flow/runs/${id}`} icon={CircleXIcon} tone="text-destructive">
                    <ItemTitle className="flex-wrap">
                        <span>
                            <Trans>
                                <span translate="no">{pipeline.name}</span> failed
                            </Trans>
                        </span>
                        {finishedAt && (
                            <span className="font-normal text-muted-foreground">
                                <Moment value={finishedAt} />
                            </span>
                        )}
                    </ItemTitle>
                    <ItemDescription>{error && textOf(error)}</ItemDescription>
                </Thing>
            ))}
            {overview.waitingGates.map(({ id, pipeline, updatedAt, held, gateStepKey, error }) => (
                <Thing
                    key={`gate-${id}`}
                    to={`/flow/runs/${id}`}
                    search={gateStepKey === null ? {} : { tab: 'gate' }}
                    icon={HandIcon}
                    tone="text-warning"
                >
                    <ItemTitle className="flex-wrap">
                        <span>
                            {gateStepKey === null ? (
                                <Trans>
                                    <span translate="no">{pipeline.name}</span> is paused until someone resumes it
                                </Trans>
                            ) : (
                                <Trans>
                                    <span translate="no">{pipeline.name}</span> waits for approval
                                </Trans>
                            )}
                        </span>
                        <span className="font-normal text-muted-foreground">
                            <Moment value={updatedAt} />
                        </span>
                    </ItemTitle>
                    <ItemDescription>
                        {gateStepKey === null ? (
                            error && textOf(error)
                        ) : (
                            <Plural
                                value={held.reduce((sum, { records }) => sum + records, 0)}
                                one="# record waits for a decision."
                                other="# records wait for a decision."
                            />
                        )}
                    </ItemDescription>
                </Thing>
            ))}
            <Refused overview={overview} />
            {overview.triggerWarnings.map(({ pipelineId, pipeline, triggerKey, ...warning }) => (
                <Thing
                    key={`trigger-${pipelineId}-${triggerKey}-${warning.code}`}
                    to={`/flow/pipelines/${pipelineId}`}
                    search={{ tab: 'triggers' }}
                    icon={RadioIcon}
                    tone="text-warning"
                >
                    <ItemTitle className="flex-wrap">
                        <span>
                            <Trans>
                                A trigger of <span translate="no">{pipeline?.name ?? pipelineId}</span>
                            </Trans>
                        </span>
                    </ItemTitle>
                    <ItemDescription>{lineOf(warning)}</ItemDescription>
                </Thing>
            ))}
            <More overview={overview} />
        </ul>
    );
}

function Refused({ overview: { openRecordErrors, causes } }: { readonly overview: Overview }): ReactNode {
    const textOf = useErrorText();
    if (openRecordErrors === 0) return null;
    return (
        <Thing to="/flow/record-errors" icon={TriangleAlertIcon} tone="text-warning">
            <ItemTitle className="flex-wrap">
                <Plural
                    value={openRecordErrors}
                    one="# rejected record to review"
                    other="# rejected records to review"
                />
            </ItemTitle>
            <ItemDescription>
                {causes
                    .map(({ records, example }) => `${records} × ${textOf(example)}`)
                    .slice(0, 2)
                    .join(' · ')}
            </ItemDescription>
        </Thing>
    );
}

/** The lists are short; what is left out is said, never silently missing. */
function More({ overview }: { readonly overview: Overview }): ReactNode {
    const failures = overview.failuresTotal - overview.failures.length;
    const gates = overview.waitingGatesTotal - overview.waitingGates.length;
    if (failures + gates === 0) return null;
    return (
        <li className="space-x-2 p-3 text-sm text-muted-foreground">
            {failures > 0 && <Plural value={failures} one="# more pipeline failed." other="# more pipelines failed." />}
            {gates > 0 && <Plural value={gates} one="# more gate waits." other="# more gates wait." />}
            <Link to="/flow/pipelines" className="underline underline-offset-4">
                <Trans>See all pipelines</Trans>
            </Link>
        </li>
    );
}

interface ThingProps {
    readonly to: string;
    readonly search?: Readonly<Record<string, string>>;
    readonly icon: LucideIcon;
    readonly tone: string;
    readonly children: ReactNode;
}

function Thing({ to, search = {}, icon: Icon, tone, children }: ThingProps): ReactNode {
    return (
        <li>
            <Item variant="outline" className="h-full flex-nowrap" render={<Link to={to} search={search as never} />}>
                <ItemMedia>
                    <Icon aria-hidden className={`size-5 ${tone}`} />
                </ItemMedia>
                <ItemContent className="self-start">{children}</ItemContent>
                <ChevronRightIcon aria-hidden className="size-4 shrink-0 text-muted-foreground" />
            </Item>
        </li>
    );
}

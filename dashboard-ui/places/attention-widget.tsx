import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { DashboardBaseWidget, type DashboardBaseWidgetProps, Link } from '@vendure/dashboard';
import {
    ChevronRightIcon,
    CircleCheckIcon,
    CircleXIcon,
    HandIcon,
    LoaderIcon,
    type LucideIcon,
    TriangleAlertIcon,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { graphql } from '../gql/graphql';
import { FaultNotice } from '../parts/fault-notice';
import { Loading } from '../parts/loading';
import { useRefreshed } from '../parts/use-refreshed';

const attentionDocument = graphql(`
    query FlowAttention {
        flowOverview {
            failuresTotal
            waitingGatesTotal
            openRecordErrors
            runningTotal
        }
    }
`);

/** What of Flow needs a person, with the ways there. */
export default function AttentionWidget(props: DashboardBaseWidgetProps): ReactNode {
    const { t } = useLingui();
    const { data, error, refetch } = useRefreshed({ document: attentionDocument, variables: {} });
    return (
        <DashboardBaseWidget
            id={props.id}
            title="Flow"
            description={t`Needs attention`}
            actions={
                <Link to="/flow/overview" className="text-sm underline underline-offset-4">
                    <Trans>Open the overview</Trans>
                </Link>
            }
        >
            {error && <FaultNotice error={error} onRetry={refetch} />}
            {data ? <Lines overview={data.flowOverview} /> : !error && <Loading className="h-16" />}
        </DashboardBaseWidget>
    );
}

interface Attention {
    readonly failuresTotal: number;
    readonly waitingGatesTotal: number;
    readonly openRecordErrors: number;
    readonly runningTotal: number;
}

function Lines({ overview }: { readonly overview: Attention }): ReactNode {
    const { failuresTotal, waitingGatesTotal, openRecordErrors, runningTotal } = overview;
    return (
        <ul className="space-y-1 text-sm">
            {failuresTotal + waitingGatesTotal + openRecordErrors === 0 && (
                <li className="flex items-center gap-2">
                    <CircleCheckIcon aria-hidden className="size-4 text-success" />
                    <Trans>Nothing needs attention</Trans>
                </li>
            )}
            {failuresTotal > 0 && (
                <Line to="/flow/overview" icon={CircleXIcon} tone="text-destructive">
                    <Plural value={failuresTotal} one="# pipeline failed" other="# pipelines failed" />
                </Line>
            )}
            {waitingGatesTotal > 0 && (
                <Line to="/flow/overview" icon={HandIcon} tone="text-warning">
                    <Plural
                        value={waitingGatesTotal}
                        one="# gate waits for approval"
                        other="# gates wait for approval"
                    />
                </Line>
            )}
            {openRecordErrors > 0 && (
                <Line to="/flow/record-errors" icon={TriangleAlertIcon} tone="text-warning">
                    <Plural
                        value={openRecordErrors}
                        one="# rejected record to review"
                        other="# rejected records to review"
                    />
                </Line>
            )}
            {runningTotal > 0 && (
                <Line to="/flow/overview" icon={LoaderIcon} tone="text-muted-foreground">
                    <Plural value={runningTotal} one="# run in progress" other="# runs in progress" />
                </Line>
            )}
        </ul>
    );
}

interface LineProps {
    readonly to: string;
    readonly icon: LucideIcon;
    readonly tone: string;
    readonly children: ReactNode;
}

function Line({ to, icon: Icon, tone, children }: LineProps): ReactNode {
    return (
        <li>
            <Link to={to} className="flex min-h-8 items-center gap-2 rounded-md hover:bg-muted">
                <Icon aria-hidden className={`size-4 ${tone}`} />
                <span className="grow">{children}</span>
                <ChevronRightIcon aria-hidden className="size-4 text-muted-foreground" />
            </Link>
        </li>
    );
}

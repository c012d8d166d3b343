import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Link } from '@vendure/dashboard';
import { MinusIcon, PencilIcon, PlusIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { StateBadge } from '../ground/state-badge';
import { graphql, type ResultOf } from '../gql/graphql';
import { FaultNotice } from '../parts/fault-notice';
import { Loading } from '../parts/loading';
import { Moment } from '../parts/moment';
import { useRefreshed } from '../parts/use-refreshed';

const productHistoryDocument = graphql(`
    query FlowProductHistory($id: ID!) {
        flowEntityHistory(entity: Product, id: $id, take: 5) {
            totalItems
            items {
                runId
                run {
                    id
                }
                pipeline {
                    id
                    name
                }
                stepKey
                action
                at
                variants
            }
        }
    }
`);

type Write = ResultOf<typeof productHistoryDocument>['flowEntityHistory']['items'][number];

/** Which runs have last written a product. */
export default function ProductHistory({ id }: { readonly id: string }): ReactNode {
    const { data, error, refetch } = useRefreshed({
        document: productHistoryDocument,
        variables: { id },
        isRefreshed: false,
    });
    if (error) return <FaultNotice error={error} onRetry={refetch} />;
    if (!data) return <Loading className="h-12" />;
    const { items, totalItems } = data.flowEntityHistory;
    const more = totalItems - items.length;
    if (items.length === 0)
        return (
            <p className="text-sm text-muted-foreground">
                <Trans>
                    No run is known to have changed this product. Load steps with “Keep the history” enabled are listed
                    here.
                </Trans>
            </p>
        );
    return (
        <div className="space-y-2">
            <ul className="divide-y" data-testid="flow-product-history">
                {items.map(write => (
                    <li key={`${write.runId} ${write.stepKey}`} className="py-2 first:pt-0 last:pb-0">
                        <WriteLine write={write} />
                    </li>
                ))}
            </ul>
            {more > 0 && (
                <p className="text-sm text-muted-foreground">
                    <Plural value={more} one="and # earlier write" other="and # earlier writes" />
                </p>
            )}
        </div>
    );
}

function WriteLine({ write }: { readonly write: Write }): ReactNode {
    const { runId, run, pipeline, stepKey, action, at, variants } = write;
    const name = pipeline?.name ?? <Trans>Run {runId}</Trans>;
    return (
        <>
            <div className="flex flex-wrap items-center justify-between gap-2">
                {run ? (
                    <Link to={`/flow/runs/${run.id}`} className="font-medium underline-offset-4 hover:underline">
                        {name}
                    </Link>
                ) : (
                    <span className="font-medium">{name}</span>
                )}
                <ActionWord action={action} />
            </div>
            <p className="flex flex-wrap gap-x-2 text-sm text-muted-foreground">
                <Moment value={at} />
                <span>
                    <Trans>
                        step <span translate="no">{stepKey}</span>
                    </Trans>
                </span>
                {variants > 0 && (
                    <span>
                        <Plural value={variants} one="# variant" other="# variants" />
                    </span>
                )}
            </p>
        </>
    );
}

function ActionWord({ action }: Pick<Write, 'action'>): ReactNode {
    const { t } = useLingui();
    if (action === 'CREATE')
        return (
            <StateBadge tone="good" icon={PlusIcon}>
                {t({ message: 'created', context: 'flow history' })}
            </StateBadge>
        );
    if (action === 'DELETE')
        return (
            <StateBadge tone="bad" icon={MinusIcon}>
                {t({ message: 'deleted', context: 'flow history' })}
            </StateBadge>
        );
    return (
        <StateBadge tone="quiet" icon={PencilIcon}>
            {t({ message: 'updated', context: 'flow history' })}
        </StateBadge>
    );
}

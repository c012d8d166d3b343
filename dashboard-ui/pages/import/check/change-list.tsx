import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Card, CardContent, CardHeader, CardTitle } from '@vendure/dashboard';
import { ChevronRightIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { BeforeAfter } from '../../../parts/before-after';
import { FaultNotice } from '../../../parts/fault-notice';
import { Pager } from '../../../parts/pager';
import { useShopValue } from '../../../parts/use-shop-value';
import { useRefreshed } from '../../../parts/use-refreshed';
import { ActionBadge, EntityName } from '../../run/differences-tab';
import { type Difference, differencesDocument } from '../../run/run.graphql';

const TAKE = 10;

interface ChangeListProps {
    readonly runId: string;
    readonly isRunning: boolean;
    /** Only these changes. */
    readonly action: 'CREATE' | 'UPDATE' | 'DELETE' | undefined;
}

/** What the import would change in the shop, entity by entity. */
export function ChangeList({ runId, isRunning, action }: ChangeListProps): ReactNode {
    const { t } = useLingui();
    const [skip, setSkip] = useState(0);
    const { data, error, refetch } = useRefreshed({
        document: differencesDocument,
        variables: {
            runId,
            field: null,
            options: { skip, take: TAKE, ...(action && { filter: { action: { eq: action } } }) },
        },
        isRefreshed: isRunning,
    });
    if (error) return <FaultNotice error={error} onRetry={refetch} />;
    const list = data?.flowDryRunDifferences;
    if (!list || (list.totalItems === 0 && !action)) return null;
    return (
        <Card>
            <CardHeader>
                <CardTitle>
                    <Plural value={list.totalItems} _0="No changes" one="Changes: # entry" other="Changes: # entries" />
                </CardTitle>
            </CardHeader>
            <CardContent>
                <ul aria-label={t`Changes`} className="divide-y">
                    {list.items.map(difference => (
                        <Change key={difference.id} difference={difference} />
                    ))}
                </ul>
                <Pager skip={skip} take={TAKE} total={list.totalItems} onSkip={setSkip} />
            </CardContent>
        </Card>
    );
}

function Change({ difference }: { readonly difference: Difference }): ReactNode {
    const { action, before, after } = difference;
    const textOf = useShopValue();
    return (
        <li>
            <details className="group py-2">
                <summary className="flex cursor-pointer flex-wrap items-center gap-2 max-md:min-h-11">
                    <ChevronRightIcon aria-hidden className="size-4 transition-transform group-open:rotate-90" />
                    <ActionBadge action={action} />
                    <EntityName change={difference} />
                    <span className="sr-only">
                        <Trans>Show its fields</Trans>
                    </span>
                </summary>
                <div className="pt-2">
                    <BeforeAfter before={before} after={after} textOf={textOf} />
                </div>
            </details>
        </li>
    );
}

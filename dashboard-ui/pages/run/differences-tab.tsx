import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { Button, Input, NativeSelect, NativeSelectOption, useLocalFormat } from '@vendure/dashboard';
import { EqualIcon, MinusIcon, PencilIcon, PlusIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { hasEnded } from '../../ground/run-state';
import { StateBadge } from '../../ground/state-badge';
import { BeforeAfter } from '../../parts/before-after';
import { valueAt } from '../../parts/record-fields';
import { useShopValue } from '../../parts/use-shop-value';
import { FaultNotice } from '../../parts/fault-notice';
import { NothingHere } from '../../parts/nothing-here';
import { Pager } from '../../parts/pager';
import { useRefreshed } from '../../parts/use-refreshed';
import { useSearch, useSkip } from '../../parts/use-search';
import { type Difference, differenceGroupsDocument, differencesDocument, type Run } from './run.graphql';

const TAKE = 20;

/** What a dry run would change, record by record, by action and by field. */
export function DifferencesTab({ run }: { readonly run: Run }): ReactNode {
    const [skip, setSkip] = useSkip('differences');
    const [{ action = '', field = '' }, change] = useSearch();
    const textOf = useShopValue();
    const isRefreshed = !hasEnded(run);
    const { data, error, refetch } = useRefreshed({
        document: differencesDocument,
        variables: {
            runId: run.id,
            field: field || null,
            options: { skip, take: TAKE, ...(action && { filter: { action: { eq: action } } }) },
        },
        isRefreshed,
    });
    if (error) return <FaultNotice error={error} onRetry={refetch} />;
    const list = data?.flowDryRunDifferences;
    const rejected = run.recordsRejected;
    return (
        <div className="space-y-3">
            <Filters
                run={run}
                chosen={{ action, field }}
                onChoose={chosen =>
                    change({
                        action: chosen.action || undefined,
                        field: chosen.field || undefined,
                        differences: undefined,
                    })
                }
            />
            {list?.totalItems === 0 ? (
                <NothingHere
                    icon={EqualIcon}
                    title={
                        hasEnded(run) ? <Trans>Nothing would change</Trans> : <Trans>Nothing would change so far</Trans>
                    }
                    purpose={
                        <Trans>
                            Every record that a load step would create, update or delete is listed here, before and
                            after.
                        </Trans>
                    }
                >
                    {rejected > 0 && (
                        <Button variant="outline" onClick={() => change({ tab: 'records' })}>
                            <Plural
                                value={rejected}
                                one="See why # record would be rejected"
                                other="See why # records would be rejected"
                            />
                        </Button>
                    )}
                </NothingHere>
            ) : (
                <ul className="space-y-3">
                    {list?.items.map(difference => (
                        <li key={difference.id} className="rounded-md border p-3">
                            <p className="mb-2 flex flex-wrap items-center gap-2">
                                <ActionBadge action={difference.action} />
                                <EntityName change={difference} />
                                <span className="text-sm text-muted-foreground" translate="no">
                                    {difference.stepKey}
                                </span>
                            </p>
                            <BeforeAfter before={difference.before} after={difference.after} textOf={textOf} />
                        </li>
                    ))}
                </ul>
            )}
            <Pager skip={skip} take={TAKE} total={list?.totalItems ?? 0} onSkip={setSkip} />
        </div>
    );
}

interface Chosen {
    readonly action: string;
    readonly field: string;
}

interface FiltersProps {
    readonly run: Run;
    readonly chosen: Chosen;
    readonly onChoose: (chosen: Chosen) => void;
}

function Filters({ run, chosen, onChoose }: FiltersProps): ReactNode {
    const { t } = useLingui();
    const { formatNumber } = useLocalFormat();
    const words = useActionWords();
    const { data } = useRefreshed({
        document: differenceGroupsDocument,
        variables: { runId: run.id },
        isRefreshed: !hasEnded(run),
    });
    const groups = data?.flowDryRunDifferenceGroups ?? [];
    const actions = sums(groups.map(({ action, records }) => [action, records]));
    return (
        <div className="flex flex-wrap gap-2">
            <NativeSelect
                aria-label={t`Action`}
                value={chosen.action}
                onChange={event => onChoose({ ...chosen, action: event.target.value })}
            >
                <NativeSelectOption value="">{t`All actions`}</NativeSelectOption>
                {actions.map(([action, records]) => (
                    <NativeSelectOption key={action} value={action}>
                        {`${words[action] ?? action} (${formatNumber(records)})`}
                    </NativeSelectOption>
                ))}
            </NativeSelect>
            <Input
                aria-label={t`Field`}
                placeholder={t`Field, such as price`}
                className="w-56"
                defaultValue={chosen.field}
                onKeyDown={event =>
                    event.key === 'Enter' && onChoose({ ...chosen, field: event.currentTarget.value.trim() })
                }
                onBlur={event =>
                    event.target.value.trim() !== chosen.field &&
                    onChoose({ ...chosen, field: event.target.value.trim() })
                }
            />
        </div>
    );
}

function sums(counted: ReadonlyArray<readonly [string, number]>): ReadonlyArray<readonly [string, number]> {
    const totals = new Map<string, number>();
    for (const [name, count] of counted) totals.set(name, (totals.get(name) ?? 0) + count);
    return [...totals].sort(([, one], [, other]) => other - one);
}

function useActionWords(): Readonly<Record<string, string>> {
    const { t } = useLingui();
    return {
        CREATE: t({ message: 'create', context: 'flow action' }),
        UPDATE: t({ message: 'update', context: 'flow action' }),
        DELETE: t({ message: 'delete', context: 'flow action' }),
    };
}

const ICONS: Readonly<Record<string, typeof PlusIcon>> = { CREATE: PlusIcon, UPDATE: PencilIcon, DELETE: MinusIcon };

/** What a load would do about a record. */
export function ActionBadge({ action }: Pick<Difference, 'action'>): ReactNode {
    const words = useActionWords();
    return (
        <StateBadge
            tone={action === 'DELETE' ? 'bad' : action === 'CREATE' ? 'good' : 'quiet'}
            icon={ICONS[action] ?? PencilIcon}
        >
            {words[action] ?? action}
        </StateBadge>
    );
}

interface EntityNameProps {
    readonly change: { readonly key: string; readonly before?: unknown; readonly after?: unknown };
    /** The record, which may have the name although nothing about it changes. */
    readonly record?: unknown;
}

/** What the changed entity is called, and the key by which it is found. */
export function EntityName({ change: { key, before, after }, record }: EntityNameProps): ReactNode {
    const name = [after, before, record].map(holder => valueAt(holder, 'name')).find(one => typeof one === 'string');
    return (
        <span translate="no">
            {typeof name === 'string' && name !== key && <strong>{name} </strong>}
            {typeof name === 'string' && name !== key ? (
                <code className="text-sm text-muted-foreground">{key}</code>
            ) : (
                <strong>{key}</strong>
            )}
        </span>
    );
}

import { Trans, useLingui } from '@lingui/react/macro';
import {
    api,
    Badge,
    Input,
    NativeSelect,
    NativeSelectOption,
    Page,
    PageBlock,
    PageLayout,
    PageTitle,
    useQuery,
} from '@vendure/dashboard';
import type { ReactNode } from 'react';
import { useTranslated } from '../../i18n/use-server-texts';
import { FaultNotice } from '../../parts/fault-notice';
import { Loading } from '../../parts/loading';
import { useSearch } from '../../parts/use-search';
import { AdapterDetail } from './adapter-detail';
import { adaptersDocument } from './adapters.graphql';
import { searchAdapters } from './search-adapters';

/** What can be read, changed, checked and written, and how is each set? */
export default function AdaptersPage(): ReactNode {
    const { t } = useLingui();
    const [{ q = '', kind, show }, change] = useSearch();
    const { data, error, refetch } = useQuery({
        queryKey: ['flow', 'adapters'],
        queryFn: () => api.query(adaptersDocument, {}),
        staleTime: Infinity,
    });
    const adapters = useTranslated(data?.flowAdapters);
    const kinds = {
        TRIGGER: t({ message: 'Triggers', context: 'adapter' }),
        EXTRACTOR: t({ message: 'Sources', context: 'adapter' }),
        OPERATOR: t({ message: 'Operators', context: 'adapter' }),
        RULE: t({ message: 'Rules', context: 'adapter' }),
        LOADER: t({ message: 'Loaders', context: 'adapter' }),
        SINK: t({ message: 'Sinks', context: 'adapter' }),
        CONNECTION: t({ message: 'Connection types', context: 'adapter' }),
    } as const;
    const found = searchAdapters(adapters ?? [], { text: q, kind });
    const chosen = found.find(one => `${one.kind}.${one.code}` === show) ?? found[0];
    const count = found.length;
    return (
        <Page pageId="flow-adapters">
            <PageTitle>
                <Trans context="flow">Adapters</Trans>
            </PageTitle>
            <PageLayout>
                <PageBlock column="side" blockId="flow-adapter-list">
                    <div className="space-y-3">
                        <Input
                            type="search"
                            aria-label={t`Search adapters`}
                            placeholder={t`Search …`}
                            value={q}
                            onChange={({ target }) => change({ q: target.value || undefined, show: undefined })}
                        />
                        <NativeSelect
                            className="w-full"
                            aria-label={t`Kind of adapter`}
                            value={kind ?? ''}
                            onChange={({ target }) => change({ kind: target.value || undefined, show: undefined })}
                        >
                            <NativeSelectOption value="">{t`All kinds`}</NativeSelectOption>
                            {Object.entries(kinds).map(([code, name]) => (
                                <NativeSelectOption key={code} value={code}>
                                    {name}
                                </NativeSelectOption>
                            ))}
                        </NativeSelect>
                        <p className="text-sm text-muted-foreground" aria-live="polite">
                            <Trans>{count} found</Trans>
                        </p>
                        {!data && !error && <Loading />}
                        <ul className="max-h-[70vh] space-y-px overflow-y-auto">
                            {found.map(one => (
                                <li key={`${one.kind}.${one.code}`}>
                                    <button
                                        type="button"
                                        aria-current={one === chosen}
                                        className="group w-full rounded-md px-2 py-1.5 text-left text-sm hover:bg-muted aria-[current=true]:bg-accent"
                                        onClick={() => change({ show: `${one.kind}.${one.code}` })}
                                    >
                                        <span className="flex items-center justify-between gap-2">
                                            <span className="truncate font-medium">{one.title}</span>
                                            <Badge variant="outline">{kinds[one.kind]}</Badge>
                                        </span>
                                        <span
                                            className="block truncate text-xs text-muted-foreground group-aria-[current=true]:text-foreground"
                                            translate="no"
                                        >
                                            {one.code}
                                        </span>
                                    </button>
                                </li>
                            ))}
                        </ul>
                    </div>
                </PageBlock>
                <PageBlock column="main" blockId="flow-adapter">
                    {error && <FaultNotice error={error} onRetry={refetch} />}
                    {chosen ? (
                        <AdapterDetail
                            key={`${chosen.kind}.${chosen.code}`}
                            adapter={chosen}
                            kind={kinds[chosen.kind]}
                        />
                    ) : (
                        data && (
                            <p className="text-muted-foreground">
                                <Trans>No results. Try “price” or “csv”.</Trans>
                            </p>
                        )
                    )}
                </PageBlock>
            </PageLayout>
        </Page>
    );
}

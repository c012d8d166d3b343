import { Trans, useLingui } from '@lingui/react/macro';
import {
    api,
    FullWidthPageBlock,
    Input,
    Page,
    PageLayout,
    PageTitle,
    TableBody,
    TableCell,
    TableHead,
    TableHeader,
    TableRow,
    useDisplayLocale,
    useQuery,
} from '@vendure/dashboard';
import { type ReactNode, useState } from 'react';
import { FaultNotice } from '../../parts/fault-notice';
import { Bytes } from '../../parts/figure';
import { Loading } from '../../parts/loading';
import { WideTable } from '../../parts/wide-table';
import { grouped, nameIn, type Setting, type SettingGroup, spanText, unitOf, valueText } from './grouped';
import { settingsDocument } from './settings.graphql';

/** Which options does this server work with? */
export default function SettingsPage(): ReactNode {
    const { t } = useLingui();
    const [text, setText] = useState('');
    const { data, error, refetch } = useQuery({
        queryKey: ['flow', 'settings'],
        queryFn: () => api.query(settingsDocument, {}),
        retry: false,
    });
    const groups = grouped(data?.flowSettings ?? [], text);
    return (
        <Page pageId="flow-settings">
            <PageTitle>
                <Trans context="flow">Settings</Trans>
            </PageTitle>
            <PageLayout>
                <FullWidthPageBlock blockId="flow-settings">
                    <div className="space-y-4">
                        <p className="max-w-prose text-muted-foreground">
                            <Trans>
                                The options of this server, defaults included. Change them in the shop's configuration.
                                Options that may contain a secret are not shown.
                            </Trans>
                        </p>
                        <Input
                            type="search"
                            className="max-w-sm"
                            aria-label={t`Search settings`}
                            placeholder={t`Search …`}
                            value={text}
                            onChange={({ target }) => setText(target.value)}
                        />
                        {error && <FaultNotice error={error} onRetry={refetch} />}
                        {!data && !error && <Loading />}
                        {data && groups.length === 0 && (
                            <p className="text-muted-foreground">
                                <Trans>No setting has this name.</Trans>
                            </p>
                        )}
                        {groups.map(group => (
                            <Group key={group.name} group={group} />
                        ))}
                    </div>
                </FullWidthPageBlock>
            </PageLayout>
        </Page>
    );
}

function Group({ group }: { readonly group: SettingGroup }): ReactNode {
    const { t } = useLingui();
    const { name, settings } = group;
    const id = `flow-settings-${name}`;
    return (
        <section aria-labelledby={id} className="rounded-lg border bg-card p-4">
            <h2 id={id} className="mb-2 font-medium" translate={name === '' ? undefined : 'no'}>
                {name === '' ? <Trans>General</Trans> : name}
            </h2>
            <WideTable name={name === '' ? t`General` : name}>
                <TableHeader className="sr-only">
                    <TableRow>
                        <TableHead>
                            <Trans>Setting</Trans>
                        </TableHead>
                        <TableHead>
                            <Trans context="flow">Value</Trans>
                        </TableHead>
                    </TableRow>
                </TableHeader>
                <TableBody translate="no">
                    {settings.map(setting => (
                        <TableRow key={setting.path}>
                            <TableCell
                                title={setting.path}
                                className="w-1/2 align-top font-mono text-sm break-words whitespace-normal"
                            >
                                {nameIn(group, setting)}
                            </TableCell>
                            <TableCell className="min-w-24 align-top break-words whitespace-normal">
                                <Value setting={setting} />
                            </TableCell>
                        </TableRow>
                    ))}
                </TableBody>
            </WideTable>
        </section>
    );
}

/** The value as in the configuration, and in readable form if that differs. */
function Value({ setting }: { readonly setting: Setting }): ReactNode {
    const { bcp47Tag } = useDisplayLocale();
    const unit = unitOf(setting);
    return (
        <span className="flex flex-wrap gap-x-3">
            <span>{valueText(setting.value)}</span>
            {unit !== undefined && (
                <span className="text-muted-foreground">
                    {unit === 'bytes' ? (
                        <Bytes bytes={Number(setting.value)} />
                    ) : (
                        spanText(Number(setting.value), bcp47Tag)
                    )}
                </span>
            )}
        </span>
    );
}

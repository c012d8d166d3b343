import { Trans } from '@lingui/react/macro';
import { api, Page, PageTitle, useQuery } from '@vendure/dashboard';
import { SearchXIcon } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import type { FlowPageProps } from '../../ground/flow-route';
import { FaultNotice } from '../../parts/fault-notice';
import { useTranslated } from '../../i18n/use-server-texts';
import { Loading } from '../../parts/loading';
import { NothingHere } from '../../parts/nothing-here';
import { Editor } from './editor';
import { definitionFormatDocument, editedPipelineDocument, editorAdaptersDocument } from './editor.graphql';

/** What will the pipeline do, and is it right? */
export default function EditorPage({ route }: FlowPageProps): ReactNode {
    const { id } = route.useParams() as { id: string };
    const pipeline = useQuery({
        queryKey: ['flow', 'edited', id],
        queryFn: () => api.query(editedPipelineDocument, { id }),
        // Each visit starts from what is stored at that time. Later saves by others are queried separately.
        gcTime: 0,
        staleTime: Infinity,
    });
    const materials = useMaterials();
    const error = pipeline.error ?? materials.error;
    const found = pipeline.data?.flowPipeline;
    if (found && materials.data)
        return (
            <Editor
                key={found.id}
                pipeline={found}
                {...materials.data}
                onStanding={async () => (await pipeline.refetch()).data?.flowPipeline ?? undefined}
            />
        );
    return (
        <Page pageId="flow-editor">
            <PageTitle>
                <Trans context="flow">Edit</Trans>
            </PageTitle>
            {error ? (
                <FaultNotice error={error} onRetry={() => Promise.all([pipeline.refetch(), materials.refetch()])} />
            ) : found === null ? (
                <NothingHere
                    icon={SearchXIcon}
                    title={<Trans>There is no such pipeline</Trans>}
                    purpose={<Trans>It belongs to another channel or was deleted.</Trans>}
                />
            ) : (
                <Loading className="h-96" />
            )}
        </Page>
    );
}

/** What pipelines are made of; it does not change while the server runs. */
function useMaterials() {
    const format = useQuery({
        queryKey: ['flow', 'definition-format'],
        queryFn: () => api.query(definitionFormatDocument, {}),
        staleTime: Infinity,
    });
    const adapters = useQuery({
        queryKey: ['flow', 'adapters'],
        queryFn: () => api.query(editorAdaptersDocument, {}),
        staleTime: Infinity,
    });
    const translatedFormat = useTranslated(format.data?.flowDefinitionFormat);
    const named = useMemo(
        () => adapters.data?.flowAdapters.map(adapter => ({ ...adapter, englishTitle: adapter.title })),
        [adapters.data],
    );
    const translatedAdapters = useTranslated(named);
    const data =
        translatedFormat && translatedAdapters ? { format: translatedFormat, adapters: translatedAdapters } : undefined;
    return {
        data,
        error: format.error ?? adapters.error,
        refetch: () => Promise.all([format.refetch(), adapters.refetch()]),
    };
}

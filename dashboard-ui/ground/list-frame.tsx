import { api, FullWidthPageBlock, Page, PageActionBar, PageLayout, PageTitle, useQuery } from '@vendure/dashboard';
import type { TadaDocumentNode } from 'gql.tada';
import type { ReactNode } from 'react';
import { NamedControls } from './named-controls';

interface ListFrameProps<T> {
    readonly title: ReactNode;
    /** Queries one row of the list, ignoring filters. */
    readonly anyDocument: TadaDocumentNode<T, Record<string, never>>;
    readonly isEmpty: (answer: T) => boolean;
    /** Shown instead of a list that never had a row: its purpose, and the action that creates the first one. */
    readonly empty: ReactNode;
    /** The list of the host. */
    readonly children: ReactNode;
}

/** A page with a list of the host's kind. */
export function ListFrame<T>({ title, anyDocument, isEmpty, empty, children }: ListFrameProps<T>): ReactNode {
    const { data } = useQuery<T, Error>({
        queryKey: ['flow', 'any', anyDocument],
        queryFn: () => api.query(anyDocument, {}),
        retry: false,
    });
    if (data === undefined || !isEmpty(data)) return <NamedControls>{children}</NamedControls>;
    return (
        <Page>
            <PageTitle>{title}</PageTitle>
            <PageActionBar>{null}</PageActionBar>
            <PageLayout>
                <FullWidthPageBlock blockId="flow-empty">{empty}</FullWidthPageBlock>
            </PageLayout>
        </Page>
    );
}

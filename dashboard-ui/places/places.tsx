import { Trans } from '@lingui/react/macro';
import type {
    DashboardActionBarItem,
    DashboardPageBlockDefinition,
    DashboardWidgetDefinition,
} from '@vendure/dashboard';
import { lazy, Suspense } from 'react';
import { PageBoundary } from '../ground/page-boundary';
import { ExportButton } from '../parts/export-button';
import { ImportButton } from '../parts/import-button';

const AttentionWidget = lazy(() => import('./attention-widget'));
const ProductHistory = lazy(() => import('./product-history'));

/** On the host's Insights page: whether something needs a person. */
export const attentionWidget: DashboardWidgetDefinition = {
    id: 'flow-attention',
    name: 'Flow',
    component: props => (
        <PageBoundary>
            <Suspense>
                <AttentionWidget {...props} />
            </Suspense>
        </PageBoundary>
    ),
    defaultSize: { w: 6, h: 4 },
    minSize: { w: 4, h: 3 },
    requiresPermissions: ['ReadFlowRun'],
};

/** On the page of a product: which runs have last written it. */
export const productHistoryBlock: DashboardPageBlockDefinition = {
    id: 'flow-product-history',
    title: <Trans>Written by Flow</Trans>,
    location: { pageId: 'product-detail', column: 'side', position: { blockId: 'facet-values', order: 'after' } },
    requiresPermission: ['ReadFlowRun'],
    // A product that is being made has no past.
    shouldRender: ({ entity }) => typeof (entity as { readonly id?: unknown } | undefined)?.id === 'string',
    component: ({ context }) => (
        <PageBoundary>
            <Suspense>
                <ProductHistory id={(context.entity as { readonly id: string }).id} />
            </Suspense>
        </PageBoundary>
    ),
};

/** The host's lists of what can be imported, with the target of the wizard. */
const IMPORT_LISTS = [
    ['product-list', 'PRODUCTS'],
    ['customer-list', 'CUSTOMERS'],
    ['collection-list', 'COLLECTIONS'],
    ['facet-list', 'FACETS'],
] as const;

/** On the host's lists: the way to the import of a file. */
export const importActions: DashboardActionBarItem[] = IMPORT_LISTS.map(([pageId, target]) => ({
    pageId,
    id: 'flow-import-file',
    requiresPermission: ['CreateFlowPipeline'],
    component: () => (
        <PageBoundary>
            <ImportButton target={target} />
        </PageBoundary>
    ),
}));

/** The host's lists of what can be exported, with the entity of the wizard. */
const EXPORT_LISTS = [['product-list', 'VARIANTS']] as const;

/** On the host's lists: the way to a file with what they show. */
export const exportActions: DashboardActionBarItem[] = EXPORT_LISTS.map(([pageId, entity]) => ({
    pageId,
    id: 'flow-export-file',
    requiresPermission: ['CreateFlowPipeline'],
    component: () => (
        <PageBoundary>
            <ExportButton entity={entity} />
        </PageBoundary>
    ),
}));

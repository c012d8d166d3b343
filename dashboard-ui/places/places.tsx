import { Trans } from '@lingui/react/macro';
import type { DashboardPageBlockDefinition, DashboardWidgetDefinition } from '@vendure/dashboard';
import { lazy, Suspense } from 'react';
import { PageBoundary } from '../ground/page-boundary';

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

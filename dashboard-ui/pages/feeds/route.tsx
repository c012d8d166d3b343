import { Trans } from '@lingui/react/macro';
import { flowRoute } from '../../ground/flow-route';

/** The addresses at which exports are served. */
export const feedsRoute = flowRoute({
    path: 'feeds',
    requires: ['ManageFlowFeeds'],
    page: () => import('./page'),
    breadcrumb: () => [{ label: <Trans context="flow">Feeds</Trans> }],
    nav: { title: 'flow.nav.feeds', order: 650 },
});

import { Trans } from '@lingui/react/macro';
import { flowRoute } from '../../ground/flow-route';

/** What needs attention, and what is running. */
export const overviewRoute = flowRoute({
    path: 'overview',
    requires: ['ReadFlowRun'],
    page: () => import('./page'),
    breadcrumb: () => [{ label: <Trans context="flow">Overview</Trans> }],
    nav: { title: 'flow.nav.overview', order: 100 },
});

import { Trans } from '@lingui/react/macro';
import { flowRoute } from '../../ground/flow-route';

/** What needs a person now, and what is going on. */
export const overviewRoute = flowRoute({
    path: 'overview',
    requires: ['ReadFlowRun'],
    page: () => import('./page'),
    breadcrumb: () => [{ label: <Trans context="flow">Overview</Trans> }],
    nav: { title: 'flow.nav.overview', order: 100 },
});

import { Trans } from '@lingui/react/macro';
import { flowRoute } from '../../ground/flow-route';

/** What pipelines can be made of. */
export const adaptersRoute = flowRoute({
    path: 'adapters',
    requires: ['ReadFlowPipeline', 'ManageFlowConnections'],
    page: () => import('./page'),
    breadcrumb: () => [{ label: <Trans context="flow">Adapters</Trans> }],
    nav: { title: 'flow.nav.adapters', order: 800 },
});

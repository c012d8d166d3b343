import { Trans } from '@lingui/react/macro';
import { flowRoute } from '../../ground/flow-route';

/** The systems outside that pipelines reach. */
export const connectionsRoute = flowRoute({
    path: 'connections',
    requires: ['ReadFlowPipeline', 'ManageFlowConnections'],
    page: () => import('./page'),
    breadcrumb: () => [{ label: <Trans context="flow">Connections</Trans> }],
    nav: { title: 'flow.nav.connections', order: 400 },
});

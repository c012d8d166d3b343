import { Trans } from '@lingui/react/macro';
import { flowRoute } from '../../ground/flow-route';

/** One connection, or a new one. */
export const connectionRoute = flowRoute({
    path: 'connections/$id',
    requires: ['ReadFlowPipeline', 'ManageFlowConnections'],
    page: () => import('./page'),
    breadcrumb: ({ id }) => [
        { path: '/flow/connections', label: <Trans context="flow">Connections</Trans> },
        {
            label: id === 'new' ? <Trans>New connection</Trans> : <Trans context="flow">Connection</Trans>,
        },
    ],
});

import { Trans } from '@lingui/react/macro';
import { flowRoute } from '../../ground/flow-route';

/** The options of the server that are in force. */
export const settingsRoute = flowRoute({
    path: 'settings',
    requires: ['ManageFlowConnections'],
    page: () => import('./page'),
    breadcrumb: () => [{ label: <Trans context="flow">Settings</Trans> }],
    nav: { title: 'flow.nav.settings', order: 900 },
});

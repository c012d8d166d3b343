import { Trans } from '@lingui/react/macro';
import { flowRoute } from '../../ground/flow-route';

/** What runs have written, and what they come to. */
export const logsRoute = flowRoute({
    path: 'logs',
    requires: ['ReadFlowRun'],
    page: () => import('./page'),
    breadcrumb: () => [{ label: <Trans context="flow">Logs & Analytics</Trans> }],
    nav: { title: 'flow.nav.logs', order: 700 },
});

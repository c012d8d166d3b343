import { Trans } from '@lingui/react/macro';
import { flowRoute } from '../../ground/flow-route';

/** From the shop to a file. */
export const exportRoute = flowRoute({
    path: 'export',
    requires: ['CreateFlowPipeline'],
    page: () => import('./page'),
    breadcrumb: () => [{ label: <Trans context="flow export">Export</Trans> }],
    nav: { title: 'flow.nav.export', order: 160 },
});

import { Trans } from '@lingui/react/macro';
import { flowRoute } from '../../ground/flow-route';

/** The list of pipelines. */
export const pipelinesRoute = flowRoute({
    path: 'pipelines',
    requires: ['ReadFlowPipeline'],
    page: () => import('./page'),
    breadcrumb: () => [{ label: <Trans context="flow">Pipelines</Trans> }],
    nav: { title: 'flow.nav.pipelines', order: 200 },
});

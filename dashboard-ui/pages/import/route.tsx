import { Trans } from '@lingui/react/macro';
import { flowRoute } from '../../ground/flow-route';

/** From an unknown file to a pipeline. */
export const importRoute = flowRoute({
    path: 'import',
    requires: ['CreateFlowPipeline'],
    page: () => import('./page'),
    breadcrumb: () => [{ label: <Trans context="flow import">Import</Trans> }],
    nav: { title: 'flow.nav.import', order: 150 },
});

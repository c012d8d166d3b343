import { Trans } from '@lingui/react/macro';
import { flowRoute } from '../../ground/flow-route';

/** What was uploaded for pipelines to read. */
export const filesRoute = flowRoute({
    path: 'files',
    requires: ['ReadFlowFiles', 'ManageFlowFiles'],
    page: () => import('./page'),
    breadcrumb: () => [{ label: <Trans context="flow">Files</Trans> }],
    nav: { title: 'flow.nav.files', order: 600 },
});

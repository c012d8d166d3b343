import { Trans } from '@lingui/react/macro';
import { flowRoute } from '../../ground/flow-route';

/** The runs of all pipelines; the line in the navigation is also that of the page of a run. */
export const runsRoute = flowRoute({
    path: 'runs',
    requires: ['ReadFlowRun'],
    page: () => import('./page'),
    breadcrumb: () => [{ label: <Trans context="flow">Runs</Trans> }],
    nav: { title: 'flow.nav.runs', order: 250 },
});

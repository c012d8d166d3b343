import { Trans } from '@lingui/react/macro';
import { flowRoute } from '../../ground/flow-route';

/** Rejected records, grouped by cause. */
export const recordErrorsRoute = flowRoute({
    path: 'record-errors',
    requires: ['ReadFlowRun'],
    page: () => import('./page'),
    breadcrumb: () => [{ label: <Trans context="flow">Record errors</Trans> }],
    nav: { title: 'flow.nav.record-errors', order: 300 },
});

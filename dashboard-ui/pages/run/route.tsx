import { Trans } from '@lingui/react/macro';
import { flowRoute } from '../../ground/flow-route';

/** One run: how far it is, what it did, why it stopped. */
export const runRoute = flowRoute({
    path: 'runs/$id',
    requires: ['ReadFlowRun'],
    page: () => import('./page'),
    breadcrumb: ({ id }) => [
        { path: '/flow/runs', label: <Trans context="flow">Runs</Trans> },
        {
            label: (
                <Trans>
                    Run <span translate="no">{id}</span>
                </Trans>
            ),
        },
    ],
});

import { Trans } from '@lingui/react/macro';
import { flowRoute } from '../../ground/flow-route';

/** Passwords, tokens and keys, by their codes. */
export const secretsRoute = flowRoute({
    path: 'secrets',
    requires: ['ReadFlowPipeline', 'ManageFlowSecrets'],
    page: () => import('./page'),
    breadcrumb: () => [{ label: <Trans context="flow">Secrets</Trans> }],
    nav: { title: 'flow.nav.secrets', order: 500 },
});

import { Trans } from '@lingui/react/macro';
import { flowRoute } from '../../ground/flow-route';

/** A pipeline is begun: empty, from a document, another pipeline or a template. */
export const newPipelineRoute = flowRoute({
    path: 'pipelines/new',
    requires: ['CreateFlowPipeline'],
    page: () => import('./page'),
    breadcrumb: () => [
        { path: '/flow/pipelines', label: <Trans context="flow">Pipelines</Trans> },
        { label: <Trans>New pipeline</Trans> },
    ],
});

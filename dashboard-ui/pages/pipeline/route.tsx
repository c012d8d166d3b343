import { Trans } from '@lingui/react/macro';
import { flowRoute } from '../../ground/flow-route';
import { PipelineName } from '../../parts/pipeline-name';

/** One pipeline: its runs, what it does, what has changed about it, what starts it, and its numbers. */
export const pipelineRoute = flowRoute({
    path: 'pipelines/$id',
    requires: ['ReadFlowPipeline'],
    page: () => import('./page'),
    breadcrumb: ({ id }) => [
        { path: '/flow/pipelines', label: <Trans context="flow">Pipelines</Trans> },
        { label: <PipelineName id={id!} /> },
    ],
});

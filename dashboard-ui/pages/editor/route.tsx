import { Trans } from '@lingui/react/macro';
import { flowRoute } from '../../ground/flow-route';
import { PipelineName } from '../../parts/pipeline-name';

/** The pipeline editor. The libraries of graph and text load with this page only. */
export const editorRoute = flowRoute({
    path: 'pipelines/$id/edit',
    requires: ['ReadFlowPipeline'],
    page: () => import('./page'),
    breadcrumb: ({ id }) => [
        { path: '/flow/pipelines', label: <Trans context="flow">Pipelines</Trans> },
        { path: `/flow/pipelines/${id}`, label: <PipelineName id={id!} /> },
        { label: <Trans context="flow">Edit</Trans> },
    ],
});

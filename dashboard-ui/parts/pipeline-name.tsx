import { Trans } from '@lingui/react/macro';
import { api, useQuery } from '@vendure/dashboard';
import type { ReactNode } from 'react';
import { graphql } from '../gql/graphql';

const pipelineNameDocument = graphql(`
    query FlowPipelineName($id: ID!) {
        flowPipeline(id: $id) {
            id
            name
        }
    }
`);

/** How a pipeline is called, for a place that knows its id alone. */
export function PipelineName({ id }: { readonly id: string }): ReactNode {
    const { data } = useQuery({
        queryKey: ['flow', 'pipeline-name', id],
        queryFn: () => api.query(pipelineNameDocument, { id }),
        retry: false,
    });
    const name = data?.flowPipeline?.name;
    return name === undefined ? <Trans context="flow">Pipeline</Trans> : <span translate="no">{name}</span>;
}

import { api, toast, useMutation, useNavigate } from '@vendure/dashboard';
import { graphql } from '../gql/graphql';
import { faultOf } from '../ground/fault';
import { useOnce } from '../ground/use-once';

const startRunDocument = graphql(`
    mutation FlowStartRun($pipelineId: ID!, $triggerKey: String) {
        startFlowPipelineRun(pipelineId: $pipelineId, triggerKey: $triggerKey) {
            id
        }
    }
`);

/** A run to start: by the only manual trigger of the pipeline, unless one is named. */
export interface RunStart {
    readonly pipelineId: string;
    readonly triggerKey?: string | null;
}

/** Starts a run of the live revision, and opens its page. */
export function useStartRun(): { readonly press: (start: RunStart) => void; readonly isPending: boolean } {
    const navigate = useNavigate();
    const start = useMutation({
        mutationFn: startRun,
        onSuccess: id => navigate({ to: `/flow/runs/${id}` }),
        onError: error => toast.error(faultOf(error).message),
    });
    return { press: useOnce(start.mutateAsync), isPending: start.isPending };
}

/** Starts a run of the live revision; returns its id. */
export async function startRun(start: RunStart): Promise<string> {
    return (await api.mutate(startRunDocument, start)).startFlowPipelineRun.id;
}

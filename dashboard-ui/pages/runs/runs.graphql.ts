import { graphql } from '../../gql/graphql';

export const allRunsDocument = graphql(`
    query FlowAllRuns($options: FlowPipelineRunListOptions, $pipelineId: ID) {
        flowPipelineRuns(options: $options, pipelineId: $pipelineId) {
            totalItems
            items {
                id
                createdAt
                status
                outcome
                dryRun
                triggerType
                startedAt
                recordsRead
                recordsLoaded
                recordsRejected
                warnings
                progress {
                    elapsedMs
                }
                revision {
                    id
                    number
                }
                pipeline {
                    id
                    name
                }
            }
        }
    }
`);

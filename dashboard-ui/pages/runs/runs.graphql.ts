import { graphql } from '../../gql/graphql';

export const allRunsDocument = graphql(`
    query FlowAllRuns($options: FlowPipelineRunListOptions) {
        flowPipelineRuns(options: $options) {
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

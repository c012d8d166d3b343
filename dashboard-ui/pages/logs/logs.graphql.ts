import { graphql } from '../../gql/graphql';
import { endedRuns } from '../../gql/selections';

export const pipelineChoicesDocument = graphql(`
    query FlowPipelineChoices {
        flowPipelines(options: { take: 1000, sort: { name: ASC } }) {
            items {
                id
                code
                name
            }
        }
    }
`);

export const analyticsDocument = graphql(
    `
    query FlowAnalyticsPage($from: DateTime!, $to: DateTime, $pipelineId: ID, $period: FlowAnalyticsPeriod) {
        flowAnalytics(from: $from, to: $to, pipelineId: $pipelineId, period: $period) {
            from
            to
            total {
                ...FlowEndedRuns
                recordsRead
                medianMs
                p95Ms
            }
            pipelines {
                pipeline {
                    id
                    code
                    name
                }
                figures {
                    runs
                    failed
                    recordsLoaded
                    recordsRejected
                    medianMs
                    p95Ms
                }
            }
            periods {
                start
                figures {
                    ...FlowEndedRuns
                }
            }
        }
    }
`,
    [endedRuns],
);

export const newestRunsDocument = graphql(`
    query FlowNewestRuns($pipelineId: ID!, $take: Int!) {
        flowPipelineRuns(pipelineId: $pipelineId, options: { take: $take }) {
            items {
                id
            }
            totalItems
        }
    }
`);

export const logLinesDocument = graphql(`
    query FlowLogLines($options: FlowLogListOptions, $runId: ID) {
        flowLogs(options: $options, runId: $runId) {
            items {
                id
                createdAt
                runId
                level
                stepKey
                message
                facts
                code
            }
            totalItems
        }
    }
`);

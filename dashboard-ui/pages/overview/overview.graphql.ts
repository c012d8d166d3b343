import { graphql, type ResultOf } from '../../gql/graphql';
import { endedRuns, whatItWaitsFor } from '../../gql/selections';

export const overviewDocument = graphql(
    `
    query FlowOverviewPage {
        flowOverview {
            asOf
            failuresTotal
            failures {
                id
                finishedAt
                pipeline {
                    id
                    name
                }
                error {
                    code
                    message
                    facts
                    stepKey
                    remedy
                }
            }
            waitingGatesTotal
            waitingGates {
                id
                gateStepKey
                gateTimeoutAt
                updatedAt
                held {
                    stepKey
                    records
                }
                error {
                    code
                    message
                    facts
                }
                pipeline {
                    id
                    name
                }
            }
            openRecordErrors
            causes {
                id
                stepKey
                code
                path
                records
                lastSeenAt
                example {
                    id
                    code
                    message
                    facts
                }
            }
            triggerWarnings {
                pipelineId
                triggerKey
                code
                message
                facts
                pipeline {
                    id
                    name
                }
            }
            lastDay {
                ...FlowEndedRuns
            }
            hours {
                start
                figures {
                    ...FlowEndedRuns
                }
            }
            runningTotal
            running {
                id
                status
                outcome
                dryRun
                createdAt
                startedAt
                recordsRead
                recordsLoaded
                recordsRejected
                warnings
                progress {
                    elapsedMs
                    recordsPerSecond
                }
                waitsFor {
                    ...FlowWhatItWaitsFor
                }
                pipeline {
                    id
                    name
                }
            }
            hasRuns
        }
    }
`,
    [endedRuns, whatItWaitsFor],
);

/** What the overview shows. */
export type Overview = ResultOf<typeof overviewDocument>['flowOverview'];

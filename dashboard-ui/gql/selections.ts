import { graphql } from './graphql';

/** How runs of a time have ended, and what they did. */
export const endedRuns = graphql(`
    fragment FlowEndedRuns on FlowRunFigures {
        runs
        success
        partial
        empty
        failed
        cancelled
        recordsLoaded
        recordsRejected
    }
`);

/** What a run or a step waits for; `parts/waiting` says it. */
export const whatItWaitsFor = graphql(`
    fragment FlowWhatItWaitsFor on FlowRunWait {
        reason
        stepKey
        runId
        until
        code
        retry
        of
    }
`);

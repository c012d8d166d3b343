import gql from 'graphql-tag';

/** What runs come to. */
export const analyticsSchema = gql`
    "How long the parts are that a window is told in."
    enum FlowAnalyticsPeriod {
        "For windows of at most 31 days."
        HOUR
        "Days of UTC; for windows of at most 3,660 days."
        DAY
    }

    "What some runs that have ended come to. Dry runs are not counted."
    type FlowRunFigures {
        "All of them."
        runs: Int!
        "COMPLETED with the outcome SUCCESS."
        success: Int!
        "COMPLETED, with records that were rejected."
        partial: Int!
        "COMPLETED without a record."
        empty: Int!
        failed: Int!
        cancelled: Int!
        recordsRead: Float!
        recordsLoaded: Float!
        recordsRejected: Float!
        "Half of them took no longer, from the first start to the end in milliseconds, waits for approvals included. To within a tenth; null where none has begun."
        medianMs: Float
        "As medianMs, of 95 in 100."
        p95Ms: Float
        "As medianMs, of 99 in 100."
        p99Ms: Float
    }

    "The runs of one pipeline."
    type FlowPipelineFigures {
        pipeline: FlowPipeline!
        figures: FlowRunFigures!
    }

    "The runs that have ended in one hour or day."
    type FlowPeriodFigures {
        start: DateTime!
        figures: FlowRunFigures!
    }

    "What the runs of a window come to. Pipelines, hours and days in which no run has ended are left out."
    type FlowAnalytics {
        "The beginning of the first hour: hours are not told apart any further."
        from: DateTime!
        "The end of the last hour."
        to: DateTime!
        total: FlowRunFigures!
        "By code."
        pipelines: [FlowPipelineFigures!]!
        "The first one first."
        periods: [FlowPeriodFigures!]!
    }

    extend type Query {
        "What the runs of the active channel's pipelines, or of one of them, come to that have ended in the hours from one moment to another, which is now unless it is given. Counted as they end, and kept for retention.analyticsDays, longer than the runs themselves."
        flowAnalytics(from: DateTime!, to: DateTime, pipelineId: ID, period: FlowAnalyticsPeriod): FlowAnalytics!
    }
`;

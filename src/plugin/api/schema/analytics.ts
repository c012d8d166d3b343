import gql from 'graphql-tag';

/** Statistics about runs. */
export const analyticsSchema = gql`
    "The length of the periods into which the statistics are divided."
    enum FlowAnalyticsPeriod {
        "For time ranges of at most 31 days."
        HOUR
        "Days in UTC; for time ranges of at most 3,660 days."
        DAY
    }

    "Statistics of runs that have ended. Dry runs are not counted."
    type FlowRunFigures {
        "The number of runs."
        runs: Int!
        "COMPLETED with the outcome SUCCESS."
        success: Int!
        "COMPLETED with rejected records."
        partial: Int!
        "COMPLETED without any record."
        empty: Int!
        failed: Int!
        cancelled: Int!
        recordsRead: Float!
        recordsLoaded: Float!
        recordsRejected: Float!
        "The median duration from the first start to the end in milliseconds, including waits for approvals. Accurate to one tenth; null if no run was started."
        medianMs: Float
        "As medianMs, for the 95th percentile."
        p95Ms: Float
        "As medianMs, for the 99th percentile."
        p99Ms: Float
    }

    "The runs of one pipeline."
    type FlowPipelineFigures {
        pipeline: FlowPipeline!
        figures: FlowRunFigures!
    }

    "The runs that ended in one hour or day."
    type FlowPeriodFigures {
        start: DateTime!
        figures: FlowRunFigures!
    }

    "Statistics of the runs in a time range. Pipelines, hours and days in which no run ended are omitted."
    type FlowAnalytics {
        "The start of the first hour; statistics are kept per hour."
        from: DateTime!
        "The end of the last hour."
        to: DateTime!
        total: FlowRunFigures!
        "Ordered by code."
        pipelines: [FlowPipelineFigures!]!
        "In chronological order."
        periods: [FlowPeriodFigures!]!
    }

    extend type Query {
        "Statistics of the runs of the active channel's pipelines, or of one pipeline, that ended in the given range of hours. Default for to: now. Runs are counted when they end. The statistics are kept for retention.analyticsDays, longer than the runs themselves."
        flowAnalytics(from: DateTime!, to: DateTime, pipelineId: ID, period: FlowAnalyticsPeriod): FlowAnalytics!
    }
`;

/** The known facts about an active step in addition to its counters. */
export interface StepStatus {
    /** How long it has been active, in this attempt. */
    readonly ms: number;
    /** For a source: where the last record that it read is, if the source reports it. */
    readonly place?: string;
    /** It waits for the next try of something that has failed. */
    readonly waits?: RetryWait;
}

/** The wait before a retry: why, which of how many, and until when, in ms since 1970. */
export interface RetryWait {
    readonly code: string;
    readonly retry: number;
    readonly of: number;
    readonly until: number;
}

/** By the keys of the steps; '' for the run itself. */
export type StepStatuses = Readonly<Record<string, StepStatus>>;

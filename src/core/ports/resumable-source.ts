/** A source whose position outlives a run that does not complete, and the key under which it does. */
export interface ResumableSource {
    readonly stepKey: string;
    readonly key: string;
    /** The source starts from its beginning, whatever position was saved. */
    readonly startOver?: boolean;
    /** Completed runs save its position here, and it starts from there; incomplete runs are only reported. */
    readonly byCompleted?: {
        readonly key: string;
        /** A run that does not complete leaves its position as well, and the next one takes that up first. */
        readonly alsoUnfinished?: boolean;
    };
    /** What the key is made of, as digests by their names. */
    readonly of?: ResumeKey;
    /** If no position is taken over, finds the run that has left part of the source. */
    readonly seeksUnfinished?: boolean;
}

/** What a position belongs to, as digests by their names: `{ content: '4f1a…', revision: '9c3e…' }`. */
export type ResumeKey = Readonly<Record<string, string>>;

/** A run that left a saved position in a source, and that no completed run of the pipeline has followed. */
export interface UnfinishedRun {
    readonly runId: string | number;
    /** Undefined if an earlier version has stored it. */
    readonly of: ResumeKey | undefined;
}

/** A source whose position outlives a run that does not complete, and the key under which it does. */
export interface KeptSource {
    readonly stepKey: string;
    readonly key: string;
    /** The source is begun anew, whatever has been left of it. */
    readonly startOver?: boolean;
    /** Where runs that have completed save it, and where it is begun; those that have not are only told of. */
    readonly byCompleted?: {
        readonly key: string;
        /** A run that does not complete leaves its position as well, and the next one takes that up first. */
        readonly alsoUnfinished?: boolean;
    };
    /** What the key is made of, as digests by their names. */
    readonly of?: KeptOf;
    /** Where nothing is taken up, the run is to be found that has left something of the source. */
    readonly seeksUnfinished?: boolean;
}

/** What a position belongs to, as digests by their names: `{ content: '4f1a…', revision: '9c3e…' }`. */
export type KeptOf = Readonly<Record<string, string>>;

/** A run that has left its place in a source, and that no run of the pipeline has completed behind. */
export interface UnfinishedRun {
    readonly runId: string | number;
    /** Undefined of what earlier versions have stored. */
    readonly of: KeptOf | undefined;
}

import { logEvent } from '../adapter/log-event';
import { countsOf, type Counters } from '../progress/counters';
import type { ExecutionContext } from './execution-context';
import type { SourceStart } from './source-checkpoints';

/** Why a run does not have all records of a source, as the end of a sentence that begins with the source. */
interface Gap {
    readonly why: string;
    /** Whether the step is configured to read only a part: changes, or what an earlier run has left. */
    readonly isIntended: boolean;
}

/** The sources that a run has not read completely. */
export class PartialReadings {
    private readonly gaps = new Map<string, Gap>();

    constructor(private readonly context: Pick<ExecutionContext, 'log'>) {}

    /** A source is opened, at its beginning or where an earlier slice of the run has left it. */
    start(
        sourceKey: string,
        { isPart: intended, position: { isPart } }: Pick<SourceStart, 'isPart' | 'position'>,
    ): void {
        if (isPart !== undefined) this.add(sourceKey, isPart);
        else if (intended !== undefined) this.gaps.set(sourceKey, { why: intended, isIntended: true });
    }

    /** The source has said that its pages are not all that it has. */
    add(sourceKey: string, why: string): void {
        this.gaps.set(sourceKey, { why, isIntended: false });
    }

    /** Whether the run has records of a source that was read partially although the step requires all of it. */
    hasUnintended(counters: Counters): boolean {
        return this.unintended(counters).length > 0;
    }

    [Symbol.iterator](): IterableIterator<[sourceKey: string, gap: Gap]> {
        return this.gaps[Symbol.iterator]();
    }

    /** Logs each reading that is partial, at the end of the run. A source without any record is not worth a warning. */
    log(counters: Counters): void {
        for (const [sourceKey, { why }] of this.unintended(counters))
            logEvent(this.context.log(sourceKey), 'SOURCE_PARTIAL', { why });
    }

    private unintended(counters: Counters): ReadonlyArray<readonly [sourceKey: string, gap: Gap]> {
        return [...this.gaps].filter(([key, { isIntended }]) => !isIntended && countsOf(counters, key).in > 0);
    }
}

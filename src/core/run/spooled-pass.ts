import type { JsonObject } from '../value/json';
import type { Batch, FlowRecord, Origin } from '../data/record';
import { flowError } from '../errors/flow-error';
import type { SpooledPart, SpooledRecord, SpooledPass } from '../ports/ports';
import type { StateEntry, BatchStateEntries } from '../progress/state-entries';

/** The records of a batch that steps hold. */
export interface SpooledInvocation {
    readonly stepKey: string;
    readonly visit: number;
    readonly batch: Batch;
}

/** The source data that a held record keeps, in case it is rejected later. */
interface SpooledSource {
    sourceOf(seq: number): JsonObject | undefined;
    placeOf(seq: number): string | undefined;
}

/** A trip between two of its parts: the facts about the batch, and the records that steps hold. */
interface BatchPassState {
    readonly visited: ReadonlyMap<string, readonly Batch[]>;
    readonly waiting: readonly StateEntry[];
    readonly failed: Iterable<Origin>;
}

/**
 * Origins by index in a list, because it matters which records share one: a failed record fails the memos of everything that was made of it. Stored
 * origins keep their index, because held records refer to it.
 */
export class OriginLocations {
    private readonly origins: Origin[] = [];
    private readonly places = new Map<Origin, number>();

    constructor(stored: SpooledPass['origins'] = []) {
        for (const [seq, ...parts] of stored)
            this.add({ seq: seq!, ...(parts.length > 0 && { parts: parts.map(place => this.at(place)) }) });
    }

    at(place: number): Origin {
        const origin = this.origins[place];
        if (!origin) throw flowError('BUG', { problem: `a held batch has no origin ${place}` });
        return origin;
    }

    placeOf(origin: Origin): number {
        const known = this.places.get(origin);
        if (known !== undefined) return known;
        for (const part of origin.parts ?? []) this.placeOf(part);
        return this.add(origin);
    }

    get stored(): SpooledPass['origins'] {
        return this.origins.map(({ seq, parts = [] }) => [seq, ...parts.map(part => this.placeOf(part))]);
    }

    private add(origin: Origin): number {
        this.origins.push(origin);
        this.places.set(origin, this.origins.length - 1);
        return this.origins.length - 1;
    }
}

/** What steps have begun to hold, as it is stored. */
export function storedSpooledPart(
    { stepKey, visit, batch }: SpooledInvocation,
    locations: OriginLocations,
    source: SpooledSource,
): SpooledPart {
    const records = batch.map(({ data, origin }): SpooledRecord => {
        // What was made of several has no one source.
        const isOne = origin.parts === undefined;
        const given = isOne ? source.sourceOf(origin.seq) : undefined;
        const place = isOne ? source.placeOf(origin.seq) : undefined;
        return {
            data,
            origin: locations.placeOf(origin),
            ...(given && given !== data && { source: given }),
            ...(place !== undefined && { place }),
        };
    });
    return { stepKey, visit, records };
}

/** What the trip knows, as it is stored. */
export function storedBatchPass({ visited, waiting, failed }: BatchPassState, locations: OriginLocations): SpooledPass {
    const stateEntries = waiting.map(({ origin, stepKey, key, value, isReported }) => ({
        origin: locations.placeOf(origin),
        stepKey,
        key,
        value,
        ...(isReported && { isReported }),
    }));
    const failedPlaces = Array.from(failed, origin => locations.placeOf(origin));
    return {
        memos: stateEntries,
        failed: failedPlaces,
        visited: Array.from(visited, ([stepKey, batches]) => [
            stepKey,
            batches.map(batch => batch.map(({ origin }) => origin.seq)),
        ]),
        // Last, since all of the others may add to them.
        origins: locations.stored,
    };
}

/** The records of a part as they were when the step began to hold them. */
export function spooledRecords({ records }: SpooledPart, locations: OriginLocations): Batch {
    return records.map(({ data, origin }) => ({ data, origin: locations.at(origin) }));
}

/** What is known of the sources of some held records. */
export function spooledSources(parts: readonly SpooledPart[], locations: OriginLocations): SpooledSource {
    const bySeq = new Map<number, SpooledRecord>();
    for (const record of parts.flatMap(({ records }) => records)) {
        const { seq, parts: joined } = locations.at(record.origin);
        if (!joined && !bySeq.has(seq)) bySeq.set(seq, record);
    }
    return {
        sourceOf: seq => {
            const record = bySeq.get(seq);
            return record && (record.source ?? record.data);
        },
        placeOf: seq => bySeq.get(seq)?.place,
    };
}

/** The earlier visits of a batch that resumes. Only the numbers of their records are ever read. */
export function invocationsOf({ visited }: SpooledPass): Map<string, readonly Batch[]> {
    const numbered = (seq: number): FlowRecord => ({ data: {}, origin: { seq } });
    return new Map(visited.map(([stepKey, visits]) => [stepKey, visits.map(seqs => seqs.map(numbered))]));
}

/** Fills a trip's memos with what was stored of them. */
export function restoreStateEntries(
    stateEntries: BatchStateEntries,
    { memos: stored, failed }: SpooledPass,
    locations: OriginLocations,
): void {
    stateEntries.add(stored.map(({ origin, ...stateEntry }) => ({ ...stateEntry, origin: locations.at(origin) })));
    stateEntries.fail(failed.map(place => locations.at(place)));
}

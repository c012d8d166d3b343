import type { JsonObject } from '../value/json';
import type { Batch, FlowRecord, Origin } from '../data/record';
import { flowError } from '../errors/flow-error';
import type { HeldPart, HeldRecord, HeldTrip } from '../ports/ports';
import type { Memo, TripMemos } from '../progress/memos';

/** The records of a batch that steps hold. */
export interface HeldVisit {
    readonly stepKey: string;
    readonly visit: number;
    readonly batch: Batch;
}

/** The source data that a held record keeps, in case it is rejected later. */
export interface HeldSource {
    sourceOf(seq: number): JsonObject | undefined;
    placeOf(seq: number): string | undefined;
}

/** A trip between two of its parts: the facts about the batch, and the records that steps hold. */
export interface TripState {
    readonly visited: ReadonlyMap<string, readonly Batch[]>;
    readonly waiting: readonly Memo[];
    readonly failed: Iterable<Origin>;
}

/**
 * Origins by index in a list, because it matters which records share one: a failed record fails the memos of everything that was made of it. Stored
 * origins keep their index, because held records refer to it.
 */
export class OriginPlaces {
    private readonly origins: Origin[] = [];
    private readonly places = new Map<Origin, number>();

    constructor(stored: HeldTrip['origins'] = []) {
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

    get stored(): HeldTrip['origins'] {
        return this.origins.map(({ seq, parts = [] }) => [seq, ...parts.map(part => this.placeOf(part))]);
    }

    private add(origin: Origin): number {
        this.origins.push(origin);
        this.places.set(origin, this.origins.length - 1);
        return this.origins.length - 1;
    }
}

/** What steps have begun to hold, as it is stored. */
export function storedPart({ stepKey, visit, batch }: HeldVisit, places: OriginPlaces, source: HeldSource): HeldPart {
    const records = batch.map(({ data, origin }): HeldRecord => {
        // What was made of several has no one source.
        const isOne = origin.parts === undefined;
        const given = isOne ? source.sourceOf(origin.seq) : undefined;
        const place = isOne ? source.placeOf(origin.seq) : undefined;
        return {
            data,
            origin: places.placeOf(origin),
            ...(given && given !== data && { source: given }),
            ...(place !== undefined && { place }),
        };
    });
    return { stepKey, visit, records };
}

/** What the trip knows, as it is stored. */
export function storedTrip({ visited, waiting, failed }: TripState, places: OriginPlaces): HeldTrip {
    const memos = waiting.map(({ origin, stepKey, key, value, isReported }) => ({
        origin: places.placeOf(origin),
        stepKey,
        key,
        value,
        ...(isReported && { isReported }),
    }));
    const failedPlaces = Array.from(failed, origin => places.placeOf(origin));
    return {
        memos,
        failed: failedPlaces,
        visited: Array.from(visited, ([stepKey, batches]) => [
            stepKey,
            batches.map(batch => batch.map(({ origin }) => origin.seq)),
        ]),
        // Last, since all of the others may add to them.
        origins: places.stored,
    };
}

/** The records of a part as they were when the step began to hold them. */
export function heldRecords({ records }: HeldPart, places: OriginPlaces): Batch {
    return records.map(({ data, origin }) => ({ data, origin: places.at(origin) }));
}

/** What is known of the sources of some held records. */
export function heldSources(parts: readonly HeldPart[], places: OriginPlaces): HeldSource {
    const bySeq = new Map<number, HeldRecord>();
    for (const record of parts.flatMap(({ records }) => records)) {
        const { seq, parts: joined } = places.at(record.origin);
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
export function visitsOf({ visited }: HeldTrip): Map<string, readonly Batch[]> {
    const numbered = (seq: number): FlowRecord => ({ data: {}, origin: { seq } });
    return new Map(visited.map(([stepKey, visits]) => [stepKey, visits.map(seqs => seqs.map(numbered))]));
}

/** Fills a trip's memos with what was stored of them. */
export function restoreMemos(memos: TripMemos, { memos: stored, failed }: HeldTrip, places: OriginPlaces): void {
    memos.add(stored.map(({ origin, ...memo }) => ({ ...memo, origin: places.at(origin) })));
    memos.fail(failed.map(place => places.at(place)));
}

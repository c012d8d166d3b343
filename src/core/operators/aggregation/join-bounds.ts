import { Bounds, DEFAULT_LIMITS, type RecordLimits } from '../../adapter/bounds';
import type { JsonObject } from '../../value/json';
import { HOLDER_WEIGHT, VALUE_WEIGHT, sizeOfValue } from '../../data/weight';

const OP = 'multiJoin';

/** A record of the list, as it is added to other records. */
interface Added {
    readonly fields: JsonObject;
    readonly count: number;
    readonly weight: number;
}

/**
 * Limits the size of a batch after a join. The shop's limits apply to each text of the list and to each record, as for
 * every operator. The fields of all joined records together may be four times the largest record: shared values are
 * stored once, fields are not. In a shop with smaller records than usual, batches keep the usual size.
 */
export class JoinBounds {
    private readonly batch: Bounds;
    private readonly each: Bounds;
    private readonly met = new Map<number, Added>();

    constructor(
        private readonly leftKey: string,
        private readonly right: readonly JsonObject[],
        private readonly limits: RecordLimits,
    ) {
        const maxRecordChars = Math.max(limits.maxRecordChars, DEFAULT_LIMITS.maxRecordChars);
        this.batch = new Bounds(OP, { ...limits, maxRecordChars });
        this.each = new Bounds(OP, limits);
    }

    /** A record with each of its matches. Throws VALUE_TOO_LARGE. */
    joined(data: JsonObject, matches: readonly number[]): readonly JsonObject[] {
        if (matches.length === 0) return [];
        const { leftKey, limits } = this;
        const own = Object.keys(data).length;
        const added = matches.map(match => this.added(match));
        const fields = added.reduce((sum, { count }) => sum + own + count, 0);
        this.batch.count(leftKey, fields * VALUE_WEIGHT + added.length * HOLDER_WEIGHT);
        const weight = sizeOfValue(data, limits.maxRecordChars);
        return added.map(one => {
            const record = { ...data, ...one.fields };
            // Fields that replace others make the result smaller than the sum.
            if (weight + one.weight > limits.maxRecordChars) this.each.weigh(leftKey, record);
            return record;
        });
    }

    /** A record of the list without a match. Throws VALUE_TOO_LARGE. */
    alone(fields: JsonObject): JsonObject {
        this.checkTexts(fields);
        this.each.weigh(this.leftKey, fields);
        return fields;
    }

    private added(match: number): Added {
        const known = this.met.get(match);
        if (known) return known;
        const fields = this.right[match]!;
        this.checkTexts(fields);
        const weight = sizeOfValue(fields, this.limits.maxRecordChars);
        const added = { fields, count: Object.keys(fields).length, weight };
        this.met.set(match, added);
        return added;
    }

    private checkTexts(fields: JsonObject): void {
        for (const [name, value] of Object.entries(fields))
            if (typeof value === 'string') this.each.fits(name, value.length);
    }
}

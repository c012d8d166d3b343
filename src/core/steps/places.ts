import type { PageFault } from '../adapter/extractor';
import { flowError } from '../errors/flow-error';
import type { Reject } from '../ports/ports';
import type { Page } from '../adapter/extractor';

type PlaceOf = NonNullable<Page['placeOf']>;

/** Records of a batch that follow each other in one page. */
interface Stretch {
    /** The place of the first of them in the batch, and its index in the page. */
    readonly from: number;
    readonly index: number;
    readonly placeOf: PlaceOf | undefined;
}

/** Where the records of a batch stand at their source. Keeps a number or two for each page; texts are made for records that are asked for. */
export class Places {
    private readonly stretches: Stretch[] = [];

    /** From this record of the batch on they are those of the page, from this index on, unless it is told otherwise. */
    startsAt(from: number, index: number, { placeOf }: Page): void {
        this.stretches.push({ from, index, placeOf });
    }

    /** Of a record by its place in the batch. */
    of(place: number): string | undefined {
        const stretch = this.stretches.findLast(({ from }) => from <= place);
        return stretch?.placeOf?.(stretch.index + place - stretch.from);
    }
}

/** A row that was no record, as a rejected one of its source. */
export function rejectOf({ path, problem, data, place, isFile }: PageFault, sourceKey: string, seq: number): Reject {
    const { code, message } =
        isFile === true
            ? flowError('FILE_NOT_READ', { path, problem })
            : flowError('RECORD_INVALID', { path, problem });
    return {
        stepKey: sourceKey,
        sourceKey,
        seq,
        ordinal: 0,
        code,
        message,
        path: isFile === true ? undefined : path,
        ...(place !== undefined && { place }),
        payload: data,
    };
}

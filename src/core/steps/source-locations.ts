import type { PageIssue } from '../adapter/extractor';
import { flowError } from '../errors/flow-error';
import type { Reject } from '../ports/ports';
import type { Page } from '../adapter/extractor';

type PlaceOf = NonNullable<Page['placeOf']>;

/** Records of a batch that follow each other in one page. */
interface Stretch {
    /** The index of the first of them in the batch, and its index in the page. */
    readonly from: number;
    readonly index: number;
    readonly placeOf: PlaceOf | undefined;
}

/**
 * The places of a batch's records in their source. Stores a number or two for each page, and builds texts only for the records whose place is read.
 */
export class SourceLocations {
    private readonly parallelBranches: Stretch[] = [];

    /** From this record of the batch on, the records are those of the page, starting at this index, until the next call. */
    startsAt(from: number, index: number, { placeOf }: Page): void {
        this.parallelBranches.push({ from, index, placeOf });
    }

    /** Of a record by its place in the batch. */
    of(place: number): string | undefined {
        const parallelBranch = this.parallelBranches.findLast(({ from }) => from <= place);
        return parallelBranch?.placeOf?.(parallelBranch.index + place - parallelBranch.from);
    }
}

/** Builds the reject of a source for a row that is not a record. */
export function rejectOf({ path, problem, data, place, isFile }: PageIssue, sourceKey: string, seq: number): Reject {
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

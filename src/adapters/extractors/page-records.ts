import type { PageIssue } from '../../core/adapter/extractor';
import { rowsInSequence } from '../../core/adapter/page-rows';
import type { JsonObject } from '../../core/value/json';
import type { RecordPage } from '../../io/formats/source';

/** Converts an element to a record. A text is the reason why it is not a record; undefined skips it. */
export type RecordOf = (record: JsonObject) => JsonObject | string | undefined;

/** A page without rows. */
export const NOTHING: RecordPage = { records: [], faults: [], rows: 0, placeOf: () => undefined };

/** How many records and issues a page has. */
export function countPageRows({ records, faults: issues }: RecordPage): number {
    return records.length + issues.length;
}

/** Adds the page of the API to the locations of rows. */
export function withPageLocation(page: number, part: RecordPage): RecordPage {
    const inPage = (place: string | undefined): string | undefined => place && `page ${page}, ${place}`;
    const { placeOf, faults: issues } = part;
    return {
        ...part,
        placeOf: index => inPage(placeOf(index)),
        faults: issues.map(issue => ({ ...issue, place: inPage(issue.place) })),
    };
}

/** Converts elements to records. Elements that are not records become issues. */
export function convertRecords(part: RecordPage, recordOf: RecordOf): RecordPage {
    const records: JsonObject[] = [];
    const issues: PageIssue[] = [];
    const places: number[] = [];
    for (const row of rowsInSequence(part)) {
        const index = records.length;
        const found = row.fault ? '' : recordOf(row.record);
        if (row.fault) issues.push({ ...row.fault, index });
        else if (typeof found === 'string') {
            const place = part.placeOf(row.index);
            issues.push({ index, path: 'value', data: row.record, problem: found, place });
        } else if (found) {
            records.push(found);
            places.push(row.index);
        }
    }
    const { rows, placeOf } = part;
    const isSame = issues.length === part.faults.length && records.length === part.records.length;
    return { records, faults: issues, rows, placeOf: isSame ? placeOf : index => placeOf(places[index] ?? -1) };
}

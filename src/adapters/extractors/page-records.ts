import type { PageIssue } from '../../core/adapter/extractor';
import { rowsInSequence } from '../../core/adapter/page-rows';
import type { JsonObject } from '../../core/value/json';
import type { RecordPage } from '../../io/formats/source';

/** What a record is; a text is why it is none, undefined leaves it out. */
export type RecordOf = (record: JsonObject) => JsonObject | string | undefined;

/** A page without rows. */
export const NOTHING: RecordPage = { records: [], faults: [], rows: 0, placeOf: () => undefined };

/** How many records and faults a page has. */
export function countPageRows({ records, faults: issues }: RecordPage): number {
    return records.length + issues.length;
}

/** Rows whose places name the page of the API as well. */
export function withPageLocation(page: number, part: RecordPage): RecordPage {
    const inPage = (place: string | undefined): string | undefined => place && `page ${page}, ${place}`;
    const { placeOf, faults: issues } = part;
    return {
        ...part,
        placeOf: index => inPage(placeOf(index)),
        faults: issues.map(issue => ({ ...issue, place: inPage(issue.place) })),
    };
}

/** Records as the source has them; those that are none become faults. */
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

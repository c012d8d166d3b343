import type { ExtractContext } from '../../core/adapter/extractor';
import type { RecordReader } from '../../io/formats/source';
import type { Grouping } from './group-by';
import { checkGroups, groupedRows, rowContext } from './group-rows';
import { pagesOf } from './managed-file';

/** Reads the rows of a table as groups. `rows` of a page is where a resumed run begins: of groups whose rows are apart, their number. */
export function groupedReader(reader: RecordReader, grouping: Grouping, cx: ExtractContext): RecordReader {
    const groupsFrom = (skip: number | undefined): ReturnType<typeof groupedRows> => {
        const own = { ...cx, resumeFrom: skip === undefined || skip === 0 ? undefined : skip };
        return groupedRows(pagesOf(reader, rowContext(grouping, own)), grouping, own);
    };
    return {
        check: async () => {
            const checked = await reader.check();
            await checkGroups(pagesOf(reader, rowContext(grouping, { ...cx, resumeFrom: undefined })), grouping, cx);
            return checked;
        },
        async *read({ skip }) {
            for await (const { records, faults = [], checkpoint, placeOf } of groupsFrom(skip))
                yield { records, faults, rows: checkpoint as number, placeOf: index => placeOf?.(index) };
        },
    };
}

import { csv } from '../../adapters/extractors/csv';
import { xlsx } from '../../adapters/extractors/xlsx';
import type { ExtractContext } from '../../core/adapter/extractor';
import type { FileStore } from '../../core/adapter/files';
import { noNetwork } from '../../core/adapter/outbound';
import { noResources } from '../../core/adapter/no-resources';
import { systemClock } from '../../core/concurrency/clock';
import { isJsonObject, type JsonObject } from '../../core/value/json';
import { isFlowError } from '../../core/errors/flow-error';
import { parseWith } from '../../core/schema/issues';
import { columnsOf } from '../../io/formats/rejects-csv-reader';

/** Settings that read a step's table as it is in the source, without grouping or omitting rows. */
const AS_IT_STANDS = { groupBy: undefined, emptyValues: 'TEXT', resetCheckpoint: undefined };

/**
 * The columns of the table that an extract step with this configuration reads, in their order. They are needed because records have no
 * field for an empty cell. Empty if it reads no table, or if the file was deleted.
 */
export async function sourceColumns(config: JsonObject, files: FileStore): Promise<readonly string[]> {
    const { adapterCode, rows, hasHeader } = config;
    const hasNames = Array.isArray(rows) && isJsonObject(rows[0]);
    try {
        if (adapterCode !== 'csv' || hasNames || hasHeader === false)
            return Object.keys((await firstRecord(config, files)) ?? {});
        // Reads the header itself, because a table may have no valid row.
        const header = await firstRecord({ ...config, hasHeader: false }, files);
        return header ? columnsOf(Object.values(header)) : [];
    } catch (error) {
        // The file then only has the fields of the records.
        if (!isFlowError(error)) throw error;
        return [];
    }
}

async function firstRecord({ adapterCode, ...config }: JsonObject, files: FileStore): Promise<JsonObject | undefined> {
    const extractor = [csv, xlsx].find(({ code }) => code === adapterCode);
    const parsed = extractor && parseWith(extractor.config, { ...config, ...AS_IT_STANDS });
    if (!extractor || !parsed?.ok) return undefined;
    for await (const { records } of extractor.extract(parsed.value, contextOf(files)))
        if (records[0]) return records[0];
    return undefined;
}

function contextOf(files: FileStore): ExtractContext {
    const unsaid = (): void => undefined;
    return {
        ...noResources,
        files,
        stepKey: '',
        mode: 'preview',
        signal: new AbortController().signal,
        log: { debug: unsaid, info: unsaid, warn: unsaid, error: unsaid },
        clock: systemClock,
        outbound: noNetwork,
        platform: undefined,
        resumeFrom: undefined,
        limit: undefined,
    };
}

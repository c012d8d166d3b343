import { csv } from '../../adapters/extractors/csv';
import { xlsx } from '../../adapters/extractors/xlsx';
import type { ExtractContext } from '../../core/adapter/extractor';
import type { FileStore } from '../../core/adapter/files';
import { noNetwork } from '../../core/adapter/http';
import { noResources } from '../../core/adapter/no-resources';
import { systemClock } from '../../core/data/clock';
import type { JsonObject } from '../../core/data/json';
import { isFlowError } from '../../core/errors/flow-error';
import { parseWith } from '../../core/schema/issues';

/** A step's table without what joins and thins out its rows: as it stands in the source. */
const AS_IT_STANDS = { groupBy: undefined, emptyValues: 'TEXT', resetCheckpoint: undefined };

/**
 * The columns of the table that an extract step of this configuration reads, in their order: records have no field for an empty cell. None where
 * it reads no table, or where the file is gone.
 */
export async function sourceColumns(
    { adapterCode, ...config }: JsonObject,
    files: FileStore,
): Promise<readonly string[]> {
    const extractor = [csv, xlsx].find(({ code }) => code === adapterCode);
    const parsed = extractor && parseWith(extractor.config, { ...config, ...AS_IT_STANDS });
    if (!extractor || !parsed?.ok) return [];
    try {
        for await (const { records } of extractor.extract(parsed.value, contextOf(files)))
            if (records[0]) return Object.keys(records[0]);
    } catch (error) {
        // The records themselves tell enough then.
        if (!isFlowError(error)) throw error;
    }
    return [];
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
        http: noNetwork,
        platform: undefined,
        resumeFrom: undefined,
        limit: undefined,
    };
}

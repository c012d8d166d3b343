import { csv } from '../../../adapters/extractors/csv';
import { jsonExtractor } from '../../../adapters/extractors/json';
import { xlsx } from '../../../adapters/extractors/xlsx';
import { xml } from '../../../adapters/extractors/xml';
import type { StepLog } from '../../../core/adapter/context';
import type { ExtractContext, Page } from '../../../core/adapter/extractor';
import { noNetwork } from '../../../core/adapter/outbound';
import { noResources } from '../../../core/adapter/no-resources';
import { systemClock } from '../../../core/concurrency/clock';
import type { JsonObject, JsonValue } from '../../../core/value/json';
import { flowError } from '../../../core/errors/flow-error';
import { parseConfig } from '../../../core/steps/parse-config';
import { MessageSizeLimit } from './message-size-limit';
import type { JobContext } from './messages';
import { localSource } from './local-source';
import { LogLines } from './log-lines';

/** Extractors that read uploaded files. */
export const FILE_EXTRACTORS = [csv, jsonExtractor, xml, xlsx] as const;

/** The settings of a job that reads a source. */
export interface ExtractSettings {
    readonly code: string;
    /** The configuration of the step, without its adapter. */
    readonly config: JsonObject;
    readonly stepKey: string;
    readonly limit: number | null;
    readonly resumeFrom: JsonValue;
    /** The file with its row's columns and the path of its content. Null if there is no such file. */
    readonly file: (JsonObject & { readonly path: string }) | null;
}

/**
 * Reads the pages of an uploaded file, up to the requested number of records. Sends the records and issues of a page one by one, and then its checkpoint, which
 * ends the page. As one text, a page would block the server's event loop while it is parsed.
 */
export async function extractJob({ settings, send }: JobContext): Promise<JsonObject> {
    const lines = new LogLines(send);
    const held = new MessageSizeLimit();
    for await (const { records, faults: issues = [], checkpoint, placeOf } of pagesOfSource(
        settings as unknown as ExtractSettings,
        lines.log,
    )) {
        for (const [index, record] of records.entries()) {
            held.take(record);
            await send({ record, place: placeOf?.(index) ?? null });
        }
        for (const issue of issues as unknown as readonly JsonObject[]) {
            held.take(issue);
            await send({ fault: issue });
        }
        await send({ checkpoint: checkpoint ?? null });
    }
    await lines.sent();
    return {};
}

/** The pages of an uploaded file with at most as many records as requested. */
export async function* pagesOfSource(
    { code, config, stepKey, limit, resumeFrom, file }: ExtractSettings,
    log: StepLog,
): AsyncGenerator<Page, void, void> {
    const extractor = FILE_EXTRACTORS.find(known => known.code === code);
    if (!extractor) throw flowError('BUG', { problem: `${code} was sent as an extractor of files` });
    const found = file ? { ...file, content: localSource(file.path) } : undefined;
    const cx: ExtractContext = {
        ...noResources,
        files: { find: async () => found as never },
        stepKey,
        mode: 'preview',
        signal: new AbortController().signal,
        log,
        clock: systemClock,
        outbound: noNetwork,
        platform: undefined,
        resumeFrom: resumeFrom ?? undefined,
        limit: limit ?? undefined,
    };
    let read = 0;
    for await (const page of extractor.extract(parseConfig(stepKey, extractor.config, config) as never, cx)) {
        yield limit === null ? page : { ...page, records: page.records.slice(0, limit) };
        read += page.records.length + (page.faults?.length ?? 0);
        if (limit !== null && read >= limit) return;
    }
}

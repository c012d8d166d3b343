import { createHash } from 'node:crypto';
import { phrase } from '../../core/log/log-events';
import type { ExtractContext, Page, SavedCheckpoint } from '../../core/adapter/extractor';
import { logEvent } from '../../core/adapter/log-event';
import { asFlowError, type FlowError } from '../../core/errors/flow-error';
import { canonicalJson, type JsonObject, type JsonValue } from '../../core/value/json';
import { show } from '../../core/value/show';
import type { RemoteFile, RemoteFiles } from '../../io/remote/remote-files';
import { isSame } from '../../io/remote/verified-bytes';
import { openRemote } from '../remote-files/open-remote';
import type { RemoteAction } from '../remote-files/remote-action';
import { pageSize } from './managed-file';
import { yieldToEventLoop } from './paging';
import { LAST_RUN } from './remote-config';
import { openContent } from './remote-content';
import {
    checkpointOf,
    nextRunAfter,
    nextRunOf,
    remotePositionOf,
    type RemotePosition,
    withRead,
} from './remote-position';
import type { RemoteReading } from './remote-reading';
import { pendingFiles } from './pending-files';
import { FILE_CHANGED } from './watched-file';

/** Errors of a single file: the other files may be read. */
const OF_ONE_FILE: ReadonlySet<string> = new Set([
    'SOURCE_MALFORMED',
    'FILE_UNREADABLE',
    'REMOTE_FILE_NOT_FOUND',
    'REMOTE_FILE_CHANGED',
    'REMOTE_FILE_TOO_LARGE',
    'REMOTE_REFUSED',
    'OUTBOUND_TOO_LARGE',
]);

/** The records of all files, one after another. */
export async function* remotePages(reading: RemoteReading, cx: ExtractContext): AsyncGenerator<Page, void, void> {
    let place = remotePositionOf(cx.resumeFrom);
    const files = await openRemote(reading.target, cx);
    try {
        const { found, count, isPart } = await pendingFiles(files, { reading, place, cx });
        let records = 0;
        for (const [index, file] of found.entries()) {
            if (place.read >= reading.maxFiles) {
                const left = count - index;
                const most = reading.maxFiles;
                logEvent(cx.log, 'REMOTE_FILES_LEFT', { most, left, file: show(file.path) });
                const nextRun = nextRunAfter(place, isByCompleted(reading, cx));
                yield { records: [], isPart: phrase('HAS_MORE_FILES'), nextRun };
                return;
            }
            for await (const { page, at } of pagesOfFile({ files, file, reading, place }, cx)) {
                place = at;
                yield page;
                records += page.records.length + (page.faults?.length ?? 0);
                if (cx.limit !== undefined && records >= cx.limit) return;
            }
        }
        const gaps = isPart ?? lackOf(place, found.length);
        // All files after the position of earlier runs are read, so the next run does not need it.
        const nextRun = place.after && (isByCompleted(reading, cx) ? nextRunOf(place) : 'beginning');
        if (gaps !== undefined || nextRun)
            yield { records: [], ...(gaps !== undefined && { isPart: gaps }), ...(nextRun && { nextRun }) };
    } finally {
        files.close();
    }
}

function lackOf({ after, read, hasRows }: RemotePosition, found: number): string | undefined {
    if (after) return `was read from after ${show(after.path)}, where the previous run stopped`;
    if (found === 0 && read === 0) return phrase('HAS_NOTHING_TO_READ');
    // Files of which only the header has arrived look the same as files that lost their records.
    return hasRows === true ? undefined : phrase('HAS_NO_FILE_WITH_RECORDS');
}

interface OfFile {
    readonly files: RemoteFiles;
    readonly file: RemoteFile;
    readonly reading: RemoteReading;
    readonly place: RemotePosition;
}

interface PlacedPage {
    readonly page: Page;
    readonly at: RemotePosition;
}

async function* pagesOfFile(of: OfFile, cx: ExtractContext): AsyncGenerator<PlacedPage, void, void> {
    const { files, file, reading } = of;
    let at: RemotePosition = begunAt(of);
    const isIncremental = isByCompleted(reading, cx);
    const over = (isRead: boolean): RemotePosition => {
        const hasLeftOut = at.hasLeftOut === true || !isRead;
        const newest = hasLeftOut ? at.newest : withRead(at.newest ?? at.since, file);
        return { ...at, isOver: true, read: at.read + 1, newest, ...(hasLeftOut && { hasLeftOut }) };
    };
    const last = (position: RemotePosition): Pick<Page, 'checkpoint' | 'nextRun'> => ({
        checkpoint: checkpointOf(position),
        ...(isIncremental && { nextRun: nextRunOf(position) }),
    });
    try {
        for await (const page of recordsOf({ ...of, skip: at.rows }, cx)) {
            const { records, faults: issues = [] } = page.page;
            const hasRows = at.hasRows === true || records.length + issues.length > 0;
            at = { ...at, rows: page.rows, ...(hasRows && { hasRows }) };
            yield { page: { ...page.page, checkpoint: checkpointOf(at) }, at };
        }
        at = over(true);
        const afterSuccess = cx.mode === 'live' ? actionsFor(of) : [];
        yield { page: { records: [], ...last(at), ...(afterSuccess.length > 0 && { afterSuccess }) }, at };
    } catch (thrown) {
        cx.signal.throwIfAborted();
        const error = asFlowError(thrown);
        if (!reading.config.continueOnError || !OF_ONE_FILE.has(error.code)) throw thrown;
        if (cx.reference && FILE_CHANGED.has(error.code)) throw thrown;
        logEvent(cx.log, 'REMOTE_FILE_SKIPPED', { host: files.host, error });
        at = { ...over(false), hasRows: true };
        yield { page: { records: [], faults: [faultOf(file, error)], ...last(at) }, at };
    }
}

function begunAt({ place, file }: OfFile): RemotePosition {
    const { read, since, newest, after, hasLeftOut, hasRows } = place;
    const isGoneOn =
        !place.isOver && place.file !== undefined && place.file.path === file.path && isSame(place.file, file);
    return { file, rows: isGoneOn ? place.rows : 0, isOver: false, read, since, newest, after, hasLeftOut, hasRows };
}

interface FilePage {
    readonly page: Page;
    readonly rows: number;
}

async function* recordsOf(
    { files, file, reading, skip }: OfFile & { readonly skip: number },
    cx: ExtractContext,
): AsyncGenerator<FilePage, void, void> {
    if (file.size === 0) {
        logEvent(cx.log, 'REMOTE_FILE_EMPTY', { file: file.path });
        yield { rows: skip, page: { records: [], isPart: phrase('HAS_EMPTY_FILE') } };
        return;
    }
    const { reader, release } = await openContent({ files, file, config: reading.config }, cx);
    try {
        // An earlier part of the run has checked what it read, and it is the same file.
        if (skip === 0 && cx.mode !== 'preview') {
            const { rows } = await reader.check();
            logEvent(cx.log, 'REMOTE_FILE_CHECKED', { rows, file: file.path });
        }
        const told = reading.metadata?.(file);
        for await (const { records, faults: issues, rows, placeOf: within } of reader.read({
            skip,
            pageSize: pageSize(cx),
        })) {
            await yieldToEventLoop(cx);
            const marked = told ? records.map(record => ({ ...record, [told.field]: told.value })) : records;
            const placeAt = (index: number): string | undefined => inFile(file, within(index));
            const placed = issues.map(issue => ({ ...issue, place: inFile(file, issue.place) }));
            yield { rows, page: { records: marked, placeOf: placeAt, ...(placed.length > 0 && { faults: placed }) } };
        }
    } finally {
        await release();
    }
}

function inFile({ path }: RemoteFile, place: string | undefined): string {
    return place === undefined ? path : `${path}, ${place}`;
}

function faultOf({ path, size, modifiedAt }: RemoteFile, { message }: FlowError): NonNullable<Page['faults']>[number] {
    const modified = modifiedAt === undefined ? null : new Date(modifiedAt).toISOString();
    return {
        index: 0,
        data: { file: path, size, modified },
        path,
        problem: message.replace(/\.$/, ''),
        isFile: true,
        place: path,
    };
}

function actionsFor({ file, reading }: OfFile): readonly JsonObject[] {
    const wantedAction = reading.afterwards?.(file);
    if (!wantedAction) return [];
    const action: RemoteAction = { kind: 'remote', ...wantedAction, file };
    return [JSON.parse(JSON.stringify(action)) as JsonObject];
}

/** The scope of a step's checkpoint: the folder, the names that are read, and how the files are read. */
export function remoteCheckpoint(
    {
        connectionCode,
        target,
        under,
        names,
        config,
    }: Pick<RemoteReading, 'connectionCode' | 'target' | 'under' | 'names' | 'config'>,
    cx: Pick<ExtractContext, 'reference'>,
): SavedCheckpoint {
    const { format, csv, json, xml, xlsx, groupBy } = config;
    const { host, bucket, endpoint } = target.settings;
    const folder = canonicalJson(plain({ connectionCode, host, bucket, endpoint, under, names }));
    const configuration = canonicalJson(plain({ format, csv, json, xml, xlsx, groupBy }));
    const { reference } = cx;
    const file = reference && canonicalJson(plain({ ...reference }));
    const of = { folder, configuration, ...(file !== undefined && { file }) };
    const isIncremental = isByCompleted({ config }, cx);
    // A change of the format options must not cause all files to be read again.
    const key = createHash('sha256')
        .update(isIncremental ? folder : folder + configuration + (file ?? ''))
        .digest('hex');
    const by = isIncremental ? 'completed' : reference ? undefined : 'both';
    return { key, startOver: false, ...(by && { by }), of };
}

/** If the run is about one file, other files that have been read do not matter. */
function isByCompleted(
    { config }: Pick<RemoteReading, 'config'>,
    { reference }: Pick<ExtractContext, 'reference'>,
): boolean {
    return config.modifiedAfter === LAST_RUN && reference === undefined;
}

function plain(value: Readonly<Record<string, unknown>>): JsonValue {
    return JSON.parse(JSON.stringify(value)) as JsonValue;
}

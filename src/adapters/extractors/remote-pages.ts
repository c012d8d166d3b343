import { createHash } from 'node:crypto';
import type { ExtractContext, Page, SavedCheckpoint } from '../../core/adapter/extractor';
import { ownLine } from '../../core/adapter/own-line';
import { readMoment } from '../../core/data/moment';
import { asFlowError, type FlowError } from '../../core/errors/flow-error';
import { canonicalJson, type JsonObject, type JsonValue } from '../../core/value/json';
import { LIST_BOUNDS, type RemoteFile, type RemoteFiles } from '../../io/remote/remote-files';
import { isPartName } from '../../io/remote/part-name';
import { isSame } from '../../io/remote/steady-bytes';
import { openRemote, type RemoteTarget } from '../remote-files/open-remote';
import { isRemoteAction, type RemoteAction } from '../remote-files/remote-action';
import { pageSize } from './managed-file';
import { breathe } from './paging';
import { LAST_RUN, type RemoteConfig } from './remote-config';
import { openContent } from './remote-content';
import {
    checkpointOf,
    oldFilesFirst,
    nextRunOf,
    remotePlaceOf,
    type RemotePlace,
    wasRead,
    withRead,
} from './remote-place';
import { NOT_AS_FOUND, referenced } from './watched-file';

/** What of which folder is read, and what becomes of it. */
export interface RemoteReading {
    readonly target: RemoteTarget;
    /** The step's own words of it, for its checkpoint and for what is done afterwards. */
    readonly connectionCode: string | undefined;
    readonly config: RemoteConfig;
    readonly under: string;
    readonly recursive: boolean;
    /** Of files below `under`, by their paths. */
    matches(path: string): boolean;
    readonly maxFiles: number;
    /** Files of just that moment are read as well. */
    readonly isInclusive: boolean;
    /** Under which field a record says where it comes from, and what; undefined where it does not. */
    readonly metadata?: (file: RemoteFile) => { readonly field: string; readonly value: JsonObject };
    /** Where a file goes once the run has completed; undefined where it stays. */
    readonly afterwards?: (file: RemoteFile) => Pick<RemoteAction, 'action' | 'to'> | undefined;
}

/** What is wrong with a file alone: the others may be read. */
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
    let place = remotePlaceOf(cx.resumeFrom);
    const files = await openRemote(reading.target, cx);
    try {
        const { found, isPart } = await wanted(files, { reading, place, cx });
        let records = 0;
        for (const [index, file] of found.entries()) {
            if (place.read >= reading.maxFiles) {
                const left = found.length - index;
                const most = reading.maxFiles;
                cx.log.warn(`${left} more files are there than the ${most} that a run reads; the next run reads on.`);
                yield { records: [], isPart: `has more files than the ${most} that a run reads` };
                return;
            }
            for await (const { page, at } of pagesOfFile({ files, file, reading, place }, cx)) {
                place = at;
                yield page;
                records += page.records.length + (page.faults?.length ?? 0);
                if (cx.limit !== undefined && records >= cx.limit) return;
            }
        }
        const lacks = isPart ?? (found.length === 0 && place.read === 0 ? 'has no file to read' : undefined);
        if (lacks !== undefined) yield { records: [], isPart: lacks };
    } finally {
        files.close();
    }
}

interface Wanted {
    readonly reading: RemoteReading;
    readonly place: RemotePlace;
    readonly cx: ExtractContext;
}

/** What is still to be read, in its order; a file that was begun comes first. */
async function wanted(
    files: RemoteFiles,
    { reading, place, cx }: Wanted,
): Promise<{ readonly found: readonly RemoteFile[]; readonly isPart?: string }> {
    const begun = place.isOver ? [] : [place.file!];
    const { under, recursive, config } = reading;
    const after = momentOf(config.modifiedAfter);
    const acknowledged = ((await cx.pendingActions?.()) ?? []).filter(isRemoteAction).map(({ file }) => file);
    const isPending = (file: RemoteFile): boolean =>
        acknowledged.some(one => one.path === file.path && isSame(one, file));
    if (cx.reference) return { found: await referenced(files, cx.reference, { place, isPending }) };
    const rest: RemoteFile[] = [];
    let isPart: string | undefined;
    for await (const page of files.list({ under, recursive, bounds: LIST_BOUNDS })) {
        cx.signal.throwIfAborted();
        if (page.isCut) isPart = 'was not listed to its end';
        for (const note of page.notes) cx.log.warn(note);
        for (const file of page.files)
            if (isWanted(file, { reading, after, place }) && !isPending(file)) rest.push(file);
    }
    rest.sort(oldFilesFirst);
    return { found: [...begun, ...rest], ...(isPart !== undefined && { isPart }) };
}

function isWanted(
    file: RemoteFile,
    {
        reading,
        after,
        place,
    }: { readonly reading: RemoteReading; readonly after: number | undefined; readonly place: RemotePlace },
): boolean {
    const { path, modifiedAt } = file;
    if (isPartName(path) || !reading.matches(path)) return false;
    if (place.file && oldFilesFirst(file, place.file) <= 0) return false;
    if (wasRead(file, place.since)) return false;
    if (after === undefined || modifiedAt === undefined) return true;
    return reading.isInclusive ? modifiedAt >= after : modifiedAt > after;
}

function momentOf(text: string | undefined): number | undefined {
    return text === undefined || text === LAST_RUN ? undefined : readMoment(text);
}

interface OfFile {
    readonly files: RemoteFiles;
    readonly file: RemoteFile;
    readonly reading: RemoteReading;
    readonly place: RemotePlace;
}

interface PlacedPage {
    readonly page: Page;
    readonly at: RemotePlace;
}

async function* pagesOfFile(of: OfFile, cx: ExtractContext): AsyncGenerator<PlacedPage, void, void> {
    const { files, file, reading } = of;
    let at: RemotePlace = begunAt(of);
    const isIncremental = isByCompleted(reading, cx);
    const over = (): RemotePlace => ({
        ...at,
        isOver: true,
        read: at.read + 1,
        newest: withRead(at.newest ?? at.since, file),
    });
    const last = (place: RemotePlace): Pick<Page, 'checkpoint' | 'nextRun'> => ({
        checkpoint: checkpointOf(place),
        ...(isIncremental && { nextRun: nextRunOf(place) }),
    });
    try {
        for await (const page of recordsOf({ ...of, skip: at.rows }, cx)) {
            at = { ...at, rows: page.rows };
            yield { page: { ...page.page, checkpoint: checkpointOf(at) }, at };
        }
        at = over();
        const afterSuccess = cx.mode === 'live' ? actionsFor(of) : [];
        yield { page: { records: [], ...last(at), ...(afterSuccess.length > 0 && { afterSuccess }) }, at };
    } catch (thrown) {
        cx.signal.throwIfAborted();
        const error = asFlowError(thrown);
        if (!reading.config.continueOnError || !OF_ONE_FILE.has(error.code)) throw thrown;
        if (cx.reference && NOT_AS_FOUND.has(error.code)) throw thrown;
        ownLine(cx.log, 'ERROR', `A file of ${files.host} is left out: ${error.message}`, { code: error.code });
        at = over();
        yield { page: { records: [], faults: [faultOf(file, error)], ...last(at) }, at };
    }
}

function begunAt({ place, file }: OfFile): RemotePlace {
    const { read, since, newest } = place;
    const isGoneOn =
        !place.isOver && place.file !== undefined && place.file.path === file.path && isSame(place.file, file);
    return { file, rows: isGoneOn ? place.rows : 0, isOver: false, read, since, newest };
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
        cx.log.warn(`The file ${file.path} is empty; nothing is read of it.`, { code: 'FILE_EMPTY' });
        yield { rows: skip, page: { records: [], isPart: 'has an empty file' } };
        return;
    }
    const { reader, release } = await openContent({ files, file, config: reading.config }, cx);
    try {
        // What an earlier part of the run has read of it has been checked then, and it is the same file.
        if (skip === 0 && cx.mode !== 'preview') {
            const { rows } = await reader.check();
            ownLine(
                cx.log,
                'INFO',
                `A file is sound and is read now: ${rows} record${rows === 1 ? '' : 's'} in ${file.path}.`,
                { rows },
            );
        }
        const told = reading.metadata?.(file);
        for await (const { records, faults, rows, placeOf: within } of reader.read({ skip, pageSize: pageSize(cx) })) {
            await breathe(cx);
            const marked = told ? records.map(record => ({ ...record, [told.field]: told.value })) : records;
            const placeAt = (index: number): string | undefined => inFile(file, within(index));
            const placed = faults.map(fault => ({ ...fault, place: inFile(file, fault.place) }));
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

/** Where a checkpoint of a step belongs: to the folder, and to how its files are read. */
export function savedPlace(
    { connectionCode, target, under, config }: Pick<RemoteReading, 'connectionCode' | 'target' | 'under' | 'config'>,
    cx: Pick<ExtractContext, 'reference'>,
): SavedCheckpoint {
    const { format, csv, json, xml, xlsx } = config;
    const { host, bucket, endpoint } = target.settings;
    const folder = canonicalJson(plain({ connectionCode, host, bucket, endpoint, under }));
    const configuration = canonicalJson(plain({ format, csv, json, xml, xlsx }));
    const { reference } = cx;
    const file = reference && canonicalJson(plain({ ...reference }));
    const of = { folder, configuration, ...(file !== undefined && { file }) };
    const isIncremental = isByCompleted({ config }, cx);
    // Whoever reads files in another way does not want all of them again.
    const key = createHash('sha256')
        .update(isIncremental ? folder : folder + configuration + (file ?? ''))
        .digest('hex');
    return { key, startOver: false, ...(isIncremental && { by: 'completed' }), of };
}

/** Where the run is about one file, what others have read is no matter of it. */
function isByCompleted(
    { config }: Pick<RemoteReading, 'config'>,
    { reference }: Pick<ExtractContext, 'reference'>,
): boolean {
    return config.modifiedAfter === LAST_RUN && reference === undefined;
}

function plain(value: Readonly<Record<string, unknown>>): JsonValue {
    return JSON.parse(JSON.stringify(value)) as JsonValue;
}

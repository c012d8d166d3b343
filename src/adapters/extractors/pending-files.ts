import type { ExtractContext } from '../../core/adapter/extractor';
import { phrase } from '../../core/log/log-events';
import { logEvent, writeEvent } from '../../core/adapter/log-event';
import { readTimestamp } from '../../core/data/timestamp';
import { show } from '../../core/value/show';
import { isPartName, wholeName } from '../../io/remote/part-name';
import { EXTRACT_BOUNDS, type RemoteFile, type RemoteFiles } from '../../io/remote/remote-files';
import { isSame } from '../../io/remote/verified-bytes';
import { isRemoteAction } from '../remote-files/remote-action';
import { OldestFiles } from './oldest-files';
import { LAST_RUN } from './remote-config';
import { oldFilesFirst, type RemotePosition, wasRead } from './remote-position';
import type { RemoteReading } from './remote-reading';
import { referenced } from './watched-file';

interface Wanted {
    readonly reading: RemoteReading;
    readonly place: RemotePosition;
    readonly cx: ExtractContext;
}

/** The files that are still to be read. */
interface Found {
    /** In reading order, a file that was begun first. Has one file more than the run may read if there are more. */
    readonly found: readonly RemoteFile[];
    /** The total number of these files. */
    readonly count: number;
    readonly isPart?: string;
}

/** Lists the whole folder and returns the oldest of the files that are still to be read. */
export async function pendingFiles(files: RemoteFiles, { reading, place, cx }: Wanted): Promise<Found> {
    const begun = place.isOver ? [] : [place.file!];
    const { under, recursive, config } = reading;
    const after = momentOf(config.modifiedAfter);
    const acknowledged = new Map<string, RemoteFile[]>();
    for (const { file } of ((await cx.pendingActions?.()) ?? []).filter(isRemoteAction))
        acknowledged.set(file.path, [...(acknowledged.get(file.path) ?? []), file]);
    const isPending = (file: RemoteFile): boolean =>
        acknowledged.get(file.path)?.some(one => isSame(one, file)) ?? false;
    if (cx.reference) {
        const found = await referenced(files, cx.reference, { place, isPending });
        return { found, count: found.length };
    }
    const rest = new OldestFiles(Math.max(1, reading.maxFiles - place.read + 1));
    let isPart: string | undefined;
    for await (const page of files.list({ under, recursive, bounds: EXTRACT_BOUNDS })) {
        cx.signal.throwIfAborted();
        if (page.isCut) isPart = phrase('HAS_UNLISTED_FILES');
        for (const note of page.notes) writeEvent(cx.log, note);
        // A link may lead to a file that would be read, or to a folder of them.
        if (page.links?.some(path => recursive || reading.matches(path)) === true) isPart ??= phrase('HAS_LINKS');
        for (const { path } of page.files) {
            if (!isPartName(path) || !reading.matches(wholeName(path))) continue;
            logEvent(cx.log, 'REMOTE_FILE_UNFINISHED', { file: show(path) });
            isPart ??= phrase('HAS_UNFINISHED_FILES');
        }
        for (const file of page.files)
            if (isWanted(file, { reading, after, place }) && !isPending(file)) rest.add(file);
    }
    const count = begun.length + rest.count;
    return { found: [...begun, ...rest.files], count, ...(isPart !== undefined && { isPart }) };
}

function isWanted(
    file: RemoteFile,
    {
        reading,
        after,
        place,
    }: { readonly reading: RemoteReading; readonly after: number | undefined; readonly place: RemotePosition },
): boolean {
    const { path, modifiedAt } = file;
    if (isPartName(path) || !reading.matches(path)) return false;
    const before = place.file ?? place.after;
    if (before && oldFilesFirst(file, before) <= 0) return false;
    if (wasRead(file, place.since)) return false;
    if (after === undefined || modifiedAt === undefined) return true;
    return reading.isInclusive ? modifiedAt >= after : modifiedAt > after;
}

function momentOf(text: string | undefined): number | undefined {
    return text === undefined || text === LAST_RUN ? undefined : readTimestamp(text);
}

import { z } from 'zod';
import type { FileWatch } from '../adapter/source-reference';
import { defineTrigger } from '../adapter/trigger';
import { connectionCode, ignoreCase, namePattern, wholeNumber } from '../schema/fields';

const fileWatch = z.strictObject({
    connectionCode: connectionCode(['FTP', 'SFTP', 'OBJECT_STORAGE'], {
        title: 'Connection',
        description: 'The saved connection to the server or bucket to watch.',
    }),
    path: z
        .string()
        .max(1_024)
        .regex(/^(?!(?:.*\/)?\.\.(?:\/|$))\P{Cc}*$/u, 'allowed: one line, without a part ..')
        .meta({
            title: 'Folder',
            description:
                "The folder to watch, for example /out/stock; empty for the user's home folder. For object storage, the prefix of the keys, for example incoming/; empty for the whole bucket.",
        }),
    pattern: namePattern('The file names to read, for example stock-*.{csv,txt}.').optional(),
    ignoreCase,
    recursive: z
        .boolean()
        .default(true)
        .meta({ title: 'With folders within it', description: 'Includes files in subfolders.' }),
    minFileAge: wholeNumber(
        { min: 0, max: 604_800 },
        {
            title: 'Minimum age',
            description:
                'The minimum number of seconds since the last change of a file before it is read: 0 to 604,800. 0: no minimum.',
        },
    ).default(30),
    pollIntervalMs: wholeNumber(
        { min: 30_000, max: 86_400_000 },
        {
            title: 'Interval',
            description: 'How often the folder is listed, in milliseconds: 30,000 to 86,400,000 (a day).',
        },
    ).default(300_000),
});

/** What a FILE trigger is configured to, as its schema gives it. */
export interface FileTriggerConfig {
    readonly enabled: boolean;
    readonly fileWatch: FileWatch & {
        readonly pattern?: string;
        readonly ignoreCase?: boolean;
        readonly minFileAge: number;
        readonly pollIntervalMs: number;
    };
}

/** The trigger FILE: a new file on a server or in a bucket starts the pipeline. */
export const file = defineTrigger({
    code: 'FILE',
    title: 'File elsewhere',
    summary: 'Starts the pipeline for each new file in a folder of an FTP or SFTP server or in a bucket.',
    config: z.strictObject({
        enabled: z
            .boolean()
            .default(true)
            .meta({ title: 'Enabled', description: 'A disabled trigger does not start runs.' }),
        fileWatch: fileWatch.meta({
            title: 'Watched folder',
            description: 'Where files arrive and which of them are read.',
        }),
    }),
    notes: [
        'Each file starts a separate run that reads only this file. The trigger leads directly to one or more ftp or objectStorage steps with the same connection. Their own folder, names and limits apply only to runs of other triggers.',
        'A file is read when two consecutive listings show it with the same size and time and it has not changed for the minimum age. After a poll that finds something new, the next poll follows half a minute later.',
        'A file is identified by its connection, path, size and modification time, in object storage also by its ETag. It does not start a second run while it exists and for seven days after it was last seen. An overwritten file is a new file.',
        'If the run of a file fails or is cancelled, the file is read again, first after five minutes and later after up to six hours, until a run completes or the file is deleted.',
        'At most 500 triggers can watch folders. For each one, at most 10,000 entries, 20 folder levels and 1,000 pages are listed; a warning of the trigger reports if there are more. Links, hidden .part files and names that lead elsewhere are skipped.',
    ],
});

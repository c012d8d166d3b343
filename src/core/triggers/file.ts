import { z } from 'zod';
import type { FileWatch } from '../adapter/source-reference';
import { defineTrigger } from '../adapter/trigger';
import { connectionCode, ignoreCase, namePattern, wholeNumber } from '../schema/fields';

const fileWatch = z.strictObject({
    connectionCode: connectionCode(['FTP', 'SFTP', 'OBJECT_STORAGE'], {
        title: 'Connection',
        description: 'The saved connection of the server or bucket that is watched.',
    }),
    path: z
        .string()
        .max(1_024)
        .regex(/^(?!(?:.*\/)?\.\.(?:\/|$))\P{Cc}*$/u, 'allowed: one line, without a part ..')
        .meta({
            title: 'Folder',
            description:
                'The folder that is watched: /out/stock; empty for the one where the user lands. Of object storage what the keys begin with: incoming/; empty for the whole bucket.',
        }),
    pattern: namePattern('Which names are taken: stock-*.{csv,txt}.').optional(),
    ignoreCase,
    recursive: z
        .boolean()
        .default(true)
        .meta({ title: 'With folders within it', description: 'Files in the folders within it are taken as well.' }),
    minFileAge: wholeNumber(
        { min: 0, max: 604_800 },
        {
            title: 'Minimum age',
            description:
                'The number of seconds since the last change of a file before it is taken: 0 to 604,800. 0: no minimum.',
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
    summary: 'Starts the pipeline for each new file in a folder of an FTP or SFTP server, or in a bucket.',
    config: z.strictObject({
        enabled: z
            .boolean()
            .default(true)
            .meta({ title: 'Enabled', description: 'A trigger that is not enabled starts nothing.' }),
        fileWatch: fileWatch.meta({
            title: 'Watched folder',
            description: 'Where files come, and which of them are taken.',
        }),
    }),
    notes: [
        'Each file starts a separate run, which reads only that file: the trigger leads directly to one or more ftp or objectStorage steps with the same connection, whose own folder, names and limits apply to runs of other triggers.',
        'A file is taken when two listings in a row have shown it with the same size and time, and it has not been changed for the minimum age, by its own time or as long as it was watched. A poll that shows something new is followed by a second one half a minute later.',
        'A file is known by its connection, path, size and modification time, of object storage by its ETag as well. It starts no second run while it is there, and for seven days after it was last seen. An overwritten file is a new file.',
        'If the run of a file fails or is cancelled, the file is taken again, first after five minutes and later after up to six hours, until a run completes or the file is deleted.',
        'At most 500 triggers watch folders. For each, at most 10,000 entries, 20 folder levels and 1,000 pages are listed; a warning of the trigger reports what is beyond. Links, hidden .part files and names that lead elsewhere are skipped.',
    ],
});

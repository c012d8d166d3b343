import { clause, type FactText } from '../../core/errors/rendered';
import { z } from 'zod';
import { GROUPS, inGroup, shownIf } from '../../core/schema/groups';
import { readTimestamp } from '../../core/data/timestamp';
import { path, wholeNumber, withRules } from '../../core/schema/fields';
import { ENCODINGS } from '../../io/formats/decode';
import type { RowRules } from '../../io/formats/row-selection';
import { cellFields } from './csv-cells';
import { type GroupBy, groupBy, groupByProblems } from './group-by';
import { checkRowFields, rowFields } from './row-fields';

/** What a file elsewhere is read as. */
const REMOTE_FORMATS = ['CSV', 'JSON', 'XML', 'XLSX'] as const;
export type RemoteFormat = (typeof REMOTE_FORMATS)[number];

/** The newest that the last run that has completed has read. */
export const LAST_RUN = 'LAST_RUN';

const MAX_FILES = 10_000;

const flag = (title: string, description: string) => z.boolean().meta({ title, description });

/** How files are read, of every extractor of files elsewhere. */
export const remoteFields = {
    format: z.enum(REMOTE_FORMATS).optional().meta({
        title: 'Format',
        description: 'CSV, JSON (also NDJSON), XML or XLSX. Default: determined by the name of each file.',
    }),
    ...shownIf(
        { format: [null, 'CSV'] },
        inGroup(GROUPS.files, {
            csv: withRules(
                z.strictObject({
                    delimiter: z
                        .enum([',', ';', '\t', '|'])
                        .optional()
                        .meta({
                            title: 'Delimiter',
                            description:
                                'The delimiter: comma, semicolon, tab (which may be written as \\t) or |. Default: a comma; for .tsv files a tab.',
                            aliases: { '\\t': '\t' },
                        }),
                    header: flag(
                        'Header',
                        'Whether the first row, or the row in headerRow, contains the column names.',
                    ).default(true),
                    ...rowFields,
                    encoding: z.enum(ENCODINGS).optional().meta({
                        title: 'Encoding',
                        description: 'The encoding. UTF-8 and UTF-16 are detected.',
                    }),
                    trim: cellFields.trim.default(false),
                    formulaSafe: cellFields.formulaSafe.default(false),
                }),
                (given, issue) => checkRowFields(given, { hasHeader: given.header, headerField: 'header' }, issue),
            )
                .prefault({})
                .meta({ title: 'CSV', description: 'How CSV files are written.' }),
        }),
    ),
    ...shownIf(
        { format: [null, 'JSON'] },
        inGroup(GROUPS.files, {
            json: z
                .strictObject({
                    path: path('Path', 'The dot path of the list of records. Default: the whole document.').optional(),
                })
                .prefault({})
                .meta({ title: 'JSON', description: 'How JSON files are built.' }),
        }),
    ),
    ...shownIf(
        { format: [null, 'XML'] },
        inGroup(GROUPS.files, {
            xml: z
                .strictObject({
                    recordPath: z.string().min(1).max(1_000).optional().meta({
                        title: 'Record path',
                        description:
                            'The names of elements from the root to the records, joined by dots. Default: the children of the root.',
                    }),
                })
                .prefault({})
                .meta({ title: 'XML', description: 'How XML files are built.' }),
        }),
    ),
    ...shownIf(
        { format: [null, 'XLSX'] },
        inGroup(GROUPS.files, {
            xlsx: z
                .strictObject({
                    sheet: z
                        .union([z.string().min(1).max(255), z.int().min(0).max(10_000)])
                        .optional()
                        .meta({
                            title: 'Sheet',
                            description:
                                'The name of the sheet, or its index, starting with 0. Default: the first visible sheet.',
                            widget: 'text',
                        }),
                    ...rowFields,
                })
                .prefault({})
                .meta({ title: 'Excel', description: 'How workbooks are read.' }),
        }),
    ),
    ...shownIf({ format: [null, 'CSV', 'XLSX'] }, inGroup(GROUPS.files, { groupBy })),
    ...inGroup(GROUPS.files, {
        continueOnError: flag(
            'Continue after errors',
            'If true, a file that cannot be read is rejected as a whole, with the reason, and the other files are read. If false, it fails the run.',
        ).default(true),
        deleteAfterProcess: flag('Delete afterwards', 'Deletes each file after the run has completed.').default(false),
    }),
} as const;

/** From when on files are read. */
export function modifiedAfter(description: string) {
    return z
        .string()
        .max(40)
        .refine(text => text === LAST_RUN || readTimestamp(text) !== undefined, `allowed: an ISO date, or ${LAST_RUN}`)
        .optional()
        .meta({ title: 'Modified after', description });
}

/** How many files a run reads. */
export function maxFiles(title: string, description: string) {
    return wholeNumber({ min: 1, max: MAX_FILES }, { title, description });
}

/** As the schemas have checked it. */
export interface RemoteConfig {
    readonly format?: RemoteFormat | undefined;
    readonly csv: RowRules & {
        readonly delimiter?: string | undefined;
        readonly header: boolean;
        readonly encoding?: (typeof ENCODINGS)[number] | undefined;
        readonly trim: boolean;
        readonly formulaSafe: boolean;
    };
    readonly json: { readonly path?: string | undefined };
    readonly xml: { readonly recordPath?: string | undefined };
    readonly xlsx: RowRules & { readonly sheet?: string | number | undefined };
    readonly groupBy?: GroupBy;
    readonly continueOnError: boolean;
    readonly deleteAfterProcess: boolean;
    readonly modifiedAfter?: string | undefined;
}

/** Reports what groupBy cannot do. */
export function checkRemoteGroups(
    { groupBy: given, format }: { readonly groupBy?: unknown; readonly format?: unknown },
    issue: (path: string, problem: FactText) => void,
): void {
    if (given === undefined) return;
    if (format === 'JSON' || format === 'XML')
        issue('groupBy', clause`is for rows of CSV and Excel; the format is ${format}`);
    for (const { path, problem } of groupByProblems(given as GroupBy)) issue(path, problem);
}

/** Both would be done to the same file. */
export function checkAfterwards(
    {
        deleteAfterProcess,
        moveAfterProcess,
    }: { readonly deleteAfterProcess?: unknown; readonly moveAfterProcess?: unknown },
    target: 'destinationPrefix' | 'destinationPath',
    issue: (path: string, problem: FactText) => void,
): void {
    const move = (moveAfterProcess ?? {}) as { readonly enabled?: unknown; readonly [target: string]: unknown };
    if (move.enabled !== true) return;
    if (deleteAfterProcess === true)
        issue('deleteAfterProcess', clause`is true, and moveAfterProcess is enabled; only one of them can be done`);
    if (move[target] === undefined) issue(`moveAfterProcess.${target}`, clause`is missing; moving needs it`);
}

/** Of notes. */
export const remoteNotes = [
    'Files are read in the order of their modification time, then of their names. Each file is downloaded once to a temporary copy and validated as a whole, so that nothing is loaded from a malformed file; then its records are read in constant memory. A file that changes during the download is not read. After a lost connection, the download resumes at its offset.',
    'Files ending in .gz and .zip archives that contain one file are unpacked. Neither the file nor its unpacked content may be larger than security.maxRemoteFileBytes (2 GiB).',
    'The extension determines the format: .csv, .tsv and .txt are CSV; .json, .ndjson and .jsonl are JSON; .xml is XML; .xlsx is Excel. Files are read like managed files, with the same encodings and rejected rows.',
    'A file that cannot be read is a rejected record of the step, with the file and the reason, and the run ends PARTIAL; with continueOnError: false the run fails. Such a file is neither deleted nor moved.',
    `If a run fails or is cancelled, the next run of the same revision continues in the file and at the row where it stopped. With modifiedAfter ${LAST_RUN} it starts where the last completed run started instead; the first run and every dry run read everything.`,
    'Files are deleted or moved after the run is COMPLETED; this is retried until it succeeds, and flowRemoteActions lists what is pending. A file that has changed since is not touched. If the target already has a file with that name, the time of the moved file is added to its name.',
    'If there are more files than maxFiles, the run stops after that number, and its log says how many remain. The next run continues with them. Once all are read, the following run starts with the oldest file again (unless it was moved or deleted, or modifiedAfter excludes it). Such a run reads only a part of the source, so missing records are not handled.',
    'groupBy joins rows of CSV and Excel files, within each file.',
    'The folder or prefix is listed completely. Links, hidden .part files and names that lead elsewhere are skipped.',
];

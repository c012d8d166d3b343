import { z } from 'zod';
import { phrase } from '../../core/log/log-events';
import { type Advice, withoutEffect } from '../../core/adapter/base';
import type { AdapterContext } from '../../core/adapter/context';
import type { ExtractContext, Page, SavedCheckpoint } from '../../core/adapter/extractor';
import type { ManagedFile } from '../../core/adapter/files';
import { logEvent, writeEvent } from '../../core/adapter/log-event';
import type { LogText } from '../../core/log/log-text';
import { canonicalJson, type JsonObject } from '../../core/value/json';
import { flowError } from '../../core/errors/flow-error';
import { GROUPS } from '../../core/schema/groups';
import { EMPTY_VALUES } from '../../io/formats/empty-values';
import type { RecordReader } from '../../io/formats/source';
import { yieldToEventLoop, countFrom, PAGE_SIZE } from './paging';
import { addIssue } from '../../core/schema/issues';
import { clause, type FactText } from '../../core/errors/rendered';

/** The fields of every extractor of files. `replaces` are the fields for content in the step itself; a chosen file takes their place. */
export function fileFields(fileFormats: readonly string[], replaces: readonly string[] = []) {
    return {
        fileId: z
            .string()
            .min(1)
            .max(255)
            .optional()
            .meta({
                title: 'Managed file',
                description: 'An uploaded file. In a definition: its id.',
                widget: 'file',
                fileFormats,
                ...(replaces.length > 0 && { replaces }),
            }),
        resetCheckpoint: z.boolean().optional().meta({
            title: 'Start over',
            group: GROUPS.advanced,
            description:
                'Reads the file from its beginning and loads all of it. Otherwise, a run continues where an earlier, incomplete run of the same revision stopped in the same file, and does not load any record twice.',
        }),
    };
}

/** The extractor that reads uploaded files of each format. */
const EXTRACTOR_OF: ReadonlyMap<string, string> = new Map([
    ['csv', 'csv'],
    ['txt', 'csv'],
    ['json', 'json'],
    ['xml', 'xml'],
    ['xlsx', 'xlsx'],
]);

/** Why an extractor cannot read a file, and what to do, as the end of a sentence; undefined if it can. */
export function unreadable(format: string, formats: readonly string[]): FactText | undefined {
    if (formats.includes(format)) return undefined;
    const extractor = EXTRACTOR_OF.get(format);
    if (extractor === undefined) return clause`its format is ${format}, which nothing reads; save it as .xlsx`;
    return clause`its format is ${format}; this extractor reads ${formats.join(', ')}, and ${extractor} reads ${format}`;
}

/** Notes that apply to every extractor of files. */
export const fileNotes = [
    'A file is read twice, in constant memory: first to check all of it, so that nothing is loaded from a malformed file, then to read its records.',
    'For an uploaded file (`fileId`): if a run fails or is cancelled, the next run of the same revision continues at the first batch that was not loaded by all steps, and no step loads a batch twice, unless resetCheckpoint is set. The file is read from its beginning after a completed run, if it is another file, or if its settings have changed. A dry run reads all of it. Text and rows in the step itself are read from the beginning by each run, so amounts that are added (`stockAdjust` with ADD) are added again.',
    'If a file is missing, has expired or is empty, the log of the run shows an error, and the run has no records.',
];

/** What an empty cell or element becomes. */
export const emptyValues = z.enum(EMPTY_VALUES).default('ABSENT').meta({
    title: 'Empty values',
    description:
        'What an empty cell or element becomes: ABSENT (the record does not have the field), NULL (null) or TEXT (an empty text).',
});

/** Sends the warnings and hints of a reader to the log. */
export function warnTo({ log }: ExtractContext): (problem: LogText) => void {
    return problem => writeEvent(log, problem);
}

interface FileConfig {
    readonly fileId?: string | undefined;
    readonly resetCheckpoint?: boolean | undefined;
}

/** Requires exactly one source, and no field of another one. */
export function checkSources(
    config: FileConfig & Readonly<Record<string, unknown>>,
    inline: readonly string[],
    cx: z.RefinementCtx,
): void {
    const issue = (path: string, problem: FactText): void => addIssue(cx, problem, [path]);
    const all = ['fileId', ...inline];
    const given = all.filter(field => config[field] !== undefined);
    if (given.length === 0)
        issue(
            'fileId',
            all.length > 1
                ? clause`is missing: give one of ${all.join(', ')}`
                : clause`is missing: give the id of an uploaded file`,
        );
    for (const field of given.slice(1))
        issue(field, clause`give only one of ${all.join(', ')}; ${given[0]!} is given already`);
}

/** Warns of fields that only affect uploaded files if the step contains the source itself. */
export function adviseFile({ fileId, resetCheckpoint }: FileConfig): readonly Advice[] {
    if (fileId !== undefined || resetCheckpoint === undefined) return [];
    return [
        withoutEffect(
            'resetCheckpoint',
            clause`without fileId: text and rows in the step are always read from the beginning`,
        ),
    ];
}

/** Warns of an encoding that has no effect, because the text is part of the step. `text` names that text. */
export function adviseEncoding(
    { fileId, encoding }: { readonly fileId?: string | undefined; readonly encoding?: string | undefined },
    text: FactText,
): readonly Advice[] {
    if (fileId !== undefined || encoding === undefined) return [];
    return [withoutEffect('encoding', clause`without fileId: ${text} in the step has no encoding`)];
}

/**
 * A saved offset belongs to the file's id, its content, the revision and the reading options: with another delimiter,
 * sheet or path, the same number means another row.
 */
export async function savedOffset(
    { fileId, resetCheckpoint, ...how }: FileConfig,
    cx: AdapterContext,
): Promise<SavedCheckpoint | undefined> {
    const file = fileId === undefined ? undefined : await cx.files.find(fileId);
    return (
        file && {
            key: `${file.id} ${file.sha256} ${canonicalJson(how as JsonObject)}`,
            startOver: resetCheckpoint === true,
            of: { upload: file.id, content: file.sha256, configuration: canonicalJson(how as JsonObject) },
        }
    );
}

/** How a file is read. */
export interface FileReading {
    readonly fileId: string;
    /** The formats that the upload may have detected. */
    readonly formats: readonly string[];
    /** Returns the reader, and a function to call when reading is finished. */
    open(file: ManagedFile): Promise<{ readonly reader: RecordReader; readonly release?: () => Promise<void> }>;
    /** Checks what else must be valid before any record of the file is loaded. */
    judge?(reader: RecordReader): Promise<void>;
}

/**
 * The pages of a managed file. If the file does not exist or is empty, the page has no records and the log has an
 * error.
 */
export async function* filePages(
    { fileId, formats, open, judge }: FileReading,
    cx: ExtractContext,
): AsyncGenerator<Page, void, void> {
    const file = await cx.files.find(fileId);
    if (!file) {
        logEvent(cx.log, 'FILE_NOT_FOUND', { fileId });
        yield nothingOf(phrase('HAS_NO_FILE'));
        return;
    }
    const { filename } = file;
    if (file.size === 0) {
        logEvent(cx.log, 'FILE_EMPTY', { file: filename, fileId });
        yield nothingOf(EMPTY_FILE);
        return;
    }
    const problem = unreadable(file.format, formats);
    if (problem !== undefined) throw flowError('FILE_UNREADABLE', { filename, problem });
    const { reader, release } = await open(file);
    try {
        // An earlier part of the run, or an earlier run, has already checked what it read.
        if (cx.resumeFrom === undefined && cx.mode !== 'preview') {
            await checked(reader, file, cx);
            await judge?.(reader);
        }
        let isEmpty = cx.resumeFrom === undefined;
        for await (const page of pagesOf(reader, cx)) {
            isEmpty = false;
            yield page;
        }
        if (!isEmpty) return;
        if (cx.mode === 'preview') tellEmpty(file, cx);
        yield nothingOf(EMPTY_FILE);
    } finally {
        await release?.();
    }
}

const EMPTY_FILE = phrase('HAS_NO_RECORDS');

/** The reading is partial, so that the absence of records is not taken for their deletion at the source. */
function nothingOf(isPart: string): Page {
    return { records: [], isPart };
}

async function checked(reader: RecordReader, file: ManagedFile, cx: ExtractContext): Promise<void> {
    const { rows } = await reader.check();
    if (rows === 0) return tellEmpty(file, cx);
    logEvent(cx.log, 'FILE_CHECKED', { file: file.filename, rows, fileId: file.id });
}

function tellEmpty({ filename, id }: ManagedFile, { log }: ExtractContext): void {
    logEvent(log, 'FILE_WITHOUT_RECORDS', { file: filename, fileId: id });
}

/** Pages of a reader. The checkpoint is the number of rows that have been read. */
export async function* pagesOf(reader: RecordReader, cx: ExtractContext): AsyncGenerator<Page, void, void> {
    const skip = countFrom(cx.resumeFrom);
    let read = 0;
    for await (const { records, faults: issues, rows, placeOf } of reader.read({ skip, pageSize: pageSize(cx) })) {
        await yieldToEventLoop(cx);
        yield { records, checkpoint: rows, placeOf, ...(issues.length > 0 && { faults: issues }) };
        read += records.length + issues.length;
        if (cx.limit !== undefined && read >= cx.limit) return;
    }
}

/** At most the number of records in a preview. */
export function pageSize({ limit }: ExtractContext): number {
    return Math.min(PAGE_SIZE, Math.max(1, limit ?? PAGE_SIZE));
}

import { Inject, Injectable } from '@nestjs/common';
import type { JsonObject } from '../../core/value/json';
import { flowError } from '../../core/errors/flow-error';
import type { FlowManagedFile } from '../entities/managed-file';
import type { DetectedField } from './field-types';
import { Files } from './files';
import { fileStillExists } from './verified-stream';
import type { PreviewRead, PreviewRequest, ReadingMarks } from './preview-reading';

/** The beginning of a file as an extractor with its defaults would read it. */
export interface FilePreview extends ReadingMarks {
    readonly fields: readonly DetectedField[];
    readonly records: readonly JsonObject[];
    /** The number of rows in the file, including rows that are not records. */
    readonly totalRows: number;
    /** Whether there are more rows than are shown. */
    readonly truncated: boolean;
}

/** Reads the files in a process that may crash without harming the server. */
export abstract class PreviewReader {
    abstract read(file: FlowManagedFile, requested: PreviewRequest, signal: AbortSignal): Promise<PreviewRead>;
}

/** The maximum number and duration of concurrent previews, because each needs memory, in whatever process it runs. */
const MAX_PREVIEWS = 4;
const MAX_MS = 60_000;
/** When the client may try again. */
const RETRY_MS = 1_000;

/** Shows the content of a file. */
@Injectable()
export class FilePreviews {
    private underWay = 0;

    constructor(
        private readonly files: Files,
        @Inject(PreviewReader) private readonly reader: PreviewReader,
    ) {}

    /**
     * Some records from the beginning of a file, which is read completely. Throws FILE_PREVIEW_BUSY, FILE_PREVIEW_TIMEOUT, FILE_UNREADABLE,
     * SOURCE_MALFORMED, FILE_CORRUPT and TRIAL_PROCESS_LOST.
     */
    async preview(file: FlowManagedFile, requested: PreviewRequest, signal: AbortSignal): Promise<FilePreview> {
        if (this.underWay >= MAX_PREVIEWS)
            throw flowError('FILE_PREVIEW_BUSY', { count: this.underWay }, { waitMs: RETRY_MS });
        this.underWay++;
        const over = new AbortController();
        const timer = setTimeout(
            () => over.abort(flowError('FILE_PREVIEW_TIMEOUT', { filename: file.filename, seconds: MAX_MS / 1_000 })),
            MAX_MS,
        );
        try {
            return await this.within(file, requested, AbortSignal.any([signal, over.signal]));
        } finally {
            clearTimeout(timer);
            this.underWay--;
        }
    }

    private async within(file: FlowManagedFile, requested: PreviewRequest, signal: AbortSignal): Promise<FilePreview> {
        const { said, ...read } = await fileStillExists(file, () => this.reader.read(file, requested, signal));
        if (file.rows !== read.totalRows) await this.files.setCount(file, read.totalRows);
        return { ...read, ...said };
    }
}

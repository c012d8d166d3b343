import { Injectable } from '@nestjs/common';
import type { JsonObject } from '../../core/value/json';
import type { FlowManagedFile } from '../entities/managed-file';
import { Files } from '../files/files';
import type { PreviewRead, PreviewRequest } from '../files/preview-reading';
import { PreviewReader } from '../files/previews';
import { TestRunProcesses } from './process/test-run-processes';

/** Reads files for their previews in a process that the server can lose. */
@Injectable()
export class PreviewProcess extends PreviewReader {
    constructor(
        private readonly files: Files,
        private readonly processes: TestRunProcesses,
    ) {
        super();
    }

    async read(file: FlowManagedFile, requested: PreviewRequest, signal: AbortSignal): Promise<PreviewRead> {
        const { filename, format, encoding } = file;
        const local = await this.files.source(file).local(signal);
        try {
            const records: JsonObject[] = [];
            const settings = { path: local.path, file: { filename, format, encoding }, asked: requested };
            const rest = await this.processes.perform(
                { kind: 'preview', settings: settings as unknown as JsonObject },
                { signal, onItem: record => void records.push(record) },
            );
            return { ...(rest as unknown as Omit<PreviewRead, 'records'>), records };
        } finally {
            await local.release();
        }
    }
}

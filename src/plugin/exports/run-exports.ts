import { Inject, Injectable } from '@nestjs/common';
import { Logger, TransactionalConnection } from '@vendure/core';
import { createHash, randomUUID } from 'node:crypto';
import type { ExportDraft, ExportedFile, ExportPart, ExportStore } from '../../core/adapter/exports';
import type { ByteSource } from '../../core/adapter/files';
import { flowError } from '../../core/errors/flow-error';
import type { Database } from '../../database/database';
import type { Id } from '../../database/write';
import type { Blobs } from '../../io/storage/blobs';
import { ExportParts } from '../files/export-parts';
import { fileName } from '../files/file-name';
import { FileRemoval } from '../files/file-removal';
import { FileRows } from '../files/file-rows';
import type { FlowSetup } from '../setup';
import { FLOW_DATABASE, FLOW_FILES, FLOW_SETUP, LOG_CONTEXT } from '../tokens';

/** The number of parts that are deleted in parallel. */
const BATCH = 20;

/** The properties of a run that exports need. */
interface ExportingRun {
    readonly runId: Id;
    readonly channelId: Id;
}

/** Keeps the parts of exports in the storage of files, and makes managed files from them once they are complete. */
@Injectable()
export class RunExports {
    private readonly parts: ExportParts;
    private readonly files: FileRows;

    constructor(
        connection: TransactionalConnection,
        private readonly removal: FileRemoval,
        @Inject(FLOW_FILES) private readonly blobs: Blobs,
        @Inject(FLOW_DATABASE) database: Database,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {
        this.parts = new ExportParts(connection.rawConnection, database);
        this.files = new FileRows(connection.rawConnection, database);
    }

    forRun(run: ExportingRun): ExportStore {
        return {
            put: (stepKey, part, signal) => this.put({ ...run, stepKey }, part, signal),
            parts: async stepKey =>
                (await this.parts.all({ runId: run.runId, stepKey })).map(({ partKey, records, columns, blobKey }) => ({
                    key: partKey,
                    records,
                    columns,
                    open: signal => this.blobs.open(blobKey, signal),
                })),
            draft: (bytes, signal) => this.draft(run, bytes, signal),
            clear: stepKey => this.clear({ runId: run.runId, stepKey }),
        };
    }

    private async put(
        { runId, stepKey }: ExportingRun & { readonly stepKey: string },
        { key, records, columns, content }: ExportPart,
        signal: AbortSignal,
    ): Promise<void> {
        const blobKey = newKey();
        await this.blobs.put(blobKey, only(content), signal);
        // If this fails, the content is cleaned up later.
        const replaced = await this.parts.put({ runId, stepKey }, { partKey: key, records, columns, blobKey });
        if (replaced !== undefined) await this.discard(replaced);
    }

    private async draft(
        run: ExportingRun,
        bytes: AsyncIterable<Uint8Array>,
        signal: AbortSignal,
    ): Promise<ExportDraft> {
        const { maxFileSize } = this.setup.options.files;
        const blobKey = newKey();
        const hash = createHash('sha256');
        let size = 0;
        const measured = async function* (): AsyncGenerator<Uint8Array, void, void> {
            for await (const chunk of bytes) {
                size += chunk.length;
                if (size > maxFileSize)
                    throw flowError('EXPORT_TOO_LARGE', {
                        problem: `at most ${maxFileSize} bytes are allowed (plugin option files.maxFileSize)`,
                    });
                hash.update(chunk);
                yield chunk;
            }
        };
        await this.blobs.put(blobKey, measured(), signal);
        const sha256 = hash.digest('hex');
        let isKept = false;
        const content: ByteSource = {
            open: stop => this.blobs.open(blobKey, stop),
            local: stop => this.blobs.local(blobKey, stop),
        };
        return {
            size,
            sha256,
            content,
            publish: async file => {
                const id = await this.publish(run, file, { size, sha256, blobKey });
                isKept = true;
                return { id: String(id) };
            },
            discard: async () => {
                if (!isKept) await this.discard(blobKey);
            },
        };
    }

    private async publish(
        { channelId }: ExportingRun,
        { exportCode, filename, mimeType, format, records, keep }: ExportedFile,
        content: { readonly size: number; readonly sha256: string; readonly blobKey: string },
    ): Promise<Id> {
        const { maxFiles } = this.setup.options.files;
        const id = await this.files.insert(
            {
                ...content,
                exportCode,
                filename: fileName(filename),
                mimeType,
                format,
                channelId,
                encoding: format === 'xlsx' ? null : 'utf-8',
                rows: records,
                uploadedBy: null,
                expiresAt: null,
            },
            maxFiles,
        );
        for (const old of await this.files.olderOf({ channelId, exportCode, keep })) await this.removal.remove(old);
        return id;
    }

    private async clear(of: { readonly runId: Id; readonly stepKey: string }): Promise<void> {
        const parts = await this.parts.all(of);
        // All rows are deleted at once and first: a run that ends again finds either all of them with their content, or none.
        await this.parts.removeAll(of);
        for (let from = 0; from < parts.length; from += BATCH)
            await Promise.all(parts.slice(from, from + BATCH).map(({ blobKey }) => this.discard(blobKey)));
    }

    private async discard(key: string): Promise<void> {
        try {
            await this.blobs.delete(key);
        } catch (error) {
            // No one reads it any more; it is cleaned up later.
            Logger.warn(`The parts of an export could not be removed yet: ${String(error)}`, LOG_CONTEXT);
        }
    }
}

function newKey(): string {
    return randomUUID().replaceAll('-', '');
}

async function* only(content: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
    yield content;
}

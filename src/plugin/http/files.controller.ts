import { Controller, Delete, Get, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import { Ctx, type ID, RequestContext } from '@vendure/core';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { show } from '../../core/value/show';
import { flowError } from '../../core/errors/flow-error';
import { type Encoding, ENCODINGS } from '../../io/formats/decode';
import type { FlowManagedFile } from '../entities/managed-file';
import { Files } from '../files/files';
import { type FilePreview, FilePreviews } from '../files/previews';
import { manageFlowFilesPermission, readFlowFilesPermission } from '../permissions';
import type { FlowSetup } from '../setup';
import { PublicIds } from '../../platform/public-ids';
import { FLOW_SETUP } from '../tokens';
import { type HttpRequest, type HttpResponse, untilDisconnected } from './exchange';
import { downloadHeaders, type FileResponse, fileResponse } from './file-response';
import { FileRoute } from './file-route';
import { knownOnly, type QueryValues } from './query';
import { readUpload } from './upload-body';
import { UploadRate } from './upload-rate';
import { wholeNumberOf } from './whole-number';

const UPLOADS_PER_MINUTE = 60;

interface OneFile {
    readonly success: true;
    readonly file: FileResponse;
}

/** The managed files of the active channel over REST. A body is only read after the sender's permission has been checked. */
@Controller('flow')
export class FilesController {
    private readonly rate = new UploadRate(UPLOADS_PER_MINUTE, Date.now);

    constructor(
        private readonly files: Files,
        private readonly previews: FilePreviews,
        private readonly ids: PublicIds,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    @Post('upload')
    @FileRoute(manageFlowFilesPermission.Permission)
    async upload(
        @Ctx() ctx: RequestContext,
        @Req() request: HttpRequest,
        @Res({ passthrough: true }) response: HttpResponse,
    ): Promise<OneFile> {
        this.rate.take(String(ctx.activeUserId));
        const signal = untilDisconnected(response);
        const { maxFileSize } = this.setup.options.files;
        const file = await readUpload(request, {
            maxFileSize,
            signal,
            use: upload => this.files.store(ctx, upload, signal),
        });
        return { success: true, file: this.response(file) };
    }

    @Get('files')
    @FileRoute(readFlowFilesPermission.Permission, manageFlowFilesPermission.Permission)
    async list(
        @Ctx() ctx: RequestContext,
        @Query() query: QueryValues,
    ): Promise<{ items: FileResponse[]; totalItems: number }> {
        const { limit = '20', offset = '0', mimeType } = knownOnly(query, ['limit', 'offset', 'mimeType']);
        if (mimeType !== undefined && typeof mimeType !== 'string')
            throw flowError('INPUT_INVALID', { problem: `mimeType is ${show(mimeType)}; allowed: one media type` });
        const { items, totalItems } = await this.files.page(ctx, {
            limit: wholeNumberOf(limit, { name: 'limit', min: 1, max: 500 }),
            offset: wholeNumberOf(offset, { name: 'offset', min: 0, max: 10_000 }),
            mimeType: mimeType?.toLowerCase(),
        });
        return { items: items.map(file => this.response(file)), totalItems };
    }

    @Get('files/:id')
    @FileRoute(readFlowFilesPermission.Permission, manageFlowFilesPermission.Permission)
    async one(@Ctx() ctx: RequestContext, @Param('id') id: string): Promise<OneFile> {
        return { success: true, file: this.response(await this.existing(ctx, id)) };
    }

    @Get('files/:id/download')
    @FileRoute(readFlowFilesPermission.Permission, manageFlowFilesPermission.Permission)
    async download(@Ctx() ctx: RequestContext, @Param('id') id: string, @Res() response: HttpResponse): Promise<void> {
        const signal = untilDisconnected(response);
        const file = await this.existing(ctx, id);
        const content = await this.files.content(file, signal);
        for (const [name, value] of Object.entries(downloadHeaders(file))) response.setHeader(name, value);
        try {
            await pipeline(Readable.from(content, { objectMode: false }), response);
        } catch (error) {
            signal.throwIfAborted();
            throw error;
        }
    }

    @Get('files/:id/preview')
    @FileRoute(readFlowFilesPermission.Permission, manageFlowFilesPermission.Permission)
    async preview(
        @Ctx() ctx: RequestContext,
        @Param('id') id: string,
        @Query() query: QueryValues,
        @Res({ passthrough: true }) response: HttpResponse,
    ): Promise<FilePreview & { readonly success: true; readonly fileId: string }> {
        const { rows = '10', encoding, headerRow = '1' } = knownOnly(query, ['rows', 'encoding', 'headerRow']);
        const requested = {
            rows: wholeNumberOf(rows, { name: 'rows', min: 1, max: 500 }),
            encoding: encodingFrom(encoding),
            headerRow: wholeNumberOf(headerRow, { name: 'headerRow', min: 1, max: 10_000 }),
        };
        const file = await this.existing(ctx, id);
        return {
            success: true,
            fileId: this.ids.encode(file.id),
            ...(await this.previews.preview(file, requested, untilDisconnected(response))),
        };
    }

    @Delete('files/:id')
    @FileRoute(manageFlowFilesPermission.Permission)
    async delete(@Ctx() ctx: RequestContext, @Param('id') id: string): Promise<{ readonly success: true }> {
        await this.files.delete(ctx, this.rowId(id));
        return { success: true };
    }

    private existing(ctx: RequestContext, id: string): Promise<FlowManagedFile> {
        return this.files.existing(ctx, this.rowId(id));
    }

    private rowId(id: string): ID {
        const rowId = this.ids.decode(id);
        if (rowId === undefined) throw flowError('FILE_NOT_FOUND', {});
        return rowId;
    }

    private response(file: FlowManagedFile): FileResponse {
        return fileResponse(file, id => this.ids.encode(id));
    }
}

/** An encoding of text; undefined if none is given. */
function encodingFrom(value: unknown): Encoding | undefined {
    const known = ENCODINGS.find(encoding => encoding === value);
    if (value === undefined || known) return known;
    throw flowError('INPUT_INVALID', { problem: `encoding is ${show(value)}; allowed: ${ENCODINGS.join(', ')}` });
}

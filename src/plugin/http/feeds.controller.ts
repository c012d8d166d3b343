import { Controller, Get, Param, Req, Res, UseFilters } from '@nestjs/common';
import { Allow, Permission } from '@vendure/core';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Feeds } from '../exports/feeds';
import type { FlowManagedFile } from '../entities/managed-file';
import { header, type HttpRequest, type HttpResponse, untilDisconnected } from './exchange';
import { downloadHeaders } from './file-response';
import { FileErrorsFilter } from './file-errors.filter';

/** The extensions that some consumers require at the end of an address. */
const EXTENSION = /\.(?:csv|tsv|txt|json|ndjson|xml|xlsx)$/;

/** Serves the newest files of exports to everyone who knows the address. */
@Controller('flow')
export class FeedsController {
    constructor(private readonly feeds: Feeds) {}

    @Get('feeds/:token')
    @Allow(Permission.Public)
    @UseFilters(new FileErrorsFilter([]))
    async feed(
        @Param('token') name: string,
        @Req() request: HttpRequest,
        @Res() response: HttpResponse,
    ): Promise<void> {
        const token = name.replace(EXTENSION, '');
        const signal = untilDisconnected(response);
        const known = (await this.feeds.served(token)).file;
        if (isKnown(header(request, 'if-none-match'), known)) {
            for (const [field, value] of Object.entries(validators(known))) response.setHeader(field, value);
            return void response.status(304).end();
        }
        // A HEAD request opens nothing, because nothing would close it.
        const isHead = request.method === 'HEAD';
        const { file, bytes } = isHead ? { file: known, bytes: [] } : await this.feeds.opened(token, signal);
        const isPacked = takesGzip(header(request, 'accept-encoding'));
        const { 'Content-Length': length, ...headers } = downloadHeaders(file);
        const type = file.encoding === 'utf-8' ? `${file.mimeType}; charset=utf-8` : file.mimeType;
        const said = { ...headers, ...validators(file), 'Content-Type': type };
        for (const [field, value] of Object.entries(said)) response.setHeader(field, value);
        if (isPacked) response.setHeader('Content-Encoding', 'gzip');
        else response.setHeader('Content-Length', length!);
        if (isHead) return void response.end();
        const content = Readable.from(bytes, { objectMode: false });
        try {
            await (isPacked ? pipeline(content, createGzip(), response) : pipeline(content, response));
        } catch (error) {
            signal.throwIfAborted();
            throw error;
        }
    }
}

/** The headers by which a client knows that its copy is the newest one, compressed or not. */
function validators({ sha256, createdAt }: FlowManagedFile): Readonly<Record<string, string>> {
    return {
        ETag: `W/"${sha256}"`,
        'Last-Modified': createdAt.toUTCString(),
        'Cache-Control': 'private, no-cache',
        Vary: 'Accept-Encoding',
    };
}

/** Compares weakly, as in RFC 9110, 13.1.2. */
function isKnown(requested: string | undefined, { sha256 }: FlowManagedFile): boolean {
    if (requested === undefined) return false;
    return (
        requested.trim() === '*' || requested.split(',').some(tag => tag.trim().replace(/^W\//, '') === `"${sha256}"`)
    );
}

/** Whether the client accepts gzip, as in RFC 9110, 12.5.3. */
function takesGzip(requested = ''): boolean {
    const weights = new Map(
        requested
            .toLowerCase()
            .split(',')
            .map(coding => {
                const [name = '', ...parameters] = coding.split(';').map(part => part.trim());
                const q = parameters.find(one => one.startsWith('q='))?.slice(2);
                return [name, q === undefined ? 1 : Number(q)] as const;
            }),
    );
    return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0;
}

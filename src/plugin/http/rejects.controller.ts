import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { Ctx, RequestContext } from '@vendure/core';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { show } from '../../core/value/show';
import { flowError } from '../../core/errors/flow-error';
import { RejectsCsv } from '../files/rejects-csv';
import { readFlowRecordPermission, readFlowRunPermission } from '../permissions';
import { type HttpResponse, untilGone } from './exchange';
import { knownOnly, type QueryValues } from './query';
import { FileRoute } from './file-route';

/** The rejected records of a run, to be corrected and uploaded again. */
@Controller('flow')
export class RejectsController {
    constructor(private readonly rejects: RejectsCsv) {}

    /** Needs both permissions: it is about a run, and it shows records. */
    @Get('runs/:id/rejects.csv')
    @FileRoute(readFlowRecordPermission.Permission)
    async download(
        @Ctx() ctx: RequestContext,
        @Param('id') id: string,
        @Query() query: QueryValues,
        @Res() response: HttpResponse,
    ): Promise<void> {
        const { sourceKey } = knownOnly(query, ['sourceKey']);
        const permission = readFlowRunPermission.Permission;
        if (!ctx.userHasPermissions([permission]))
            throw flowError('FORBIDDEN', {
                who: ctx.session?.user?.identifier ?? 'The caller',
                permission,
                what: 'reading what a run has rejected',
            });
        if (sourceKey !== undefined && typeof sourceKey !== 'string')
            throw flowError('INPUT_INVALID', {
                problem: `sourceKey is ${show(sourceKey)}; allowed: the key of one EXTRACT step`,
            });
        const signal = untilGone(response);
        const { filename, lines } = await this.rejects.of(ctx, id, sourceKey);
        const rows = lines[Symbol.asyncIterator]();
        // What is wrong shows with the first line, while it can still be answered.
        const first = await rows.next();
        response.setHeader('Content-Type', 'text/csv; charset=utf-8');
        response.setHeader('Content-Disposition', `attachment; filename="${filename}"`);
        response.setHeader('X-Content-Type-Options', 'nosniff');
        response.setHeader('Cache-Control', 'private, no-store');
        try {
            await pipeline(Readable.from(joined(first, rows), { objectMode: false }), response);
        } catch (error) {
            signal.throwIfAborted();
            throw error;
        }
    }
}

async function* joined(
    first: IteratorResult<string, void>,
    rest: AsyncIterator<string, void>,
): AsyncGenerator<string, void, void> {
    for (let next = first; !next.done; next = await rest.next()) yield next.value;
}

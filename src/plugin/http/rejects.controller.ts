import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { Ctx, RequestContext } from '@vendure/core';
import { show } from '../../core/value/show';
import { flowError } from '../../core/errors/flow-error';
import { RejectsCsv } from '../files/rejects-csv';
import { readFlowRecordPermission, readFlowRunPermission } from '../permissions';
import { csvResponse } from './csv-response';
import type { HttpResponse } from './exchange';
import { knownOnly, type QueryValues } from './query';
import { FileRoute } from './file-route';

/** Downloads the rejected records of a run, which users correct and upload again. */
@Controller('flow')
export class RejectsController {
    constructor(private readonly rejects: RejectsCsv) {}

    /** Needs both permissions, because it reads a run and records. */
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
                what: 'reading the rejected records of a run',
            });
        if (sourceKey !== undefined && typeof sourceKey !== 'string')
            throw flowError('INPUT_INVALID', {
                problem: `sourceKey is ${show(sourceKey)}; allowed: the key of one EXTRACT step`,
            });
        await csvResponse(response, await this.rejects.of(ctx, id, sourceKey));
    }
}

import { Controller, Get, Query, Res } from '@nestjs/common';
import { Ctx, type ID, RequestContext } from '@vendure/core';
import { flowError } from '../../core/errors/flow-error';
import { show } from '../../core/value/show';
import { RECORD_ERROR_STATES } from '../entities/record-error';
import { readFlowRecordPermission, readFlowRunPermission } from '../permissions';
import { RecordCsv } from '../record-errors/record-csv';
import type { RecordErrorSelection } from '../record-errors/selection';
import { PublicIds } from '../../platform/public-ids';
import { csvResponse } from './csv-response';
import type { HttpResponse } from './exchange';
import { FileRoute } from './file-route';
import { knownOnly, type QueryValues } from './query';

const IDS = ['pipelineId', 'runId', 'replayRunId'] as const;
const TEXTS = ['groupId', ...IDS, 'stepKey', 'code'] as const;

/** Downloads rejected records of all runs, which users correct and upload again. */
@Controller('flow')
export class RecordErrorsController {
    constructor(
        private readonly csv: RecordCsv,
        private readonly ids: PublicIds,
    ) {}

    /** Needs both permissions, because it reads runs and records. */
    @Get('record-errors.csv')
    @FileRoute(readFlowRecordPermission.Permission)
    async download(
        @Ctx() ctx: RequestContext,
        @Query() query: QueryValues,
        @Res() response: HttpResponse,
    ): Promise<void> {
        const permission = readFlowRunPermission.Permission;
        if (!ctx.userHasPermissions([permission]))
            throw flowError('FORBIDDEN', {
                who: ctx.session?.user?.identifier ?? 'The caller',
                permission,
                what: 'reading rejected records',
            });
        const lines = this.csv.lines(ctx, this.selectionOf(query));
        await csvResponse(response, { filename: 'record-errors.csv', lines });
    }

    private selectionOf(query: QueryValues): RecordErrorSelection {
        const { state, ...given } = knownOnly(query, [...TEXTS, 'state']);
        for (const [name, value] of Object.entries(given))
            if (value !== undefined && typeof value !== 'string')
                throw flowError('INPUT_INVALID', { problem: `${name} is ${show(value)}; allowed: one value` });
        const known = state === undefined ? 'OPEN' : RECORD_ERROR_STATES.find(one => one === state);
        if (!known)
            throw flowError('INPUT_INVALID', {
                problem: `state is ${show(state)}; allowed: ${RECORD_ERROR_STATES.join(', ')}`,
            });
        const { groupId, ...rest } = given as Partial<Record<(typeof TEXTS)[number], string>>;
        const ids = IDS.flatMap(name =>
            rest[name] === undefined ? [] : [[name, this.idOf(name, rest[name])] as const],
        );
        return {
            ...rest,
            ...Object.fromEntries(ids),
            ...(groupId !== undefined && { groupIds: [groupId] }),
            states: [known],
        };
    }

    private idOf(name: string, text: string): ID {
        const id = this.ids.decode(text);
        if (id === undefined)
            throw flowError('INPUT_INVALID', {
                problem: `${name} is ${show(text)}; allowed: an id as GraphQL shows it`,
            });
        return id;
    }
}

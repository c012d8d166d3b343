import 'reflect-metadata';
import type { ArgumentsHost } from '@nestjs/common';
import { EXCEPTION_FILTERS_METADATA } from '@nestjs/common/constants';
import { ForbiddenError } from '@vendure/core';
import { textNaming } from '../../../test/kit/naming';
import { flowError } from '../../core/errors/flow-error';
import type { FileErrorsFilter } from './file-errors.filter';
import { FilesController } from './files.controller';
import { RejectsController } from './rejects.controller';

/** The parts of a route's response to an error that are sent. */
interface Told {
    status?: number;
    body?: unknown;
    readonly headers: Record<string, string>;
}

function answered(route: object, thrown: unknown): Told {
    const [filter] = Reflect.getMetadata(EXCEPTION_FILTERS_METADATA, route) as [FileErrorsFilter];
    const eventRecords: Told = { headers: {} };
    const response = {
        headersSent: false,
        setHeader: (name: string, value: string) => {
            eventRecords.headers[name] = value;
        },
        status(code: number) {
            eventRecords.status = code;
            return response;
        },
        json(body: unknown) {
            eventRecords.body = body;
        },
    };
    const request = { method: 'GET', vendureRequestContext: { default: { session: { user: { identifier: 'ann' } } } } };
    filter.catch(thrown, {
        switchToHttp: () => ({ getRequest: () => request, getResponse: () => response }),
    } as unknown as ArgumentsHost);
    return eventRecords;
}

describe('an error of a file route', () => {
    it.each([
        ['an upload', FilesController.prototype.upload, 'ManageFlowFiles'],
        ['a removal', FilesController.prototype.delete, 'ManageFlowFiles'],
        ['the list', FilesController.prototype.list, 'ReadFlowFiles or ManageFlowFiles'],
        ['a preview', FilesController.prototype.preview, 'ReadFlowFiles or ManageFlowFiles'],
        ['rejected records', RejectsController.prototype.download, 'ReadFlowRecord'],
    ])('names the permission that %s needs', (_, route, permission) => {
        expect(answered(route, new ForbiddenError())).toMatchObject({
            status: 403,
            body: {
                success: false,
                error: textNaming('"ann"', `permission ${permission},`),
                code: 'FORBIDDEN',
            },
        });
    });

    it('contains the time after which the client may try again', () => {
        expect(
            answered(
                FilesController.prototype.preview,
                flowError('FILE_PREVIEW_BUSY', { count: 4 }, { waitMs: 1_000 }),
            ),
        ).toMatchObject({ status: 429, headers: { 'Retry-After': '1' } });
    });

    it('reveals nothing about an internal error of the server', () => {
        expect(answered(FilesController.prototype.download, new Error('ENOENT: /srv/shop/secret'))).toMatchObject({
            status: 500,
            body: { code: 'BUG', error: expect.not.stringContaining('/srv') },
        });
    });
});

import type { ArgumentsHost } from '@nestjs/common';
import { type ConfigService, Logger } from '@vendure/core';
import { GraphQLError } from 'graphql';
import { ERRORS, type ErrorCode } from '../../core/errors/catalogue';
import { type FlowError, flowError } from '../../core/errors/flow-error';
import { apiError, ExpectedError } from './api-error';
import { ExpectedErrorsFilter } from './expected-errors.filter';

const LEVELS = ['error', 'warn', 'info', 'verbose', 'debug'] as const;
const made = (code: ErrorCode): FlowError => flowError(code as 'BUG', { problem: 'p' });

describe('a response that rejects a request', () => {
    afterEach(() => jest.restoreAllMocks());

    it('is logged as one line at the level DEBUG, without a stack, and is sent unchanged', () => {
        const lines = LEVELS.flatMap(level => {
            const told: unknown[][] = [];
            jest.spyOn(Logger, level).mockImplementation((...line: unknown[]) => void told.push([level, ...line]));
            return [told];
        });
        const handled: unknown[] = [];
        const handler = { handleServerError: (error: unknown) => void handled.push(error) };
        const config = { systemOptions: { errorHandlers: [handler] } } as unknown as ConfigService;
        const error = apiError(flowError('INPUT_INVALID', { problem: 'limit is 0' }));
        expect(error).toBeInstanceOf(ExpectedError);
        expect(new ExpectedErrorsFilter(config).catch(error as ExpectedError, {} as ArgumentsHost)).toBe(error);
        expect(lines.flat()).toEqual([['debug', 'INPUT_INVALID: limit is 0.', 'FlowPlugin']]);
        expect(handled).toEqual([error]);
    });

    it.each([
        'INPUT_INVALID',
        'DEFINITION_INVALID',
        'DEFINITION_MALFORMED',
        'FORBIDDEN',
        'RUN_NOT_FOUND',
        'CODE_TAKEN',
        'CONNECTION_NOT_FOUND',
        'SOURCE_MALFORMED',
        'STEP_TEST_BUSY',
    ] as const)('is sent for %s', code => {
        expect(apiError(made(code))).toBeInstanceOf(ExpectedError);
    });

    it('is not used for errors of the server, which keep their stack', () => {
        const codes = Object.keys(ERRORS) as ErrorCode[];
        const issues = codes.filter(code => !(apiError(made(code)) instanceof ExpectedError));
        expect(issues).toEqual(expect.arrayContaining(['BUG', 'DATABASE_LOST', 'DATABASE_REFUSED', 'FILE_CORRUPT']));
        for (const code of codes.filter(one => ['bug', 'transient', 'stop'].includes(ERRORS[one].treat)))
            expect(issues).toContain(code);
        for (const code of issues) {
            const error = apiError(made(code)) as GraphQLError;
            expect(error).toBeInstanceOf(GraphQLError);
            expect(error.extensions).toEqual({ code, facts: { problem: 'p' } });
        }
    });
});

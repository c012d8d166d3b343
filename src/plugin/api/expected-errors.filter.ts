import { type ArgumentsHost, Catch, type ExceptionFilter, Injectable } from '@nestjs/common';
import { ConfigService, Logger } from '@vendure/core';
import { LOG_CONTEXT } from '../tokens';
import { ExpectedError } from './api-error';

/**
 * Answers of Flow that refuse a request stand in the server's log as a line at the level DEBUG, without a stack. Vendure's own filter, which all
 * other errors go to, would write them as errors of the server. The shop's error handlers are told of them as of Vendure's user input errors.
 */
@Catch(ExpectedError)
@Injectable()
export class ExpectedErrorsFilter implements ExceptionFilter<ExpectedError> {
    constructor(private readonly config: ConfigService) {}

    /** GraphQL takes an error that is answered like one that is thrown. */
    catch(error: ExpectedError, host: ArgumentsHost): ExpectedError {
        for (const handler of this.config.systemOptions.errorHandlers) void handler.handleServerError(error, { host });
        Logger.debug(`${String(error.extensions['code'])}: ${error.message}`, LOG_CONTEXT);
        return error;
    }
}

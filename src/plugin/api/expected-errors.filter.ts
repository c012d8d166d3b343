import { type ArgumentsHost, Catch, type ExceptionFilter, Injectable } from '@nestjs/common';
import { ConfigService, Logger } from '@vendure/core';
import { LOG_CONTEXT } from '../tokens';
import { ExpectedError } from './api-error';

/**
 * Logs responses of Flow that reject a request as a line at the level DEBUG, without a stack. Vendure's own filter, which handles all other
 * errors, would log them as errors of the server. The shop's error handlers receive them like Vendure's user input errors.
 */
@Catch(ExpectedError)
@Injectable()
export class ExpectedErrorsFilter implements ExceptionFilter<ExpectedError> {
    constructor(private readonly config: ConfigService) {}

    /** GraphQL handles a returned error like a thrown one. */
    catch(error: ExpectedError, host: ArgumentsHost): ExpectedError {
        for (const handler of this.config.systemOptions.errorHandlers) void handler.handleServerError(error, { host });
        Logger.debug(`${String(error.extensions['code'])}: ${error.message}`, LOG_CONTEXT);
        return error;
    }
}

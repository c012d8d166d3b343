import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { I18nError, Logger } from '@vendure/core';
import type { ErrorCode } from '../../core/errors/catalogue';
import { asFlowError, type FlowError, flowError } from '../../core/errors/flow-error';
import { LOG_CONTEXT } from '../tokens';
import type { HttpResponse } from './exchange';

/** The statuses of errors that reject a webhook request. */
const STATUS: Partial<Record<ErrorCode, number>> = {
    INPUT_INVALID: 400,
    WEBHOOK_REFUSED: 401,
    IDEMPOTENCY_CONFLICT: 409,
    BODY_TOO_LARGE: 413,
    RECORD_LIMIT: 413,
    MEDIA_TYPE_UNSUPPORTED: 415,
    RATE_LIMITED: 429,
    WEBHOOK_UNAVAILABLE: 503,
};

/** Sends errors of the webhook route as `{statusCode, code, message}`. */
@Catch()
export class WebhookErrorsFilter implements ExceptionFilter {
    catch(thrown: unknown, host: ArgumentsHost): void {
        const response = host.switchToHttp().getResponse<HttpResponse>();
        const error = known(thrown);
        const statusCode = STATUS[error.code] ?? 500;
        if (statusCode === 500)
            Logger.error(`${error.code}: ${error.message}`, LOG_CONTEXT, (error.cause as Error | undefined)?.stack);
        if (response.headersSent) return void response.destroy();
        if (error.waitMs !== undefined) response.setHeader('Retry-After', String(Math.ceil(error.waitMs / 1000)));
        const message =
            statusCode === 500 ? "Internal error in Flow. The server's log has the details." : error.message;
        response.status(statusCode).json({ statusCode, code: error.code, message });
    }
}

/** A rejection by Vendure's own guard, for example of an unknown channel, has the same response as every other rejected request. */
function known(thrown: unknown): FlowError {
    if (thrown instanceof I18nError) return flowError('WEBHOOK_REFUSED', {}, { cause: thrown });
    return asFlowError(thrown);
}

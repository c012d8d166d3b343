import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { ForbiddenError, I18nError, Logger, type RequestContext } from '@vendure/core';
import type { ErrorCode } from '../../core/errors/catalogue';
import { asFlowError, type FlowError, flowError } from '../../core/errors/flow-error';
import { LOG_CONTEXT } from '../tokens';
import type { HttpRequest, HttpResponse } from './exchange';

/** The status of errors that callers of the file routes have to distinguish. Other errors have the status of their treatment. */
const STATUS: Partial<Record<ErrorCode, number>> = {
    UNAUTHENTICATED: 401,
    FORBIDDEN: 403,
    CROSS_SITE: 403,
    FILE_NOT_FOUND: 404,
    FEED_UNKNOWN: 404,
    RUN_NOT_FOUND: 404,
    IN_USE: 409,
    FILE_EXPIRED: 410,
    BODY_TOO_LARGE: 413,
    FILE_LIMIT: 413,
    FILE_PREVIEW_TIMEOUT: 413,
    TRIAL_PROCESS_LOST: 413,
    TRIAL_PROCESS_FAILED: 503,
    MEDIA_TYPE_UNSUPPORTED: 415,
    FILE_TYPE_MISMATCH: 415,
    FILE_UNREADABLE: 415,
    RATE_LIMITED: 429,
    FILE_PREVIEW_BUSY: 429,
    SOURCE_MALFORMED: 400,
};

/** A request to which Vendure's guard has added its context. Filters have no other access to it. */
type GuardedRequest = HttpRequest & { readonly vendureRequestContext?: { readonly default?: RequestContext } };

/** Sends errors of a file route as `{success: false, error, code}`. */
@Catch()
export class FileErrorsFilter implements ExceptionFilter {
    /** `permissions`: the route needs one of these. */
    constructor(private readonly permissions: readonly string[]) {}

    catch(thrown: unknown, host: ArgumentsHost): void {
        const http = host.switchToHttp();
        const response = http.getResponse<HttpResponse>();
        const error = known(thrown, http.getRequest<GuardedRequest>(), this.permissions);
        const status = statusOf(error);
        if (status >= 500) Logger.error(`${error.code}: ${error.message}`, LOG_CONTEXT, causeOf(error));
        // Partial content must not look complete.
        if (response.headersSent) return void response.destroy();
        if (error.waitMs !== undefined) response.setHeader('Retry-After', String(Math.ceil(error.waitMs / 1000)));
        // For a bug in Flow, the caller only learns that there is one; the log has the details.
        const message =
            error.code === 'BUG' ? "Internal error in Flow. The server's log has the details." : error.message;
        response.status(status).json({ success: false, error: message, code: error.code });
    }
}

function known(thrown: unknown, request: GuardedRequest, permissions: readonly string[]): FlowError {
    if (thrown instanceof ForbiddenError) {
        const user = request.vendureRequestContext?.default?.session?.user;
        if (!user) return flowError('UNAUTHENTICATED', {}, { cause: thrown });
        return flowError(
            'FORBIDDEN',
            {
                who: `"${user.identifier}"`,
                permission: permissions.join(' or '),
                what: 'this request to the active channel',
            },
            { cause: thrown },
        );
    }
    // Vendure's texts are keys of its translations, which REST routes do not receive.
    if (thrown instanceof I18nError && thrown.code === 'CHANNEL_NOT_FOUND')
        return flowError('INPUT_INVALID', { problem: 'No channel has the token of the request' }, { cause: thrown });
    if (thrown instanceof I18nError && thrown.code === 'USER_INPUT_ERROR')
        return flowError(
            'INPUT_INVALID',
            { problem: `Vendure rejects the request (${thrown.message})` },
            { cause: thrown },
        );
    return asFlowError(thrown);
}

function statusOf({ code, treat }: FlowError): number {
    return STATUS[code] ?? (treat === 'request' ? 400 : treat === 'transient' ? 503 : 500);
}

function causeOf({ cause, stack }: FlowError): string | undefined {
    return cause instanceof Error ? cause.stack : stack;
}

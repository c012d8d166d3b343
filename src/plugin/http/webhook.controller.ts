import { Controller, HttpCode, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import { Allow, Permission } from '@vendure/core';
import { RequestBodyBudget } from '../webhooks/request-body-budget';
import { unavailable, type WebhookResponse, Webhooks } from '../webhooks/webhooks';
import type { HttpResponse } from './exchange';
import { WebhookErrorsFilter } from './webhook-errors.filter';
import { checkMedia, isPing, type WebhookRequest } from './webhook-request';
import { readWholeBody } from './whole-body';

/** The largest body, in bytes. */
const MAX_BYTES = 10 * 1024 * 1024;
/** The connection of a slower sender is closed, because its partial body takes memory that all requests share. */
const BODY_MS = 60_000;

/** Starts pipelines by HTTP requests. The route is public, because each webhook defines how requests are authenticated. */
@Controller('flow')
export class WebhookController {
    private readonly held = new RequestBodyBudget();

    constructor(private readonly webhooks: Webhooks) {}

    @Post('webhook/:code')
    @HttpCode(202)
    @Allow(Permission.Public)
    @UseFilters(new WebhookErrorsFilter())
    async receive(
        @Param('code') code: string,
        @Req() request: WebhookRequest,
        @Res({ passthrough: true }) response: HttpResponse,
    ): Promise<WebhookResponse | { readonly ping: true }> {
        const address = request.ip ?? '';
        const share = this.held.open(address, () =>
            unavailable('the server is processing the maximum number of requests'),
        );
        try {
            this.webhooks.checkAddress(address);
            if (await isPing(request)) {
                response.status(200);
                return { ping: true };
            }
            checkMedia(request);
            const body = await readWholeBody(request, {
                what: 'body of the post',
                maxBytes: MAX_BYTES,
                maxMs: BODY_MS,
                share,
            });
            return await this.webhooks.receive({ code, address, headers: request.headersDistinct, body });
        } finally {
            share.release();
            // Unread data is discarded, so that the sender can read the response.
            request.resume();
        }
    }
}

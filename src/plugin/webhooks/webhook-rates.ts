import { Inject, Injectable } from '@nestjs/common';
import { flowError } from '../../core/errors/flow-error';
import { MinuteRateLimiter } from '../../core/concurrency/minute-rate-limiter';
import { addressBytes } from '../../io/outbound/address';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP } from '../tokens';
import type { ActiveWebhook } from './webhook-lookup';

/** Limits the posts per minute in this process. Several processes together accept the sum of their limits. */
@Injectable()
export class WebhookRates {
    private readonly failures: MinuteRateLimiter | undefined;
    private readonly failuresPerAddress: number;
    /** The limiters by their limit. */
    private readonly posts = new Map<number, MinuteRateLimiter>();

    constructor(@Inject(FLOW_SETUP) { options }: FlowSetup) {
        this.failuresPerAddress = options.webhooks.failuresPerAddress;
        if (this.failuresPerAddress > 0) this.failures = new MinuteRateLimiter(this.failuresPerAddress, Date.now);
    }

    /** Throws RATE_LIMITED for an address that has failed too often in the last minute, even with valid credentials. */
    checkAddress(address: string): void {
        const waitMs = this.failures?.waitMs(networkOf(address));
        if (waitMs !== undefined)
            throw limited(waitMs, { count: this.failuresPerAddress, what: 'failed authentications from this address' });
    }

    countFailure(address: string): void {
        this.failures?.count(networkOf(address));
    }

    /** Counts an authenticated post. Throws RATE_LIMITED if there are too many; that post is not counted. */
    takePost({ pipelineId, triggerKey, config: { rateLimit } }: ActiveWebhook): void {
        if (rateLimit === 0) return;
        const rate = this.posts.get(rateLimit) ?? new MinuteRateLimiter(rateLimit, Date.now);
        this.posts.set(rateLimit, rate);
        const waitMs = rate.take(`${pipelineId}/${triggerKey}`);
        if (waitMs !== undefined) throw limited(waitMs, { count: rateLimit, what: 'posts to this webhook' });
    }
}

function limited(waitMs: number, { count, what }: { readonly count: number; readonly what: string }): Error {
    return flowError('RATE_LIMITED', { count, what, seconds: Math.ceil(waitMs / 1000) }, { waitMs });
}

/** An IPv4 address, or the first half of an IPv6 address, whose owner controls the second half. */
export function networkOf(address: string): string {
    const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
    const bytes = addressBytes(mapped ?? address.replace(/%.*$/, ''));
    if (bytes?.length !== 16) return mapped ?? address;
    return Buffer.from(bytes.subarray(0, 8)).toString('hex');
}

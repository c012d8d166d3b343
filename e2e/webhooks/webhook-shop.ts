import type { VendureConfig } from '@vendure/core';
import { json } from 'express';
import { FlowPlugin, pipeline } from '../../src';

export const HOOK_KEY = 'the-key-of-the-hook';

/** A pipeline that accepts posts and drops their records. */
const taking = (code: string, rateLimit: number) =>
    pipeline(code)
        .trigger('hook', { type: 'WEBHOOK', authentication: 'HMAC', secretCode: 'hook-key', rateLimit })
        .extract('in', { adapterCode: 'inMemory', data: [] })
        .build();

/** The options of each server process of the shop. */
export const webhookPlugin = () =>
    FlowPlugin.init({
        pipelines: [taking('hook', 0)],
        secrets: [{ code: 'hook-key', provider: 'INLINE', value: HOOK_KEY }],
        webhooks: { failuresPerAddress: 5 },
    });

/** Vendure's own recipe for larger request bodies, before the shop's other middleware. */
export const largerBodies = (route: string): Partial<VendureConfig> => ({
    apiOptions: { middleware: [{ route, beforeListen: true, handler: json({ limit: '20mb' }) }] } as never,
});

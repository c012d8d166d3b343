import { Logger } from '@vendure/core';
import type { PipelineDefinition } from '../../core/pipeline/definition';
import { webhook, type WebhookConfig } from '../../core/triggers/webhook';
import { LOG_CONTEXT } from '../tokens';
import { triggersOf } from './triggers';

/** The WEBHOOK trigger of a definition that accepts requests. */
export interface WebhookTrigger {
    readonly triggerKey: string;
    readonly config: WebhookConfig;
}

/** Undefined if the definition has no enabled one. It has at most one (WEBHOOK_DUPLICATE). */
export function webhookOf(definition: Pick<PipelineDefinition, 'steps'>): WebhookTrigger | undefined {
    const found = triggersOf(definition).find(({ type, enabled }) => type === webhook.code && enabled);
    if (!found) return undefined;
    const { type: _, ...settings } = definition.steps.find(({ key }) => key === found.key)!.config;
    const parsed = webhook.config.safeParse(settings);
    // If an earlier version published a configuration that is now invalid, the webhook accepts no requests.
    return parsed.success ? { triggerKey: found.key, config: parsed.data as WebhookConfig } : undefined;
}

/** Logs an error if a definition that is now live has an open webhook. */
export function reportOpenWebhook(pipelineCode: string, definition: Pick<PipelineDefinition, 'steps'>): void {
    const found = webhookOf(definition);
    if (found?.config.authentication === 'NONE') logOpenWebhook(pipelineCode, found.triggerKey);
}

/** Logs a security error: anyone who knows the address of this webhook can start runs. */
export function logOpenWebhook(pipelineCode: string, triggerKey: string): void {
    Logger.error(
        `Security: the WEBHOOK trigger "${triggerKey}" of pipeline "${pipelineCode}" has authentication NONE, so anyone who knows its address can start runs. Choose API_KEY, HMAC, BASIC, JWT or STANDARD.`,
        LOG_CONTEXT,
    );
}

import { Logger } from '@vendure/core';
import type { PipelineDefinition } from '../../core/pipeline/definition';
import { webhook, type WebhookConfig } from '../../core/triggers/webhook';
import { LOG_CONTEXT } from '../tokens';
import { triggersOf } from './triggers';

/** The WEBHOOK trigger of a definition that takes posts. */
export interface WebhookTrigger {
    readonly triggerKey: string;
    readonly config: WebhookConfig;
}

/** Undefined where the definition has no enabled one. There is one at most (WEBHOOK_DUPLICATE). */
export function webhookOf(definition: Pick<PipelineDefinition, 'steps'>): WebhookTrigger | undefined {
    const found = triggersOf(definition).find(({ type, enabled }) => type === webhook.code && enabled);
    if (!found) return undefined;
    const { type: _, ...settings } = definition.steps.find(({ key }) => key === found.key)!.config;
    const parsed = webhook.config.safeParse(settings);
    // What an earlier version has published and this one does not take lets nobody in.
    return parsed.success ? { triggerKey: found.key, config: parsed.data as WebhookConfig } : undefined;
}

/** Tells as an error that a definition, which runs from now on, lets everybody in. */
export function reportOpenWebhook(pipelineCode: string, definition: Pick<PipelineDefinition, 'steps'>): void {
    const found = webhookOf(definition);
    if (found?.config.authentication === 'NONE') logOpenWebhook(pipelineCode, found.triggerKey);
}

/** Logs a security error: anyone who knows the address of this webhook can start runs. */
export function logOpenWebhook(pipelineCode: string, triggerKey: string): void {
    Logger.error(
        `Security: the WEBHOOK trigger "${triggerKey}" of pipeline "${pipelineCode}" has authentication NONE, so whoever knows its address starts runs. Choose API_KEY, HMAC, BASIC, JWT or STANDARD.`,
        LOG_CONTEXT,
    );
}

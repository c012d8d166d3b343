import { Inject, Injectable } from '@nestjs/common';
import type { ID } from '@vendure/core';
import { openMessageSource } from '../../adapters/brokers/open-source';
import { learnSecret, type Redactor } from '../../core/adapter/redactor';
import type { MessageSettings } from '../../core/triggers/message';
import { onAbort } from '../../core/concurrency/abort';
import type { MessageSource } from '../../io/broker/message-source';
import { Connections } from '../connections/connections';
import { OutboundAccess } from '../connections/outbound';
import { connectionServers, secretsOf } from '../options/connection-settings';
import { Secrets } from '../secrets/secrets';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP } from '../tokens';
import type { ThroughDoor } from '../trigger-preview';

/** Which messages are taken or previewed. */
interface MessageSourceRequest {
    readonly channelId: ID;
    /** The id of the pipeline, or another key in its place. */
    readonly scope: string;
    readonly consumer: string;
    readonly settings: MessageSettings;
    /** Learns the secrets before any other code gets them. */
    readonly redactor: Redactor;
    /** Cancels the work at any point. */
    readonly signal?: AbortSignal;
    /** Used by previews. */
    readonly through?: ThroughDoor;
}

/** Opens the queues that triggers name, with the current connections and secrets. */
@Injectable()
export class MessageSources {
    constructor(
        private readonly connections: Connections,
        private readonly secrets: Secrets,
        private readonly outbound: OutboundAccess,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    /**
     * Runs `work` with a source, and closes the source afterwards in any case. Throws CONNECTION_NOT_FOUND, CONNECTION_INVALID, SECRET_NOT_FOUND,
     * SECRET_UNREADABLE, CLIENT_MISSING, and what the work throws.
     */
    async with<T>(desired: MessageSourceRequest, work: (source: MessageSource) => Promise<T>): Promise<T> {
        const { channelId, scope, consumer, settings, redactor, signal, through } = desired;
        const connection = await this.connections.open(channelId, settings.connectionCode);
        const codes = [...new Set(secretsOf(connection, this.setup.registry).map(({ code }) => code))];
        const opened = codes.length === 0 ? undefined : await this.secrets.openAll(channelId, codes);
        for (const secret of opened?.values() ?? []) learnSecret(redactor, secret);
        const learn = (token: string): void => redactor.add(token);
        const gateway = this.outbound.forRun({ scope: `${channelId}/${scope}`, rateLimitRps: 0, learn });
        const over = new AbortController();
        const leave = signal && onAbort(signal, () => over.abort(signal.reason));
        let source: MessageSource | undefined;
        try {
            const secrets = { get: (code: string) => opened!.get(code)! };
            const servers = (): readonly string[] => connectionServers(connection, this.setup.registry, secrets);
            source = await openMessageSource(
                { ...settings, connection, consumer },
                { outbound: through ? through(gateway, servers) : gateway, signal: over.signal, secrets },
            );
            return await work(source);
        } finally {
            await source?.close();
            leave?.();
            over.abort();
            gateway.close();
        }
    }
}

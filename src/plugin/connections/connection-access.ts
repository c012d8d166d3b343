import { Inject, Injectable } from '@nestjs/common';
import type { ID } from '@vendure/core';
import type { Connection } from '../../core/adapter/connection';
import { learnSecret, type Redactor } from '../../core/adapter/redactor';
import type { Secret } from '../../core/adapter/secret';
import type { RunOutbound } from '../../io/outbound/gateway';
import { connectionServers, secretsOf } from '../options/connection-settings';
import { Secrets } from '../secrets/secrets';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP } from '../tokens';
import { OutboundAccess } from './outbound';

/** What is needed to use a connection outside of runs. */
interface ConnectionContext {
    /** The caller closes it after use. */
    readonly outbound: RunOutbound;
    readonly secrets: { get(code: string): Secret };
}

/** Provides what a connection needs outside of runs, such as in a connection test or a file watcher. */
@Injectable()
export class ConnectionAccess {
    constructor(
        private readonly secrets: Secrets,
        private readonly outbound: OutboundAccess,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    /** The redactor learns the connection's secrets first. Throws SECRET_NOT_FOUND, SECRET_UNREADABLE and MASTER_KEY_INVALID. */
    async surroundings(
        connection: Connection,
        { channelId, scope, redactor }: { readonly channelId: ID; readonly scope: string; readonly redactor: Redactor },
    ): Promise<ConnectionContext> {
        const codes = secretsOf(connection, this.setup.registry).map(({ code }) => code);
        const opened: ReadonlyMap<string, Secret> =
            codes.length === 0 ? new Map<string, Secret>() : await this.secrets.openAll(channelId, [...new Set(codes)]);
        for (const secret of opened.values()) learnSecret(redactor, secret);
        const learn = (token: string): void => redactor.add(token);
        return {
            outbound: this.outbound.forRun({ scope, rateLimitRps: 0, learn }),
            secrets: { get: code => opened.get(code)! },
        };
    }

    /** The servers of a connection, in the form of entries of `allowedHosts`. */
    servers(connection: Connection, secrets: ConnectionContext['secrets']): readonly string[] {
        return connectionServers(connection, this.setup.registry, secrets);
    }
}

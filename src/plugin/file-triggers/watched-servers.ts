import { Injectable } from '@nestjs/common';
import type { ID } from '@vendure/core';
import { openRemote } from '../../adapters/remote-files/open-remote';
import { Redactor } from '../../core/adapter/redactor';
import type { RemoteFiles } from '../../io/remote/remote-files';
import { ConnectionAccess } from '../connections/connection-access';
import { Connections } from '../connections/connections';

/** The files of a connection, open. */
export interface OpenServer {
    readonly files: Pick<RemoteFiles, 'list'>;
    /** Paths are keys, which begin with no slash. */
    readonly isBucket: boolean;
    close(): void;
}

/** Opens the servers and buckets that FILE triggers watch. */
@Injectable()
export class WatchedServers {
    constructor(
        private readonly connections: Connections,
        private readonly access: ConnectionAccess,
    ) {}

    /**
     * Connects to nothing yet. Teaches the redactor the secrets of the connection. Throws CONNECTION_NOT_FOUND, CONNECTION_INVALID, CLIENT_MISSING and what
     * keeps a secret from being read.
     */
    async open(
        channelId: ID,
        code: string,
        { redactor, signal }: { readonly redactor: Redactor; readonly signal: AbortSignal },
    ): Promise<OpenServer> {
        const connection = await this.connections.open(channelId, code);
        const { outbound, secrets } = await this.access.surroundings(connection, {
            channelId,
            scope: `${channelId}/file-watch`,
            redactor,
        });
        try {
            const files = await openRemote(connection, { outbound, secrets, signal });
            return {
                files,
                isBucket: connection.type === 'OBJECT_STORAGE',
                close: () => {
                    files.close();
                    outbound.close();
                },
            };
        } catch (thrown) {
            outbound.close();
            throw thrown;
        }
    }
}

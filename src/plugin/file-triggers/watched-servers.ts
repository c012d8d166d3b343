import { Injectable } from '@nestjs/common';
import type { ID } from '@vendure/core';
import { openRemote } from '../../adapters/remote-files/open-remote';
import { Redactor } from '../../core/adapter/redactor';
import type { RemoteFiles } from '../../io/remote/remote-files';
import { ConnectionAccess } from '../connections/connection-access';
import { Connections } from '../connections/connections';
import type { ThroughDoor } from '../trigger-preview';

/** The opened files of a connection. */
export interface OpenServer {
    readonly files: Pick<RemoteFiles, 'list'>;
    /** Whether paths are keys, which do not begin with a slash. */
    readonly isBucket: boolean;
    close(): void;
}

/** As `OpenServer`, with everything that can be done with its files. */
interface OpenFiles extends OpenServer {
    readonly files: RemoteFiles;
}

/** How a server is opened. */
interface ServerOrder {
    /** Learns the secrets of the connection. */
    readonly redactor: Redactor;
    readonly signal: AbortSignal;
    /** Set for previews, which are sent through it. */
    readonly through?: ThroughDoor;
}

/** Opens the servers and buckets that FILE triggers watch. */
@Injectable()
export class WatchedServers {
    constructor(
        private readonly connections: Connections,
        private readonly access: ConnectionAccess,
    ) {}

    /** Does not connect yet. Throws CONNECTION_NOT_FOUND, CONNECTION_INVALID, CLIENT_MISSING and the errors of reading a secret. */
    async open(channelId: ID, code: string, { redactor, signal, through }: ServerOrder): Promise<OpenFiles> {
        const connection = await this.connections.open(channelId, code);
        const { outbound, secrets } = await this.access.surroundings(connection, {
            channelId,
            scope: `${channelId}/file-watch`,
            redactor,
        });
        try {
            const gateway = through ? through(outbound, () => this.access.servers(connection, secrets)) : outbound;
            const files = await openRemote(connection, { outbound: gateway, secrets, signal });
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

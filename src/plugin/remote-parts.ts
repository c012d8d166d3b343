import type { Provider, Type } from '@nestjs/common';
import { RemoteActionFieldResolver, RemoteActionResolver } from './api/remote-action.resolver';
import { ConnectionAccess } from './connections/connection-access';
import { FileWatcher } from './file-triggers/file-watcher';
import { FolderPreviews } from './file-triggers/folder-previews';
import { WatchedServers } from './file-triggers/watched-servers';
import { Acknowledgement } from './remote-actions/acknowledgement';
import { RemoteActions } from './remote-actions/remote-actions';

/** What runs leave to be done elsewhere, and what is watched there. */
export const remoteProviders: Provider[] = [
    RemoteActions,
    Acknowledgement,
    ConnectionAccess,
    WatchedServers,
    FileWatcher,
    FolderPreviews,
];

/** What the API shows of it. */
export const remoteResolvers: Array<Type<unknown>> = [RemoteActionResolver, RemoteActionFieldResolver];

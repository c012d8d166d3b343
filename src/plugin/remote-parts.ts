import type { Provider, Type } from '@nestjs/common';
import { RemoteActionFieldResolver, RemoteActionResolver } from './api/remote-action.resolver';
import { ConnectionAccess } from './connections/connection-access';
import { FileWatcher } from './file-triggers/file-watcher';
import { FolderPreviews } from './file-triggers/folder-previews';
import { WatchedServers } from './file-triggers/watched-servers';
import { Acknowledgement } from './remote-actions/acknowledgement';
import { RemoteActions } from './remote-actions/remote-actions';

/** The providers for remote actions and watched folders. */
export const remoteProviders: Provider[] = [
    RemoteActions,
    Acknowledgement,
    ConnectionAccess,
    WatchedServers,
    FileWatcher,
    FolderPreviews,
];

/** The resolvers for these providers. */
export const remoteResolvers: Array<Type<unknown>> = [RemoteActionResolver, RemoteActionFieldResolver];

import type { Injector, Permission, RequestContext } from '@vendure/core';
import type { DataSource } from 'typeorm';
import type { Database } from '../database/database';

/** What the platform's adapters get as `cx.platform`. */
export interface VendurePlatform {
    /** Whose rights, which channel and language the run has. */
    readonly ctx: RequestContext;
    readonly injector: Injector;
    readonly dataSource: DataSource;
    readonly database: Database;
}

/** Any one of a list is enough. */
export type AnyOf = readonly [Permission, ...Permission[]];

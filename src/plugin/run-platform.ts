import { Inject, Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import {
    Channel,
    type ID,
    Injector,
    RequestContext,
    RequestContextService,
    TransactionalConnection,
} from '@vendure/core';
import type { VendurePlatform } from '../platform/context';
import type { Database } from '../database/database';
import { FLOW_DATABASE } from './tokens';

/** What the platform's adapters need from the shop. */
@Injectable()
export class RunPlatform {
    constructor(
        private readonly moduleRef: ModuleRef,
        private readonly connection: TransactionalConnection,
        private readonly contexts: RequestContextService,
        @Inject(FLOW_DATABASE) private readonly database: Database,
    ) {}

    of(ctx: RequestContext): VendurePlatform {
        return {
            ctx,
            injector: new Injector(this.moduleRef),
            dataSource: this.connection.rawConnection,
            database: this.database,
        };
    }

    /** A platform with all permissions, for checks that do not depend on a user or channel. */
    get shop(): VendurePlatform {
        return this.of(Object.assign(RequestContext.empty(), { userHasPermissions: () => true }));
    }

    /**
     * A context without a user, for work that must be done even if the run's user was deleted, such as publishing its changes. It has the
     * run's channel, or the default channel if that was deleted.
     */
    async withoutUser(channelId: ID): Promise<RequestContext> {
        const channel = await this.connection.rawConnection.getRepository(Channel).findOne({
            where: { id: channelId },
            relations: { defaultShippingZone: true, defaultTaxZone: true },
        });
        return this.contexts.create({ apiType: 'admin', ...(channel && { channelOrToken: channel }) });
    }
}

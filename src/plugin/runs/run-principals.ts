import { Injectable } from '@nestjs/common';
import {
    Channel,
    ConfigService,
    I18nService,
    type ID,
    type RequestContext,
    RequestContextService,
    TransactionalConnection,
    User,
} from '@vendure/core';
import { flowError } from '../../core/errors/flow-error';
import { withDatabaseErrors } from '../../database/database-errors';
import { withShopTranslations } from '../../platform/services/shop-translations';
import { type Requirement, unmetRequirements } from '../pipelines/requirements';

/** Whom a run acts for and where. */
interface RunPrincipal {
    /** Absent: the configured superadmin. */
    readonly userId: ID | undefined;
    readonly channelId: ID;
}

/** Gives a run the rights of its user as they are now, not as they were when it was started. */
@Injectable()
export class RunPrincipals {
    constructor(
        private readonly connection: TransactionalConnection,
        private readonly contexts: RequestContextService,
        private readonly config: ConfigService,
        private readonly i18n: I18nService,
    ) {}

    /** Throws ACTOR_GONE if the user or the channel was deleted or the user has no role in the channel, FORBIDDEN if a permission is missing. */
    restore(principal: RunPrincipal, requirements: readonly Requirement[]): Promise<RequestContext> {
        return withDatabaseErrors(() => this.restoreNow(principal, requirements));
    }

    private async restoreNow(
        { userId, channelId }: RunPrincipal,
        requirements: readonly Requirement[],
    ): Promise<RequestContext> {
        const [user, channel] = await Promise.all([this.user(userId), this.channel(channelId)]);
        const hasAccess = user?.roles.some(role => role.channels.some(({ id }) => String(id) === String(channelId)));
        if (!user || user.deletedAt || !channel || !hasAccess)
            throw flowError('ACTOR_GONE', { who: user?.identifier ?? this.nameOf(userId) });
        const ctx = withShopTranslations(
            await this.contexts.create({ apiType: 'admin', channelOrToken: channel, user }),
            this.i18n,
        );
        const missing = unmetRequirements(ctx, requirements);
        if (missing) throw flowError('FORBIDDEN', { who: user.identifier, ...missing });
        return ctx;
    }

    /** A deleted user if there is no other one, so that the error can name that user. */
    private async user(userId: ID | undefined): Promise<User | undefined> {
        const where =
            userId === undefined
                ? { identifier: this.config.authOptions.superadminCredentials.identifier }
                : { id: userId };
        const users = await this.connection.rawConnection
            .getRepository(User)
            .find({ where, relations: { roles: { channels: true } } });
        return users.find(({ deletedAt }) => deletedAt === null) ?? users[0];
    }

    private async channel(channelId: ID): Promise<Channel | undefined> {
        // By one statement, where `findOne` takes two.
        const [channel] = await this.connection.rawConnection.getRepository(Channel).find({
            where: { id: channelId },
            relations: { defaultShippingZone: true, defaultTaxZone: true },
        });
        return channel;
    }

    private nameOf(userId: ID | undefined): string {
        return userId === undefined
            ? `superadmin "${this.config.authOptions.superadminCredentials.identifier}"`
            : `user ${userId}`;
    }
}

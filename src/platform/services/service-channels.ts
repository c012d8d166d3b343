import { Channel, type ID } from '@vendure/core';
import { withDatabaseErrors } from '../../database/database-errors';
import type { VendurePlatform } from '../context';
import { known, quoted } from '../entities/record-issues';
import type { FieldReader } from '../entities/read-field';
import type { RunChannel } from '../lookup/run-channel';
import type { ChannelsField } from './service-field';

interface ShopChannel {
    readonly id: ID;
    readonly token: string;
    readonly code: string;
    readonly mayAssign: boolean;
    readonly mayRemove: boolean;
}

/** The channels of a shop, as a list of channels in a record speaks of them. */
export class ServiceChannels {
    private constructor(
        private readonly all: readonly ShopChannel[],
        private readonly run: RunChannel,
    ) {}

    /** Reads which there are, and what the run's user may do there. */
    static async read(
        { ctx, dataSource }: VendurePlatform,
        run: RunChannel,
        field: ChannelsField,
    ): Promise<ServiceChannels> {
        return withDatabaseErrors(async () => {
            const channels = await dataSource.getRepository(Channel).find({ order: { id: 'ASC' } });
            const may = (rights: ChannelsField['toAssign'], id: ID): boolean =>
                id === run.id || ctx.userHasPermissions([...rights], id);
            return new ServiceChannels(
                channels.map(({ id, token, code }) => ({
                    id,
                    token,
                    code,
                    mayAssign: may(field.toAssign, id),
                    mayRemove: may(field.toRemove, id),
                })),
                run,
            );
        });
    }

    /** The tokens of channels that a record names by their tokens or codes. */
    tokens(reader: FieldReader, field: string): readonly string[] | undefined {
        const named = reader.texts(field);
        return named?.flatMap((name, i) => {
            const channel = this.all.find(({ token }) => token === name) ?? this.all.find(({ code }) => code === name);
            if (channel?.mayAssign === true) return [channel.token];
            const problem = channel
                ? "is a channel in which the run's user lacks the permission for it"
                : `names no channel; ${known(this.all.filter(({ mayAssign }) => mayAssign).map(({ token }) => token))}`;
            reader.faults.add(`${reader.path(field)}.${i}`, `is ${quoted(name)}, which ${problem}`, name);
            return [];
        });
    }

    /** The channels of every new entity: the run's own and the default one. They are never removed. */
    get always(): readonly string[] {
        return this.sorted(this.all.filter(({ id }) => id === this.run.id || id === this.run.defaultId));
    }

    tokensOf(ids: readonly ID[]): readonly string[] {
        return this.sorted(this.all.filter(({ id }) => ids.includes(id)));
    }

    /** The desired channels; an entity stays in channels from which the run's user may not remove it. */
    wanted(listed: readonly string[], before: readonly string[], isMerge: boolean): readonly string[] {
        const desired = new Set([...this.always, ...listed]);
        return this.sorted(
            this.all.filter(
                ({ token, mayRemove }) => desired.has(token) || (before.includes(token) && (isMerge || !mayRemove)),
            ),
        );
    }

    /** What has to be done for it. */
    moves(
        before: readonly string[],
        after: readonly string[],
    ): { readonly added: readonly ID[]; readonly removed: readonly ID[] } {
        const ids = (some: readonly string[], others: readonly string[]): readonly ID[] =>
            this.all.flatMap(({ id, token }) => (some.includes(token) && !others.includes(token) ? [id] : []));
        return { added: ids(after, before), removed: ids(before, after) };
    }

    private sorted(channels: readonly ShopChannel[]): readonly string[] {
        return channels.map(({ token }) => token).sort();
    }
}

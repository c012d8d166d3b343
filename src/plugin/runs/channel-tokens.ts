import { DEFAULT_CHANNEL_CODE } from '@vendure/common/lib/shared-constants';
import { Channel } from '@vendure/core';
import type { DataSource } from 'typeorm';
import type { StatementProgram } from '../../core/adapter/loader';
import { flowError } from '../../core/errors/flow-error';
import { join, name, select, sql } from '../../database/statement';
import { tableOf } from '../../database/table';
import type { Id } from '../../database/write';

/** What belongs to a channel by its token, and how messages call it: `Pipeline "imports"`. */
export interface ChannelScoped {
    readonly what: string;
    readonly token: string | undefined;
}

/** Returns the channel of a token, or the default channel without one. Throws CHANNEL_NOT_FOUND with the existing channels. */
export type ChannelLookup = (desired: ChannelScoped) => Id;

export function* readChannels(dataSource: DataSource): StatementProgram<ChannelLookup> {
    const channels = tableOf(dataSource, Channel);
    const columns = join(
        ['id', 'token', 'code'].map(property => sql`${channels.column(property)} AS ${name(property)}`),
    );
    const rows = yield* select<{ id: Id; token: string; code: string }>(sql`SELECT ${columns} FROM ${channels.name}`);
    return ({ what, token }) => {
        const found = rows.find(channel =>
            token === undefined ? channel.code === DEFAULT_CHANNEL_CODE : channel.token === token,
        );
        if (found) return found.id;
        const known = rows.map(channel => `"${channel.token}"`).join(', ');
        throw flowError('CHANNEL_NOT_FOUND', { what, token: token ?? DEFAULT_CHANNEL_CODE, known });
    };
}

import { Injectable } from '@nestjs/common';
import { type ID, TransactionalConnection } from '@vendure/core';
import { In } from 'typeorm';
import { didYouMean } from '../../core/data/near';
import { FlowConnection } from '../entities/connection';
import { FlowSecret } from '../entities/secret';

/** Most channels have a handful; among more than these nobody's slip of the pen is looked for. */
const MOST_COMPARED = 1_000;

/** A secret or connection as references see it. */
export type KnownSecret = Pick<FlowSecret, 'code' | 'enabled'>;
export type KnownConnection = Pick<FlowConnection, 'code' | 'type' | 'settings' | 'enabled'>;

/** Of a connection or secret that is disabled. */
export const GONE = "it is disabled, since it is gone from the shop's code";

/** Looks up by their codes what a channel has: one statement for however many. */
@Injectable()
export class KnownCodes {
    constructor(private readonly connection: TransactionalConnection) {}

    async secrets(channelId: ID, codes: Iterable<string>): Promise<ReadonlyMap<string, KnownSecret>> {
        const wanted = [...new Set(codes)];
        if (wanted.length === 0) return new Map();
        const rows = await this.connection.rawConnection.getRepository(FlowSecret).find({
            where: { channelId, code: In(wanted) },
            select: { code: true, enabled: true },
        });
        return new Map(rows.map(row => [row.code, row]));
    }

    async connections(channelId: ID, codes: Iterable<string>): Promise<ReadonlyMap<string, KnownConnection>> {
        const wanted = [...new Set(codes)];
        if (wanted.length === 0) return new Map();
        const rows = await this.connection.rawConnection.getRepository(FlowConnection).find({
            where: { channelId, code: In(wanted) },
            select: { code: true, type: true, settings: true, enabled: true },
        });
        return new Map(rows.map(row => [row.code, row]));
    }

    /** Answers "Did you mean …?" for codes that the channel does not have, or what to do about it. */
    async hints(channelId: ID, to: 'secret' | 'connection'): Promise<(code: string) => string> {
        const { rawConnection } = this.connection;
        const find = {
            where: { channelId, enabled: true },
            select: { code: true },
            order: { code: 'ASC' },
            take: MOST_COMPARED,
        } as const;
        const rows: ReadonlyArray<{ readonly code: string }> =
            to === 'secret'
                ? await rawConnection.getRepository(FlowSecret).find(find)
                : await rawConnection.getRepository(FlowConnection).find(find);
        const known = rows.map(({ code }) => code);
        const place = to === 'secret' ? 'Secrets' : 'Connections';
        return code => didYouMean(code, known) ?? `Create it under ${place}, or declare it in the plugin's options.`;
    }
}

import { Inject, Injectable } from '@nestjs/common';
import { DEFAULT_CHANNEL_CODE } from '@vendure/common/lib/shared-constants';
import { Channel, type ID, TransactionalConnection } from '@vendure/core';
import type { Script } from '../../core/adapter/loader';
import type { Registry } from '../../core/adapter/registry';
import { allowedEntryOf, isAllowedHost, type SavedConnections, type SecretUse } from '../../core/adapter/secret-hosts';
import type { JsonObject } from '../../core/value/json';
import type { Database } from '../../database/database';
import { column, join, name, select, type Sql, sql } from '../../database/statement';
import { type Table, tableOf } from '../../database/table';
import type { Id, Row } from '../../database/write';
import { FlowConnection } from '../entities/connection';
import { FlowSecret } from '../entities/secret';
import { connectionSecretUses, readConnection, type StoredConnection } from '../options/connection-settings';
import type { FlowSetup } from '../setup';
import { FLOW_DATABASE, FLOW_SETUP } from '../tokens';
import { WorkLane } from '../work-lane';
import { findingSecretUses } from './definition-secret-uses';

/** Answers by the codes of secrets: the hosts that each may be sent to, as entries of `allowedHosts`. */
export type AllowedHosts = ReadonlyMap<string, readonly string[]>;

/** A secret and the channel that it belongs to. */
interface SecretRow {
    readonly code: string;
    readonly allowedHosts: readonly string[] | null;
    readonly codeFirst: boolean;
    readonly channelCode: string;
    readonly channelToken: string;
}

/** Where a pipeline of the shop's code sends secrets, and the token of its channel. */
interface WrittenUses {
    readonly token: string | undefined;
    readonly uses: readonly SecretUse[];
}

/**
 * Answers where secrets may be sent: to their allowed hosts, to the servers of saved connections that name them, and to the servers of code-first
 * pipelines that name them, unless the shop's code lists the hosts of the secret.
 */
@Injectable()
export class SecretHosts {
    private readonly secrets: Table;
    private readonly connections: Table;
    private readonly channels: Table;
    private written: { readonly registry: Registry; readonly uses: Promise<readonly WrittenUses[]> } | undefined;

    constructor(
        { rawConnection }: TransactionalConnection,
        private readonly lane: WorkLane,
        @Inject(FLOW_DATABASE) private readonly database: Database,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {
        this.secrets = tableOf(rawConnection, FlowSecret);
        this.connections = tableOf(rawConnection, FlowConnection);
        this.channels = tableOf(rawConnection, Channel);
    }

    /** Two statements, however many secrets. Codes that the channel does not have are left out. */
    async allowedFor(channelId: ID, codes: readonly string[]): Promise<AllowedHosts> {
        if (codes.length === 0) return new Map();
        const written = await this.codeFirstUses();
        return this.database.run(() => this.script(channelId, codes, written));
    }

    /** Those of these uses that are not allowed. */
    async refused(channelId: ID, uses: readonly SecretUse[]): Promise<readonly SecretUse[]> {
        const allowed = await this.allowedFor(channelId, [...new Set(uses.map(({ secretCode }) => secretCode))]);
        return uses.filter(use => !isAllowedHost(allowed.get(use.secretCode) ?? [], use));
    }

    private *script(channelId: ID, codes: readonly string[], written: readonly WrittenUses[]): Script<AllowedHosts> {
        const rows = yield* this.secretRows(channelId, codes);
        const saved = yield* this.connectionUses(channelId);
        return new Map(
            rows.map(row => {
                const isListed = row.codeFirst && row.allowedHosts !== null;
                const uses = isListed ? saved : [...saved, ...written.filter(inChannel(row)).flatMap(one => one.uses)];
                return [row.code, [...new Set([...(row.allowedHosts ?? []), ...entriesOf(row.code, uses)])]];
            }),
        );
    }

    /** Where the pipelines of the shop's code send secrets. Looked through once, and again when another plugin has registered adapters meanwhile. */
    private async codeFirstUses(): Promise<readonly WrittenUses[]> {
        const { registry } = this.setup;
        if (this.written?.registry !== registry) {
            const uses = this.findCodeFirstUses();
            this.written = { registry, uses };
            // An adapter that throws is asked again.
            uses.catch(() => (this.written = undefined));
        }
        return this.written.uses;
    }

    private async findCodeFirstUses(): Promise<readonly WrittenUses[]> {
        const { pipelines, registry, options } = this.setup;
        const found: WrittenUses[] = [];
        for (const { source } of pipelines) {
            const connections: SavedConnections = code => {
                const known = options.connections.find(one => one.code === code && one.channel === source.channel);
                const read = known && readConnection({ ...known, enabled: true }, registry);
                return read && 'connection' in read ? read.connection : undefined;
            };
            const definition = source.definition as unknown as JsonObject;
            const uses = await this.lane.done(findingSecretUses(definition, registry, connections));
            if (uses.length > 0) found.push({ token: source.channel, uses });
        }
        return found;
    }

    private *secretRows(channelId: ID, codes: readonly string[]): Script<readonly SecretRow[]> {
        const { secrets, channels, database } = this;
        const of = (table: Table, alias: string, property: string): Sql =>
            sql`${column(alias, table.column(property).name)}`;
        const rows = yield* select<Row>(sql`
            SELECT ${of(secrets, 's', 'code')} AS ${name('code')}, ${of(secrets, 's', 'allowedHosts')} AS ${name('allowedHosts')},
                ${of(secrets, 's', 'codeFirst')} AS ${name('codeFirst')},
                ${of(channels, 'c', 'code')} AS ${name('channelCode')}, ${of(channels, 'c', 'token')} AS ${name('channelToken')}
            FROM ${secrets.name} ${name('s')} JOIN ${channels.name} ${name('c')} ON ${of(channels, 'c', 'id')} = ${of(secrets, 's', 'channelId')}
            WHERE ${of(secrets, 's', 'channelId')} = ${channelId as Id} AND ${database.dialect.oneOf(of(secrets, 's', 'code'), [...codes])}`);
        return rows.map(row => ({
            ...(row as unknown as SecretRow),
            allowedHosts: secrets.fromColumn('allowedHosts', row['allowedHosts']) as SecretRow['allowedHosts'],
            codeFirst: secrets.fromColumn('codeFirst', row['codeFirst']) as boolean,
        }));
    }

    /** Where saved connections of the channel send secrets: saving them needed the permission for it. */
    private *connectionUses(channelId: ID): Script<readonly SecretUse[]> {
        const { connections } = this;
        const properties = ['code', 'type', 'settings', 'enabled'];
        const rows = yield* select<Row>(sql`
            SELECT ${join(properties.map(property => sql`${connections.column(property)} AS ${name(property)}`))} FROM ${connections.name}
            WHERE ${connections.column('channelId')} = ${channelId as Id} AND ${connections.column('enabled')} = ${true}`);
        return rows.flatMap(row => {
            const settings = connections.fromColumn('settings', row['settings']);
            return connectionSecretUses({ ...row, settings } as unknown as StoredConnection, this.setup.registry);
        });
    }
}

/** The default channel can be named by its token or not at all. */
function inChannel({ channelCode, channelToken }: SecretRow): (written: WrittenUses) => boolean {
    return ({ token }) => (token === undefined ? channelCode === DEFAULT_CHANNEL_CODE : token === channelToken);
}

function entriesOf(code: string, uses: readonly SecretUse[]): readonly string[] {
    return uses.flatMap(use => (use.secretCode === code ? (allowedEntryOf(use) ?? []) : []));
}

import { Inject, Injectable } from '@nestjs/common';
import { DEFAULT_CHANNEL_CODE } from '@vendure/common/lib/shared-constants';
import { Channel, type ID, TransactionalConnection } from '@vendure/core';
import type { StatementProgram } from '../../core/adapter/loader';
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
import { ProcessTaskQueue } from '../process-task-queue';
import { findingSecretUses } from './definition-secret-uses';

/** A host that a secret may be sent to, and what allows it: its own `allowedHosts`, or a connection or code-first pipeline. */
export interface EffectiveHost {
    /** In the form of an entry of `allowedHosts`. */
    readonly host: string;
    readonly connectionCode?: string;
    readonly pipelineCode?: string;
}

/** Where a secret may be sent. */
interface SecretReach {
    readonly hosts: readonly EffectiveHost[];
    /** True if only the shop's code can allow more hosts. */
    readonly codeFirst: boolean;
}

/** A use of a secret that is not allowed. */
export type RefusedUse<U extends SecretUse = SecretUse> = U & Pick<SecretReach, 'codeFirst'>;

/** A secret and the channel that it belongs to. */
interface SecretRow {
    readonly code: string;
    readonly allowedHosts: readonly string[] | null;
    readonly codeFirst: boolean;
    readonly channelCode: string;
    readonly channelToken: string;
}

/** Where a saved connection sends the secrets that it names. */
interface ConnectionUses {
    readonly connectionCode: string;
    readonly codeFirst: boolean;
    readonly uses: readonly SecretUse[];
}

/** Where a pipeline of the shop's code sends secrets, and the token of its channel. */
interface WrittenUses {
    readonly pipelineCode: string;
    readonly token: string | undefined;
    readonly uses: readonly SecretUse[];
}

/**
 * Finds where secrets may be sent: to their allowed hosts, to the servers of saved connections that name them, and to the servers of code-first pipelines that
 * name them, unless the shop's code lists the hosts of the secret. Connections that users have created do not allow hosts for secrets of the shop's code.
 */
@Injectable()
export class SecretHosts {
    private readonly secrets: Table;
    private readonly connections: Table;
    private readonly channels: Table;
    private written: { readonly registry: Registry; readonly uses: Promise<readonly WrittenUses[]> } | undefined;

    constructor(
        { rawConnection }: TransactionalConnection,
        private readonly taskQueue: ProcessTaskQueue,
        @Inject(FLOW_DATABASE) private readonly database: Database,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {
        this.secrets = tableOf(rawConnection, FlowSecret);
        this.connections = tableOf(rawConnection, FlowConnection);
        this.channels = tableOf(rawConnection, Channel);
    }

    /** The reach of secrets by their codes. Uses two statements, however many secrets there are. Unknown codes are left out. */
    async reachOf(channelId: ID, codes: readonly string[]): Promise<ReadonlyMap<string, SecretReach>> {
        if (codes.length === 0) return new Map();
        const written = await this.codeFirstUses();
        return this.database.run(() => this.statementProgram(channelId, codes, written));
    }

    /** The uses among these that are not allowed. */
    async refused<U extends SecretUse>(channelId: ID, uses: readonly U[]): Promise<ReadonlyArray<RefusedUse<U>>> {
        const reaches = await this.reachOf(channelId, [...new Set(uses.map(({ secretCode }) => secretCode))]);
        return uses.flatMap(use => {
            const { hosts, codeFirst } = reaches.get(use.secretCode) ?? NOWHERE;
            return isAllowedHost(entriesOf(hosts), use) ? [] : [{ ...use, codeFirst }];
        });
    }

    private *statementProgram(
        channelId: ID,
        codes: readonly string[],
        written: readonly WrittenUses[],
    ): StatementProgram<ReadonlyMap<string, SecretReach>> {
        const rows = yield* this.secretRows(channelId, codes);
        const saved = yield* this.connectionUses(channelId);
        return new Map(
            rows.map(row => {
                const { code, codeFirst } = row;
                const own = row.allowedHosts ?? [];
                const isListed = codeFirst && row.allowedHosts !== null;
                const hosts = [
                    ...own.map(host => ({ host })),
                    ...saved
                        .filter(one => one.codeFirst || !codeFirst)
                        .flatMap(({ connectionCode, uses }) => hostsOf(code, uses, { connectionCode })),
                    ...(isListed ? [] : written.filter(inChannel(row))).flatMap(({ pipelineCode, uses }) =>
                        hostsOf(code, uses, { pipelineCode }),
                    ),
                ];
                return [code, { hosts, codeFirst }];
            }),
        );
    }

    /** Where code-first pipelines send secrets. Computed once, and again if another plugin has registered adapters in the meantime. */
    private async codeFirstUses(): Promise<readonly WrittenUses[]> {
        const { registry } = this.setup;
        if (this.written?.registry !== registry) {
            const uses = this.findCodeFirstUses();
            this.written = { registry, uses };
            // If an adapter throws, the next call tries again.
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
            const uses = await this.taskQueue.done(findingSecretUses(definition, registry, connections));
            if (uses.length > 0) found.push({ pipelineCode: source.code, token: source.channel, uses });
        }
        return found;
    }

    private *secretRows(channelId: ID, codes: readonly string[]): StatementProgram<readonly SecretRow[]> {
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

    /** Where saved connections of the channel send secrets. Saving them required the permission for it. */
    private *connectionUses(channelId: ID): StatementProgram<readonly ConnectionUses[]> {
        const { connections } = this;
        const properties = ['code', 'type', 'settings', 'enabled', 'codeFirst'];
        const rows = yield* select<Row>(sql`
            SELECT ${join(properties.map(property => sql`${connections.column(property)} AS ${name(property)}`))} FROM ${connections.name}
            WHERE ${connections.column('channelId')} = ${channelId as Id} AND ${connections.column('enabled')} = ${true}
            ORDER BY ${connections.column('code')}`);
        return rows.map(row => {
            const settings = connections.fromColumn('settings', row['settings']);
            const stored = { ...row, settings } as unknown as StoredConnection;
            return {
                connectionCode: stored.code,
                codeFirst: connections.fromColumn('codeFirst', row['codeFirst']) === true,
                uses: connectionSecretUses(stored, this.setup.registry),
            };
        });
    }
}

/** A pipeline may name the default channel by its token or not at all. */
function inChannel({ channelCode, channelToken }: SecretRow): (written: WrittenUses) => boolean {
    return ({ token }) => (token === undefined ? channelCode === DEFAULT_CHANNEL_CODE : token === channelToken);
}

const NOWHERE: SecretReach = { hosts: [], codeFirst: false };

/** The hosts as entries of `allowedHosts`. */
export function entriesOf(hosts: readonly EffectiveHost[]): readonly string[] {
    return [...new Set(hosts.map(({ host }) => host))];
}

function hostsOf(
    secretCode: string,
    uses: readonly SecretUse[],
    by: Pick<EffectiveHost, 'connectionCode' | 'pipelineCode'>,
): readonly EffectiveHost[] {
    const entries = uses.flatMap(use => (use.secretCode === secretCode ? (allowedEntryOf(use) ?? []) : []));
    return [...new Set(entries)].map(host => ({ host, ...by }));
}

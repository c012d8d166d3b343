import type { DataSource, EntityTarget, ObjectLiteral } from 'typeorm';
import type { StatementProgram } from '../../core/adapter/loader';
import { canonicalJson, type JsonObject, type JsonValue } from '../../core/value/json';
import type { Database } from '../../database/database';
import { join, name, select, sql } from '../../database/statement';
import { type Table, tableOf } from '../../database/table';
import { type Id, insertNumbered, type Row, type WriteTarget, updateRows } from '../../database/write';
import { FlowConnection } from '../entities/connection';
import { FlowSecret } from '../entities/secret';
import type { ConnectionSource, SecretSource } from '../options/options';
import { optionInvalid } from '../options/joined';
import type { ChannelLookup } from '../runs/channel-tokens';

/** The result of a sync of secrets or connections, by code. */
export interface ResourceReport {
    readonly created: readonly string[];
    readonly changed: readonly string[];
    /** Resources that are no longer in the code. */
    readonly disabled: readonly string[];
}

/** A secret or connection as it is to be stored. */
type Wanted = Readonly<Record<string, JsonValue>> & { readonly channelId: Id; readonly code: string };
type Stored = Wanted & {
    readonly id: Id;
    readonly enabled: boolean;
    readonly codeFirst: boolean;
    readonly version: number;
};

interface Kind {
    readonly target: WriteTarget & { readonly table: Table };
    /** The properties that the code decides, in addition to channel and code. */
    readonly own: readonly string[];
}

/**
 * Makes the stored secrets and connections equal to the code. A resource that is no longer in the code is disabled and kept. One that users
 * have created under the same code is taken over. The value of an INLINE secret stays in the code. Needs three statements for each kind.
 */
export class ResourceSync {
    private readonly secrets: Kind;
    private readonly connections: Kind;

    constructor(dataSource: DataSource, { dialect }: Database) {
        const kind = (entity: EntityTarget<ObjectLiteral>, own: readonly string[]): Kind => ({
            target: { table: tableOf(dataSource, entity), dialect },
            own,
        });
        this.secrets = kind(FlowSecret, ['provider', 'value', 'keyId', 'allowedHosts']);
        this.connections = kind(FlowConnection, ['name', 'type', 'settings']);
    }

    *syncSecrets(sources: readonly SecretSource[], channelLookup: ChannelLookup): StatementProgram<ResourceReport> {
        const desired = sources.map(({ code, provider, value, channel, allowedHosts }) => ({
            code,
            channelId: channelLookup({ what: `Secret "${code}"`, token: channel }),
            provider,
            value: provider === 'ENV' ? value : null,
            keyId: null,
            allowedHosts: allowedHosts ?? null,
        }));
        return yield* sync(this.secrets, once(desired, 'secrets'));
    }

    *syncConnections(
        sources: readonly ConnectionSource[],
        channelLookup: ChannelLookup,
    ): StatementProgram<ResourceReport> {
        const desired = sources.map(({ code, name: title = code, type, settings, channel }) => ({
            code,
            channelId: channelLookup({ what: `Connection "${code}"`, token: channel }),
            name: title,
            type,
            settings,
        }));
        return yield* sync(this.connections, once(desired, 'connections'));
    }
}

/**
 * Rejects duplicates. The default channel may be given by its token or omitted; only now is it known that both mean the same. Throws
 * OPTION_INVALID.
 */
function once<T extends Wanted>(desired: readonly T[], option: string): readonly T[] {
    const seen = new Set<string>();
    for (const row of desired) {
        if (seen.has(keyOf(row))) {
            throw optionInvalid([
                {
                    path: option,
                    message: `the code "${row.code}" is defined twice in a channel, once with the channel's token and once without`,
                },
            ]);
        }
        seen.add(keyOf(row));
    }
    return desired;
}

function* sync({ target, own }: Kind, desired: readonly Wanted[]): StatementProgram<ResourceReport> {
    const stored = yield* read(
        { target, own },
        desired.map(({ code }) => code),
    );
    const byKey = new Map(stored.map(row => [keyOf(row), row]));
    const keys = new Set(desired.map(keyOf));
    const fresh = desired.filter(row => !byKey.has(keyOf(row)));
    const changed = desired.flatMap(row => {
        const known = byKey.get(keyOf(row));
        return known && differs(known, row, own)
            ? [{ ...known, ...row, enabled: true, codeFirst: true, version: known.version + 1 }]
            : [];
    });
    const gone = stored
        .filter(row => row.codeFirst && row.enabled && !keys.has(keyOf(row)))
        .map(row => ({ ...row, enabled: false, version: row.version + 1 }));
    yield* insertNumbered(
        target,
        fresh.map(row => ({ ...row, enabled: true, codeFirst: true, version: 1 })),
    );
    // One statement needs the same properties in the same order for all rows.
    yield* updateRows(
        target,
        [...changed, ...gone].map(row => picked(row, ['id', ...own, 'enabled', 'codeFirst', 'version'])),
    );
    return { created: fresh.map(codeOf), changed: changed.map(codeOf), disabled: gone.map(codeOf) };
}

/** The resources with these codes, and all others that came from code. They are locked until the transaction has ended. */
function* read(
    { target: { table, dialect }, own }: Omit<Kind, 'kept'>,
    codes: readonly string[],
): StatementProgram<readonly Stored[]> {
    const properties = ['id', 'channelId', 'code', ...own, 'enabled', 'codeFirst', 'version'];
    const rows = yield* select<Row>(sql`
        SELECT ${join(properties.map(property => sql`${table.column(property)} AS ${name(property)}`))} FROM ${table.name}
        WHERE ${table.column('codeFirst')} = ${true} OR ${dialect.oneOf(table.column('code'), codes)}
        ORDER BY ${table.column('id')}${dialect.forUpdate}`);
    return rows.map(
        row =>
            Object.fromEntries(
                properties.map(property => [property, table.fromColumn(property, row[property])]),
            ) as unknown as Stored,
    );
}

function differs(known: Stored, desired: Wanted, own: readonly string[]): boolean {
    if (!known.enabled || !known.codeFirst) return true;
    return canonicalJson(picked(known, own) as JsonObject) !== canonicalJson(picked(desired, own) as JsonObject);
}

function picked(row: Row, properties: readonly string[]): Row {
    return Object.fromEntries(properties.map(property => [property, row[property]]));
}

function keyOf({ channelId, code }: Pick<Wanted, 'channelId' | 'code'>): string {
    return JSON.stringify([String(channelId), code]);
}

function codeOf({ code }: { readonly code: string }): string {
    return code;
}

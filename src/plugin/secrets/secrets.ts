import { Inject, Injectable } from '@nestjs/common';
import {
    Channel,
    type ID,
    ListQueryBuilder,
    type ListQueryOptions,
    type PaginatedList,
    type RequestContext,
    TransactionalConnection,
} from '@vendure/core';
import { In } from 'typeorm';
import type { Secret } from '../../core/adapter/secret';
import { type FlowError, flowError } from '../../core/errors/flow-error';
import { show } from '../../core/value/show';
import { seal } from '../../io/crypto/envelope';
import type { Database } from '../../database/database';
import { withDatabaseErrors } from '../../database/database-errors';
import type { Id } from '../../database/write';
import { FlowSecret, type SecretProvider } from '../entities/secret';
import { withDefaultSort } from '../stores/list-order';
import type { FlowSetup } from '../setup';
import { FLOW_DATABASE, FLOW_SETUP } from '../tokens';
import { KnownCodes } from '../references/known-codes';
import { checkedHosts, checkSecretCode, checkValue, type SecretInput } from '../options/secret-input';
import { type RotationReport, rotate } from './secret-rotation';
import { type EffectiveHost, entriesOf, SecretHosts } from './secret-hosts';
import { SecretRows } from './secret-rows';
import { codeFirstValues, DISABLED, readSecret, secretProblem, type SecretRules } from './secret-values';
import { ResourceUsage } from '../references/usage';

/** A change of a secret. Omitted fields keep their value. */
export interface SecretChange {
    readonly id: ID;
    readonly version: number;
    readonly provider?: SecretProvider | null;
    readonly value?: string | null;
    readonly allowedHosts?: readonly string[] | null;
}

/** Secrets that can be read, and why others cannot. */
export interface OpenedSecrets {
    readonly secrets: readonly Secret[];
    readonly problems: readonly string[];
}

/**
 * The secrets of a channel: set here, opened by runs, never shown. An INLINE value is encrypted before any statement is made of it, so
 * neither the database nor a log of queries ever sees it.
 */
@Injectable()
export class Secrets {
    private readonly rows: SecretRows;

    constructor(
        private readonly connection: TransactionalConnection,
        private readonly lists: ListQueryBuilder,
        private readonly usage: ResourceUsage,
        private readonly known: KnownCodes,
        private readonly hosts: SecretHosts,
        @Inject(FLOW_DATABASE) database: Database,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {
        this.rows = new SecretRows(connection.rawConnection, database);
    }

    async list(ctx: RequestContext, options?: ListQueryOptions<FlowSecret>): Promise<PaginatedList<FlowSecret>> {
        const orderBy = withDefaultSort(options, { code: 'ASC' });
        const query = this.lists.build(FlowSecret, options, { ctx, where: { channelId: ctx.channelId }, orderBy });
        const [items, totalItems] = await query.getManyAndCount();
        return { items, totalItems };
    }

    find(ctx: RequestContext, by: { readonly id: ID } | { readonly code: string }): Promise<FlowSecret | null> {
        return this.connection.getRepository(ctx, FlowSecret).findOne({ where: { ...by, channelId: ctx.channelId } });
    }

    /** Throws INPUT_INVALID, CODE_TAKEN, and MASTER_KEY_INVALID for an INLINE secret. */
    async create(
        ctx: RequestContext,
        { code, provider, value, allowedHosts: given }: SecretInput,
    ): Promise<FlowSecret> {
        checkSecretCode(code);
        const allowedHosts = checkedHosts(given ?? []);
        const channelId = ctx.channelId as Id;
        const set = stored({ code, provider, value }, channelId);
        const id = await this.rows.insert({ channelId, code, ...set, allowedHosts });
        return this.existing(ctx, id);
    }

    /** Throws SECRET_NOT_FOUND, CODE_FIRST_READ_ONLY, REVISION_CONFLICT, INPUT_INVALID, and MASTER_KEY_INVALID for an INLINE value. */
    async update(ctx: RequestContext, { id, version, ...given }: SecretChange): Promise<FlowSecret> {
        const secret = await this.own(ctx, id);
        if (secret.version !== version) throw conflict(secret, version);
        const channelId = ctx.channelId as Id;
        const set = {
            ...changedValue(secret, given, channelId),
            ...(given.allowedHosts != null && { allowedHosts: checkedHosts(given.allowedHosts) }),
        };
        if (Object.keys(set).length === 0) return secret;
        const isChanged = await this.rows.update({ id: secret.id as Id, channelId, version }, set);
        if (!isChanged) throw conflict(await this.own(ctx, id), version);
        return this.existing(ctx, id);
    }

    /** Throws SECRET_NOT_FOUND, CODE_FIRST_READ_ONLY and IN_USE. */
    async delete(ctx: RequestContext, id: ID): Promise<void> {
        const { code } = await this.own(ctx, id);
        const users = (await this.usage.users(ctx.channelId, 'secret')).get(code) ?? [];
        if (users.length > 0) throw flowError('IN_USE', { what: 'Secret', code, users: users.join(', ') });
        if (!(await this.rows.remove(id as Id, ctx.channelId as Id))) throw notFound();
    }

    /** Encrypts the channel's INLINE secrets with the current master key. Throws MASTER_KEY_INVALID. */
    rotate(ctx: RequestContext): Promise<RotationReport> {
        return rotate(this.rows, ctx.channelId as Id);
    }

    /** Throws SECRET_NOT_FOUND, SECRET_UNREADABLE and MASTER_KEY_INVALID. */
    async open(channelId: ID, code: string): Promise<Secret> {
        return (await this.openAll(channelId, [code])).get(code)!;
    }

    /** As `open`, all of them with three statements or four. */
    async openAll(channelId: ID, codes: readonly string[]): Promise<ReadonlyMap<string, Secret>> {
        const { manager } = this.connection.rawConnection;
        const rows = await withDatabaseErrors(() => manager.findBy(FlowSecret, { channelId, code: In([...codes]) }));
        const where = { id: channelId };
        const channels = rows.some(isInMemory)
            ? await withDatabaseErrors(() => manager.find(Channel, { where, loadEagerRelations: false }))
            : [];
        const rules = this.rules(channels);
        const reaches = await this.hosts.reachOf(channelId, codes);
        const opened = new Map<string, Secret>();
        for (const code of codes) {
            const row = rows.find(secret => secret.code === code);
            if (!row?.enabled)
                throw flowError('SECRET_NOT_FOUND', {
                    which: show(code),
                    hint: row
                        ? DISABLED
                        : (await this.known.ask(known => known.hints(channelId as Id, 'secret')))(code),
                });
            opened.set(code, readSecret(row, rules, entriesOf(reaches.get(code)?.hosts ?? [])));
        }
        return opened;
    }

    /**
     * Those of these secrets that can be read, and why the others cannot: one statement, whatever there is. They verify what comes in and may be sent nowhere.
     */
    async openThere(channel: Pick<Channel, 'id' | 'code' | 'token'>, codes: readonly string[]): Promise<OpenedSecrets> {
        const rows = await this.connection.rawConnection
            .getRepository(FlowSecret)
            .find({ where: { channelId: channel.id, code: In([...codes]) } });
        const rules = this.rules([channel]);
        const secrets: Secret[] = [];
        const problems: string[] = [];
        for (const code of codes) {
            const row = rows.find(secret => secret.code === code);
            const problem = row ? secretProblem(row, rules) : `The channel has no secret "${code}".`;
            if (row && problem === undefined) secrets.push(readSecret(row, rules));
            else problems.push(problem!);
        }
        return { secrets, problems };
    }

    /** Why this process cannot read a secret of that channel; undefined when it can. Nothing of the value is in the answer. */
    problemOf(secret: FlowSecret, channel: Channel): string | undefined {
        return secretProblem(secret, this.rules([channel]));
    }

    /** Every host that the secrets with these codes may be sent to, and what allows it. Those of other channels are left out. */
    async hostsOf(
        ctx: RequestContext,
        codes: readonly string[],
    ): Promise<ReadonlyMap<string, readonly EffectiveHost[]>> {
        const reaches = await this.hosts.reachOf(ctx.channelId, codes);
        return new Map([...reaches].map(([code, { hosts }]) => [code, hosts]));
    }

    private rules(channels: ReadonlyArray<Pick<Channel, 'id' | 'code' | 'token'>>): SecretRules {
        const { secrets, security } = this.setup.options;
        return { values: codeFirstValues(secrets, channels), variables: security.secretVariables };
    }

    /** One that callers may change. */
    private async own(ctx: RequestContext, id: ID): Promise<FlowSecret> {
        const secret = await this.existing(ctx, id);
        if (secret.codeFirst) throw flowError('CODE_FIRST_READ_ONLY', { what: 'Secret', code: secret.code });
        return secret;
    }

    private async existing(ctx: RequestContext, id: ID): Promise<FlowSecret> {
        const secret = await this.find(ctx, { id });
        if (!secret) throw notFound();
        return secret;
    }
}

function isInMemory({ codeFirst, provider }: FlowSecret): boolean {
    return codeFirst && provider === 'INLINE';
}

/** The columns of a changed value. Empty if the value stays the same. */
function changedValue(
    secret: FlowSecret,
    { provider, value }: Pick<SecretChange, 'provider' | 'value'>,
    channelId: Id,
): Partial<Pick<FlowSecret, 'provider' | 'value' | 'keyId'>> {
    if (value != null) return stored({ code: secret.code, provider: provider ?? secret.provider, value }, channelId);
    if (provider != null && provider !== secret.provider)
        throw flowError('INPUT_INVALID', {
            problem: `value is missing; it is needed to change the provider from ${secret.provider} to ${provider}`,
        });
    return {};
}

/** The columns of a value: the name of a variable, or an envelope. */
function stored(
    { code, provider, value }: Pick<SecretInput, 'code' | 'provider' | 'value'>,
    channelId: Id,
): Pick<FlowSecret, 'provider' | 'value' | 'keyId'> {
    checkValue(provider, value);
    if (provider === 'ENV') return { provider, value, keyId: null };
    const { text, keyId } = seal(value, { channelId, code });
    return { provider, value: text, keyId };
}

function conflict({ code, version: current }: FlowSecret, given: number): FlowError {
    return flowError('REVISION_CONFLICT', { what: 'Secret', code, current, given });
}

function notFound(): FlowError {
    return flowError('SECRET_NOT_FOUND', { which: 'with this id', hint: 'It may be deleted.' });
}

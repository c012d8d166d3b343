import { Inject, Injectable } from '@nestjs/common';
import {
    type ID,
    ListQueryBuilder,
    type ListQueryOptions,
    type PaginatedList,
    type RequestContext,
    TransactionalConnection,
} from '@vendure/core';
import type { Connection } from '../../core/adapter/connection';
import { secretHostError } from '../../core/adapter/secret-hosts';
import type { JsonObject } from '../../core/value/json';
import { show } from '../../core/value/show';
import { type FlowError, flowError } from '../../core/errors/flow-error';
import { clause } from '../../core/errors/rendered';
import { ISSUE_TEXTS } from '../../core/schema/issue-texts';
import { issueAt } from '../../core/schema/issues';
import { RESOURCE_CODE } from '../../core/schema/fields';
import { hostProblemOf } from '../../io/outbound/host-problem';
import type { Database } from '../../database/database';
import type { Id } from '../../database/write';
import { FlowConnection } from '../entities/connection';
import { withDefaultSort } from '../stores/list-order';
import type { FlowSetup } from '../setup';
import { FLOW_DATABASE, FLOW_SETUP } from '../tokens';
import {
    checkConnectionCode,
    checkedInput,
    checkedName,
    checkedType,
    type ConnectionChange,
    type ConnectionInput,
    InputIssues,
} from './connection-input';
import { ConnectionRows } from './connection-rows';
import {
    blockedSettings,
    connectionSecretUses,
    connectionType,
    readConnection,
    secretsOf,
} from '../options/connection-settings';
import { PRUNED, type InChannel, KnownCodes } from '../references/known-codes';
import { ResourceUsage } from '../references/usage';
import { mayManageSecrets } from '../secrets/secret-destinations';
import { SecretHosts } from '../secrets/secret-hosts';

/**
 * The connections of a channel: managed by callers of the API or the shop's code, opened by runs. Connections of other channels are not
 * visible.
 */
@Injectable()
export class Connections {
    private readonly rows: ConnectionRows;

    constructor(
        private readonly connection: TransactionalConnection,
        private readonly lists: ListQueryBuilder,
        private readonly known: KnownCodes,
        private readonly usage: ResourceUsage,
        private readonly hosts: SecretHosts,
        @Inject(FLOW_DATABASE) database: Database,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {
        this.rows = new ConnectionRows(connection.rawConnection, database);
    }

    async list(
        ctx: RequestContext,
        options?: ListQueryOptions<FlowConnection>,
    ): Promise<PaginatedList<FlowConnection>> {
        const orderBy = withDefaultSort(options, { code: 'ASC' });
        const query = this.lists.build(FlowConnection, options, { ctx, where: { channelId: ctx.channelId }, orderBy });
        const [items, totalItems] = await query.getManyAndCount();
        return { items, totalItems };
    }

    find(ctx: RequestContext, by: { readonly id: ID } | { readonly code: string }): Promise<FlowConnection | null> {
        return this.connection
            .getRepository(ctx, FlowConnection)
            .findOne({ where: { ...by, channelId: ctx.channelId } });
    }

    /** Throws INPUT_INVALID with all issues, CODE_TAKEN and SECRET_HOST_NOT_ALLOWED. */
    async create(
        ctx: RequestContext,
        { code, name, type: typeCode, settings: given }: ConnectionInput,
    ): Promise<FlowConnection> {
        const issues = new InputIssues();
        checkConnectionCode(code, issues);
        const title = checkedName(name ?? code, issues);
        const type = checkedType(typeCode, this.setup.registry, issues);
        const settings = type ? checkedInput(type, given, issues) : {};
        if (type) await this.checkStored(ctx.channelId, { type: type.code, settings }, issues);
        issues.check();
        await this.checkHosts(ctx, { code, type: type!.code, settings });
        const id = await this.rows.insert({
            channelId: ctx.channelId as Id,
            code,
            name: title,
            type: type!.code,
            settings,
        });
        return this.existing(ctx, id);
    }

    /** Throws CONNECTION_NOT_FOUND, CODE_FIRST_READ_ONLY, REVISION_CONFLICT, INPUT_INVALID and SECRET_HOST_NOT_ALLOWED. */
    async update(
        ctx: RequestContext,
        id: ID,
        { version, name, settings: given }: ConnectionChange,
    ): Promise<FlowConnection> {
        const connection = await this.own(ctx, id);
        if (connection.version !== version) throw conflict(connection, version);
        const issues = new InputIssues();
        const title = name == null ? connection.name : checkedName(name, issues);
        const settings =
            given == null ? connection.settings : await this.changed(ctx, connection, { given, faults: issues });
        issues.check();
        if (given != null) await this.checkHosts(ctx, { ...connection, settings });
        const place = { id: connection.id as Id, channelId: ctx.channelId as Id };
        if (!(await this.rows.update(place, version, { name: title, settings })))
            throw conflict(await this.own(ctx, id), version);
        return this.existing(ctx, id);
    }

    /** Throws CONNECTION_NOT_FOUND, CODE_FIRST_READ_ONLY and IN_USE. */
    async delete(ctx: RequestContext, id: ID): Promise<void> {
        const { code } = await this.own(ctx, id);
        const users = (await this.usage.users(ctx.channelId, 'connection')).get(code) ?? [];
        if (users.length > 0)
            throw flowError('IN_USE', {
                what: 'Connection',
                code,
                users: users.map(user => `pipeline "${user}"`).join(', '),
            });
        if (!(await this.rows.remove({ id: id as Id, channelId: ctx.channelId as Id }))) throw notFound();
    }

    /** Throws CONNECTION_NOT_FOUND and CONNECTION_INVALID. */
    async open(channelId: ID, code: string): Promise<Connection> {
        return (await this.openAll(channelId, [code])).get(code)!;
    }

    /** As `open` for several codes, with one statement, and a second one if a code is unknown. */
    async openAll(channelId: ID, codes: readonly string[]): Promise<ReadonlyMap<string, Connection>> {
        const rows = await this.known.ask(known => known.connections(codes.map(code => desired(channelId, code))));
        const opened = new Map<string, Connection>();
        for (const code of codes) {
            const row = rows(desired(channelId, code));
            if (!row)
                throw flowError('CONNECTION_NOT_FOUND', {
                    which: show(code),
                    hint: (await this.known.ask(known => known.hints(channelId as Id, 'connection')))(code),
                });
            if (!row.enabled)
                throw flowError('CONNECTION_NOT_FOUND', {
                    which: show(code),
                    hint: clause`There is one, but ${PRUNED}.`,
                });
            const read = readConnection(row, this.setup.registry);
            if ('problem' in read) throw flowError('CONNECTION_INVALID', { code, problem: read.problem });
            opened.set(code, read.connection);
        }
        return opened;
    }

    /** The new settings of a connection, whose type cannot change. */
    private async changed(
        ctx: RequestContext,
        { code, type: typeCode }: FlowConnection,
        { given, faults: issues }: Given,
    ): Promise<JsonObject> {
        const type = connectionType(this.setup.registry, typeCode);
        if (!type) throw flowError('CONNECTION_INVALID', { code, problem: `no adapter knows its type ${typeCode}` });
        const settings = checkedInput(type, given, issues);
        await this.checkStored(ctx.channelId, { type: type.code, settings }, issues);
        return settings;
    }

    /** Checks what the schema cannot check: the servers of the settings, and the secrets that they name. */
    private checkStored(
        channelId: ID,
        connection: Pick<FlowConnection, 'type' | 'settings'>,
        issues: InputIssues,
    ): Promise<void> {
        const { registry, options } = this.setup;
        issues.add(...blockedSettings(connection, registry, hostProblemOf(options.security)));
        return this.checkSecrets(channelId, connection, issues);
    }

    /** Rejects a code that no secret has. It is often the secret itself, which must not be stored here. */
    private async checkSecrets(
        channelId: ID,
        connection: Pick<FlowConnection, 'type' | 'settings'>,
        issues: InputIssues,
    ): Promise<void> {
        // Other texts have already been reported as invalid codes.
        const named = secretsOf(connection, this.setup.registry).filter(({ code }) => RESOURCE_CODE.test(code));
        const secrets = await this.known.ask(known => known.secrets(named.map(({ code }) => desired(channelId, code))));
        const missing = named.filter(({ code }) => !secrets(desired(channelId, code))?.enabled);
        if (missing.length === 0) return;
        const hint = await this.known.ask(known => known.hints(channelId as Id, 'secret'));
        for (const { code, path } of missing) {
            const text = secrets(desired(channelId, code))
                ? issueAt(`settings.${path}`, ISSUE_TEXTS.disabledSecret, { value: show(code), reason: PRUNED })
                : issueAt(`settings.${path}`, ISSUE_TEXTS.notSecretCode, { hint: hint(code) });
            issues.add(text);
        }
    }

    /**
     * A saved connection allows its secrets to be sent to its server, so saving one needs the permission to allow that. Secrets of the shop's code go only
     * where the code allows it. Throws SECRET_HOST_NOT_ALLOWED.
     */
    private async checkHosts(
        ctx: RequestContext,
        { code, type, settings }: Pick<FlowConnection, 'code' | 'type' | 'settings'>,
    ): Promise<void> {
        const uses = connectionSecretUses({ code, type, settings, enabled: true }, this.setup.registry);
        if (uses.length === 0) return;
        const mayAllow = mayManageSecrets(ctx);
        const rejected = (await this.hosts.refused(ctx.channelId, uses)).find(use => use.codeFirst || !mayAllow);
        if (rejected) throw secretHostError({ code: rejected.secretCode, codeFirst: rejected.codeFirst }, rejected);
    }

    /** Finds a connection that callers may change. */
    private async own(ctx: RequestContext, id: ID): Promise<FlowConnection> {
        const connection = await this.existing(ctx, id);
        if (connection.codeFirst)
            throw flowError('CODE_FIRST_READ_ONLY', { what: 'Connection', code: connection.code });
        return connection;
    }

    private async existing(ctx: RequestContext, id: ID): Promise<FlowConnection> {
        const connection = await this.find(ctx, { id });
        if (!connection) throw notFound();
        return connection;
    }
}

interface Given {
    readonly given: unknown;
    readonly faults: InputIssues;
}

function desired(channelId: ID, code: string): InChannel {
    return { channelId: channelId as Id, code };
}

function conflict({ code, version: current }: FlowConnection, given: number): FlowError {
    return flowError('REVISION_CONFLICT', { what: 'Connection', code, current, given });
}

function notFound(): FlowError {
    return flowError('CONNECTION_NOT_FOUND', { which: 'with this id', hint: 'It may be deleted.' });
}

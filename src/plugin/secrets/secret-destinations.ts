import { Inject, Injectable } from '@nestjs/common';
import { type ID, type RequestContext, TransactionalConnection } from '@vendure/core';
import {
    allowedEntryOf,
    MAX_ALLOWED_HOSTS,
    type SavedConnections,
    secretHostError,
    shownTarget,
} from '../../core/adapter/secret-hosts';
import type { StatementProgram } from '../../core/adapter/loader';
import { type FlowError, flowError } from '../../core/errors/flow-error';
import { type Issue, issueAsJson } from '../../core/pipeline/issues';
import type { JsonObject } from '../../core/value/json';
import type { Database } from '../../database/database';
import { name, select, send, sql } from '../../database/statement';
import { type Table, tableOf } from '../../database/table';
import type { Id, Row } from '../../database/write';
import { FlowSecret } from '../entities/secret';
import { readConnection } from '../options/connection-settings';
import { manageFlowSecretsPermission } from '../permissions';
import { findingDefinitionReferences } from '../references/definition-references';
import { KnownCodes } from '../references/known-codes';
import type { FlowSetup } from '../setup';
import { FLOW_DATABASE, FLOW_SETUP } from '../tokens';
import { ProcessTaskQueue } from '../process-task-queue';
import { type DefinitionSecretUse, findingSecretUses } from './definition-secret-uses';
import { type RefusedUse, SecretHosts } from './secret-hosts';

/** A use of a secret in a definition that is not allowed. */
type RefusedDefinitionUse = RefusedUse<DefinitionSecretUse>;

/** Hosts that a user allows by publishing. */
export interface AllowedByPublishing {
    /** For the history: `erp-token → erp.example.com:443`. */
    readonly comment: string;
    /** Adds the hosts to the secrets. Throws CODE_FIRST_READ_ONLY and INPUT_INVALID. */
    store(): StatementProgram<void>;
}

/** A host that a secret is sent to, as an element of `secretHosts` in SECRET_HOST_NOT_ALLOWED. */
export interface SecretHost {
    readonly secretCode: string;
    /** With its port: `erp.example.com:443`. */
    readonly host: string;
}

/** What is needed to check the secrets of a definition that a user publishes. */
export interface PublishRequest {
    readonly definition: object;
    /** The hosts that the user has confirmed. */
    readonly allowSecretHosts?: readonly SecretHost[] | null | undefined;
}

/** Prevents definitions that would send a secret to a forbidden host from being saved and run. */
@Injectable()
export class SecretDestinations {
    private readonly secrets: Table;

    constructor(
        { rawConnection }: TransactionalConnection,
        private readonly hosts: SecretHosts,
        private readonly known: KnownCodes,
        private readonly taskQueue: ProcessTaskQueue,
        @Inject(FLOW_DATABASE) private readonly database: Database,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {
        this.secrets = tableOf(rawConnection, FlowSecret);
    }

    /** The forbidden uses of secrets in a definition. Uses at most three statements, and none for a definition without secrets and connections. */
    async refused(channelId: ID, definition: object): Promise<readonly RefusedDefinitionUse[]> {
        const { registry } = this.setup;
        const references = await this.taskQueue.done(findingDefinitionReferences(definition, registry));
        const needed = references.filter(
            ({ to, isDisabled }) => !isDisabled && (to === 'secret' || to === 'connection'),
        );
        if (needed.length === 0) return [];
        const codes = needed.flatMap(({ to, code }) => (to === 'connection' ? [code] : []));
        const connections = await this.connections(channelId, [...new Set(codes)]);
        const uses = await this.taskQueue.done(findingSecretUses(definition as JsonObject, registry, connections));
        if (uses.length === 0) return [];
        return this.hosts.refused(channelId, uses);
    }

    /** For a definition that is about to run. `placed` converts the paths of a part of a definition to paths of the whole. Throws SECRET_HOST_NOT_ALLOWED. */
    async assert(channelId: ID, definition: object, placed = asTheyAre): Promise<void> {
        const rejected = await this.refused(channelId, definition);
        if (rejected.length > 0) throw notAllowed(rejected, { placed });
    }

    /** For a definition that is saved. Users who manage secrets may save it. Others may keep what such a user has saved. Throws SECRET_HOST_NOT_ALLOWED. */
    async assertMaySave(
        ctx: RequestContext,
        { before, after }: { readonly before: object | undefined; readonly after: object },
    ): Promise<void> {
        if (mayManageSecrets(ctx)) return;
        const rejected = await this.refused(ctx.channelId, after);
        if (rejected.length === 0) return;
        const kept = new Set(before ? (await this.refused(ctx.channelId, before)).map(keyOf) : []);
        const added = rejected.filter(use => !kept.has(keyOf(use)));
        if (added.length > 0) throw notAllowed(added);
    }

    /**
     * For a definition that a user publishes. Undefined if everything is allowed already. Throws SECRET_HOST_NOT_ALLOWED if the user has not confirmed each
     * host or may not manage secrets, or if the secret is defined in code.
     */
    async toPublish(
        ctx: RequestContext,
        { definition, allowSecretHosts }: PublishRequest,
    ): Promise<AllowedByPublishing | undefined> {
        const rejected = await this.refused(ctx.channelId, definition);
        if (rejected.length === 0) return undefined;
        const mayAllow = mayManageSecrets(ctx) && !rejected.some(({ codeFirst }) => codeFirst);
        const confirmed = new Set(allowSecretHosts?.map(keyOfHost));
        if (!mayAllow || !rejected.every(use => confirmed.has(keyOfHost(secretHostOf(use)))))
            throw notAllowed(rejected, { mayAllow });
        const added = entriesOf(rejected);
        return {
            comment: [...added].map(([code, entries]) => `${code} → ${entries.join(', ')}`).join('; '),
            store: () => this.storing(ctx.channelId as Id, added),
        };
    }

    private async connections(channelId: ID, codes: readonly string[]): Promise<SavedConnections> {
        if (codes.length === 0) return () => undefined;
        const desired = codes.map(code => ({ channelId: channelId as Id, code }));
        const rows = await this.known.ask(known => known.connections(desired));
        return code => {
            const row = rows({ channelId: channelId as Id, code });
            const read = row?.enabled ? readConnection(row, this.setup.registry) : undefined;
            return read && 'connection' in read ? read.connection : undefined;
        };
    }

    private *storing(channelId: Id, added: ReadonlyMap<string, readonly string[]>): StatementProgram<void> {
        const { secrets, database } = this;
        for (const [code, entries] of added) {
            const where = sql`WHERE ${secrets.column('channelId')} = ${channelId} AND ${secrets.column('code')} = ${code}`;
            const [row] = yield* select<Row>(sql`
                SELECT ${secrets.column('allowedHosts')} AS ${name('allowedHosts')}, ${secrets.column('codeFirst')} AS ${name('codeFirst')}
                FROM ${secrets.name} ${where}${database.dialect.forUpdate}`);
            if (!row) continue;
            if (secrets.fromColumn('codeFirst', row['codeFirst']) === true)
                throw flowError('CODE_FIRST_READ_ONLY', { what: 'Secret', code });
            const before = (secrets.fromColumn('allowedHosts', row['allowedHosts']) ?? []) as readonly string[];
            const allowedHosts = [...new Set([...before, ...entries])];
            if (allowedHosts.length > MAX_ALLOWED_HOSTS)
                throw flowError('INPUT_INVALID', {
                    problem: `allowedHosts of the secret "${code}" would have ${allowedHosts.length} entries; allowed: at most ${MAX_ALLOWED_HOSTS}`,
                });
            yield* send(sql`
                UPDATE ${secrets.name} SET ${secrets.column('allowedHosts')} = ${secrets.toColumn('allowedHosts', allowedHosts)},
                    ${secrets.column('version')} = ${secrets.column('version')} + 1, ${secrets.column('updatedAt')} = ${database.dialect.now} ${where}`);
        }
    }
}

/** Whether a user may decide where secrets are sent. */
export function mayManageSecrets(ctx: RequestContext): boolean {
    return ctx.userHasPermissions([manageFlowSecretsPermission.Permission]);
}

interface Told {
    /** True if the user may allow the hosts but has not confirmed that. */
    readonly mayAllow?: boolean;
    readonly placed?: (issues: readonly Issue[]) => readonly Issue[];
}

const asTheyAre = (issues: readonly Issue[]): readonly Issue[] => issues;

/** SECRET_HOST_NOT_ALLOWED for the first of these uses, or the first that users cannot allow, with all of them in its details. */
function notAllowed(
    uses: readonly RefusedDefinitionUse[],
    { mayAllow = false, placed = asTheyAre }: Told = {},
): FlowError {
    const issues = uses.map((use): Issue => {
        const { stepKey, path } = use;
        return { code: 'SECRET_HOST_NOT_ALLOWED', path, stepKey, message: errorOf(use).message };
    });
    const told = uses.map(use => ({ stepKey: use.stepKey, ...secretHostOf(use) }));
    const secretHosts = [...new Map(told.map(use => [JSON.stringify(use), use])).values()];
    const details = { issues: placed(issues).map(issueAsJson), secretHosts, mayAllow };
    return errorOf(uses.find(({ codeFirst }) => codeFirst) ?? uses[0]!, details);
}

function errorOf({ secretCode: code, codeFirst, ...target }: RefusedDefinitionUse, details?: JsonObject): FlowError {
    return secretHostError({ code, codeFirst, details }, target);
}

function secretHostOf({ secretCode, ...target }: DefinitionSecretUse): SecretHost {
    return { secretCode, host: allowedEntryOf(target) ?? shownTarget(target) };
}

function keyOfHost({ secretCode, host }: SecretHost): string {
    return JSON.stringify([secretCode, host]);
}

function keyOf({ secretCode, host, port }: DefinitionSecretUse): string {
    return JSON.stringify([secretCode, host, port]);
}

function entriesOf(uses: readonly DefinitionSecretUse[]): ReadonlyMap<string, readonly string[]> {
    const added = new Map<string, string[]>();
    for (const use of uses) {
        const entry = allowedEntryOf(use);
        const entries = added.get(use.secretCode) ?? [];
        if (entry !== undefined && !entries.includes(entry)) added.set(use.secretCode, [...entries, entry]);
    }
    return added;
}

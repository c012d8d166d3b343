import { Inject, Injectable } from '@nestjs/common';
import { ConfigService, type ID, Logger, TransactionalConnection } from '@vendure/core';
import type { StatementProgram } from '../../core/adapter/loader';
import type { JsonObject } from '../../core/value/json';
import { flowError } from '../../core/errors/flow-error';
import { digestingDefinition } from '../../core/pipeline/digest';
import { type Issue, issueAsJson, Issues } from '../../core/pipeline/issues';
import { issueFacts } from '../../core/schema/issues';
import type { YieldingTask } from '../../core/concurrency/yielding-task';
import type { Database } from '../../database/database';
import { name, select, send, sql } from '../../database/statement';
import { type Table, tableOf } from '../../database/table';
import type { Id } from '../../database/write';
import { FlowWorkingCopy } from '../entities/working-copy';
import { FLOW_VERSION } from '../flow-version';
import { knownPermissions } from '../known-permissions';
import { ReferenceIssues } from '../references/reference-issues';
import { ProcessTaskQueue } from '../process-task-queue';
import type { FlowSetup } from '../setup';
import { FLOW_DATABASE, FLOW_SETUP, LOG_CONTEXT } from '../tokens';
import { checkKey } from './check-key';
import { DefinitionChecks, type OwnCheck } from './definition-check';

/** The stored result of a definition's check, without the resources of its channel, which other users change. */
type StoredCheck = Pick<OwnCheck, 'issues' | 'references'>;

/** The content of a working copy. */
export interface CopyContent {
    readonly definition: JsonObject;
    readonly checked: JsonObject;
    readonly checkedWith: string;
}

/** A definition that may be saved, with the digest under which it would be published. The digest is undefined if it cannot be published. */
interface CheckedDraft {
    readonly content: CopyContent;
    readonly digest: string | undefined;
}

interface Row {
    readonly pipelineId: Id;
    readonly checked: string | null;
    readonly checkedWith: string | null;
}

/**
 * The issues of working copies. They are found when a copy is saved, and stored with it. Only references to connections, secrets and files of the channel are
 * checked each time, since others change these. With another version of Flow, or other adapters, permissions or limits, a copy is checked again as soon as its
 * issues are requested.
 */
@Injectable()
export class StoredChecks {
    private readonly underWay = new Map<string, Promise<StoredCheck>>();
    private key: Promise<string> | undefined;

    constructor(
        private readonly connection: TransactionalConnection,
        private readonly checks: DefinitionChecks,
        private readonly references: ReferenceIssues,
        private readonly taskQueue: ProcessTaskQueue,
        private readonly config: ConfigService,
        @Inject(FLOW_DATABASE) private readonly database: Database,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    /** A definition in its stored form. Throws INPUT_INVALID with the limit if it is too large. */
    async draft(definition: JsonObject): Promise<CheckedDraft> {
        const own = await this.checks.byItself(definition);
        const tooLarge = own.issues.filter(({ code }) => code === 'DEFINITION_TOO_LARGE');
        if (tooLarge.length > 0) {
            const details = { issues: tooLarge.map(issueAsJson) };
            throw flowError('INPUT_INVALID', { problem: issueFacts(tooLarge) }, { details });
        }
        const digest = own.definition && (await this.taskQueue.done(digestingDefinition(own.definition)));
        const checkedWith = await this.checkedWith();
        return { content: { definition, checked: asJson(own), checkedWith }, digest };
    }

    /** The issues of working copies of one channel, by the ids of their pipelines. The number of statements does not depend on the number of copies. */
    async issuesOf(channelId: ID, pipelineIds: readonly ID[]): Promise<ReadonlyArray<readonly [ID, readonly Issue[]]>> {
        const key = await this.checkedWith();
        const rows = await this.database.run(() => this.rows(pipelineIds as readonly Id[]));
        const stored = await this.taskQueue.done(opened(rows, key));
        const own: StoredCheck[] = [];
        for (const [index, row] of rows.entries()) own.push(stored[index] ?? (await this.anew(row, key)));
        const found = await this.references.of(
            own.map(({ references }) => ({ channelId: channelId as Id, references })),
        );
        return rows.map(({ pipelineId }, index) => {
            const issues = new Issues();
            issues.add(...own[index]!.issues, ...found[index]!);
            return [pipelineId, issues.list];
        });
    }

    /** Concurrent requests for the same copy share one check. */
    private anew(row: Row, key: string): Promise<StoredCheck> {
        const id = String(row.pipelineId);
        const known = this.underWay.get(id);
        if (known) return known;
        const check = this.checkAnew(row, key).finally(() => this.underWay.delete(id));
        this.underWay.set(id, check);
        return check;
    }

    private async checkAnew({ pipelineId, checkedWith: before }: Row, key: string): Promise<StoredCheck> {
        // Another process may have checked it in the meantime.
        const [stored] = await this.taskQueue.done(opened(await this.database.run(() => this.rows([pipelineId])), key));
        if (stored) return stored;
        const copy = await this.connection.rawConnection
            .getRepository(FlowWorkingCopy)
            .findOne({ where: { pipelineId } });
        if (!copy) return { issues: [], references: [] };
        const own = await this.checks.byItself(copy.definition);
        try {
            await this.database.run(() => this.store({ pipelineId, before }, asJson(own), key));
        } catch (error) {
            // The issues are returned all the same, and the next request tries to store them again.
            Logger.warn(`The issues of a working copy could not be stored: ${String(error)}`, LOG_CONTEXT);
        }
        return own;
    }

    private checkedWith(): Promise<string> {
        return (this.key ??= this.taskQueue.done(this.keyed()).catch((error: unknown) => {
            this.key = undefined;
            throw error;
        }));
    }

    private keyed(): YieldingTask<string> {
        const { registry, options } = this.setup;
        const permissions = knownPermissions(this.config);
        const customFields = Object.entries(this.config.customFields).flatMap(([entity, fields]) =>
            (fields ?? []).map(({ name: field, type, internal }) => `${entity}.${field} ${type} ${internal === true}`),
        );
        const { allowedHostnames, allowedPorts } = options.security;
        return checkKey({
            ...{ version: FLOW_VERSION, registry, limits: options.definitions },
            ...{ allowed: [allowedHostnames, allowedPorts], permissions, customFields },
        });
    }

    private *rows(pipelineIds: readonly Id[]): StatementProgram<readonly Row[]> {
        const copies = this.table();
        const column = (property: string) => sql`${copies.column(property)} AS ${name(property)}`;
        return yield* select<Row>(sql`
            SELECT ${column('pipelineId')}, ${column('checked')}, ${column('checkedWith')} FROM ${copies.name}
            WHERE ${this.database.dialect.oneOf(copies.column('pipelineId'), pipelineIds)}`);
    }

    /** Stores the issues unless a user has saved the copy in the meantime. */
    private *store(
        { pipelineId, before }: { readonly pipelineId: Id; readonly before: string | null },
        checked: JsonObject,
        key: string,
    ): StatementProgram<void> {
        const copies = this.table();
        const same =
            before === null
                ? sql`${copies.column('checkedWith')} IS NULL`
                : sql`${copies.column('checkedWith')} = ${before}`;
        // This is not an edit, but MySQL would change `updatedAt` if it were not assigned to itself.
        yield* send(sql`
            UPDATE ${copies.name} SET ${copies.column('checked')} = ${copies.toColumn('checked', checked)},
                ${copies.column('checkedWith')} = ${key}, ${copies.column('updatedAt')} = ${copies.column('updatedAt')}
            WHERE ${copies.column('pipelineId')} = ${pipelineId} AND ${same}`);
    }

    private table(): Table {
        return tableOf(this.connection.rawConnection, FlowWorkingCopy);
    }
}

/** Undefined if it was checked with another key. */
function* opened(rows: readonly Row[], key: string): YieldingTask<ReadonlyArray<StoredCheck | undefined>> {
    const all: Array<StoredCheck | undefined> = [];
    for (const { checked, checkedWith } of rows) {
        all.push(checked !== null && checkedWith === key ? (JSON.parse(checked) as StoredCheck) : undefined);
        yield;
    }
    return all;
}

function asJson({ issues, references }: StoredCheck): JsonObject {
    return { issues: issues.map(issueAsJson), references } as unknown as JsonObject;
}

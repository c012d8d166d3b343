import { Inject, Injectable } from '@nestjs/common';
import { TransactionalConnection } from '@vendure/core';
import type { StatementProgram } from '../../core/adapter/loader';
import { didYouMean } from '../../core/data/similar-words';
import { clause, type FactText } from '../../core/errors/rendered';
import { RESOURCE_CODE } from '../../core/schema/fields';
import type { PipelineDefinition } from '../../core/pipeline/definition';
import type { Database } from '../../database/database';
import type { Dialect } from '../../database/dialect';
import { join, name, select, type Sql, sql } from '../../database/statement';
import { type Table, tableOf } from '../../database/table';
import type { Id, Row } from '../../database/write';
import { FlowConnection } from '../entities/connection';
import { FlowManagedFile } from '../entities/managed-file';
import { FlowPipeline } from '../entities/pipeline';
import { FlowPipelineRevision } from '../entities/revision';
import { FlowSecret } from '../entities/secret';
import { PublicIds } from '../../platform/public-ids';
import { isRowId } from '../stores/row-id';
import { FLOW_DATABASE } from '../tokens';

/** Most channels have a few. If there are more than this, similar codes are not suggested. */
const MOST_COMPARED = 1_000;

/** The columns of a secret, connection or file that references need. */
export type KnownSecret = Pick<FlowSecret, 'code' | 'enabled'>;
export type KnownConnection = Pick<FlowConnection, 'code' | 'type' | 'settings' | 'enabled'>;
export type KnownFile = Pick<FlowManagedFile, 'id' | 'filename' | 'format' | 'expiresAt'>;

/** A pipeline that hooks start. */
export interface KnownPipeline {
    readonly enabled: boolean;
    readonly archived: boolean;
    /** The definition of the selected revision. */
    readonly definition?: Pick<PipelineDefinition, 'steps'>;
}

/** A code, or the public id of a file, and the channel in which it is looked up. */
export interface InChannel {
    readonly channelId: Id;
    readonly code: string;
}

/** Returns the resource, or undefined if the channel has none with this code. */
export type KnownReferences<T> = (desired: InChannel) => T | undefined;

const CREATE_IT = {
    secret: clause`Create it under Secrets, or declare it in the plugin's options.`,
    connection: clause`Create it under Connections, or declare it in the plugin's options.`,
    pipeline: clause`Create it under Pipelines, or declare it in the plugin's options.`,
} as const;

/** The reason for a disabled connection or secret. */
export const PRUNED = clause`it is disabled, since it was removed from the shop's code`;

/** Looks up resources of channels by their codes, with one statement for any number of them. */
@Injectable()
export class KnownCodes {
    private readonly dialect: Dialect;
    private readonly of: Readonly<Record<'secret' | 'connection' | 'file' | 'pipeline', Table>>;
    private readonly revisions: Table;

    constructor(
        { rawConnection }: TransactionalConnection,
        private readonly ids: PublicIds,
        @Inject(FLOW_DATABASE) private readonly database: Database,
    ) {
        this.dialect = database.dialect;
        this.of = {
            secret: tableOf(rawConnection, FlowSecret),
            connection: tableOf(rawConnection, FlowConnection),
            file: tableOf(rawConnection, FlowManagedFile),
            pipeline: tableOf(rawConnection, FlowPipeline),
        };
        this.revisions = tableOf(rawConnection, FlowPipelineRevision);
    }

    /** Runs lookups for callers that are not statement programs. */
    ask<T>(look: (known: KnownCodes) => StatementProgram<T>): Promise<T> {
        return this.database.run(() => look(this));
    }

    *secrets(desired: readonly InChannel[]): StatementProgram<KnownReferences<KnownSecret>> {
        return byCode<KnownSecret>(yield* this.coded(this.of.secret, ['code', 'enabled'], desired));
    }

    *connections(desired: readonly InChannel[]): StatementProgram<KnownReferences<KnownConnection>> {
        const properties = ['code', 'enabled', 'type', 'settings'];
        return byCode<KnownConnection>(yield* this.coded(this.of.connection, properties, desired));
    }

    /** Includes expired files while their rows exist. */
    *files(desired: readonly InChannel[]): StatementProgram<KnownReferences<KnownFile>> {
        const { file } = this.of;
        const named = unique(desired.map(({ code }) => code)).flatMap(code => this.ids.decode(code) ?? []);
        const ids = named.filter(id => isRowId(file, id));
        const isWanted = sql`${this.dialect.oneOf(file.column('id'), file.numbersItself ? ids.map(Number) : ids.map(String))} AND ${file.column('removedAt')} IS NULL`;
        const rows =
            ids.length === 0 ? [] : yield* this.rows(file, ['id', 'filename', 'format', 'expiresAt'], isWanted);
        return byCode<KnownFile>(rows.map(row => ({ ...row, code: this.ids.encode(row['id'] as Id) })));
    }

    /** With their published definitions. */
    *pipelines(desired: readonly InChannel[]): StatementProgram<KnownReferences<KnownPipeline>> {
        const { of, revisions } = this;
        const properties = ['code', 'enabled', 'archived', 'selectedRevisionId'];
        const rows = yield* this.coded(of.pipeline, properties, desired);
        const ids = rows.flatMap(({ selectedRevisionId: id }) => (id === null ? [] : [id as Id]));
        const published = ids.length === 0 ? [] : yield* this.published(ids);
        const definitions = new Map(published.map(({ id, definition }) => [String(id), definition]));
        return byCode<KnownPipeline>(
            rows.map(row => {
                const text = definitions.get(String(row['selectedRevisionId']));
                return { ...row, ...(text && { definition: revisions.fromColumn('definition', text) }) };
            }),
        );
    }

    private *published(
        ids: readonly Id[],
    ): StatementProgram<ReadonlyArray<{ readonly id: Id; readonly definition: string }>> {
        const { revisions, dialect } = this;
        const column = (property: string): Sql => sql`${revisions.column(property)} AS ${name(property)}`;
        return yield* select<{ id: Id; definition: string }>(sql`
            SELECT ${column('id')}, ${column('definition')} FROM ${revisions.name}
            WHERE ${dialect.oneOf(revisions.column('id'), ids)}`);
    }

    /** Returns "Did you mean …?" for unknown codes, or another advice. */
    *hints(channelId: Id, to: 'secret' | 'connection' | 'pipeline'): StatementProgram<(code: string) => FactText> {
        const table = this.of[to];
        const rows = yield* select<{ code: string }>(sql`
            SELECT ${table.column('code')} AS ${name('code')} FROM ${table.name}
            WHERE ${table.column('channelId')} = ${channelId} AND ${table.column('enabled')} = ${true}
            ORDER BY ${table.column('code')} LIMIT ${MOST_COMPARED}`);
        const known = rows.map(({ code }) => code);
        return code => didYouMean(code, known) ?? CREATE_IT[to];
    }

    private *coded(
        table: Table,
        properties: readonly string[],
        desired: readonly InChannel[],
    ): StatementProgram<readonly Row[]> {
        // An invalid code cannot exist, and not every database accepts it as text.
        const codes = unique(desired.map(({ code }) => code)).filter(code => RESOURCE_CODE.test(code));
        return codes.length === 0
            ? []
            : yield* this.rows(table, properties, this.dialect.oneOf(table.column('code'), codes));
    }

    private *rows(table: Table, properties: readonly string[], where: Sql): StatementProgram<readonly Row[]> {
        const columns = ['channelId', ...properties];
        const rows = yield* select<Row>(sql`
            SELECT ${join(columns.map(property => sql`${table.column(property)} AS ${name(property)}`))}
            FROM ${table.name} WHERE ${where}`);
        return rows.map(row =>
            Object.fromEntries(columns.map(property => [property, table.fromColumn(property, row[property])])),
        );
    }
}

function byCode<T>(rows: readonly Row[]): KnownReferences<T> {
    const known = new Map(rows.map(row => [keyOf(row as unknown as InChannel), row as unknown as T]));
    return desired => known.get(keyOf(desired));
}

function keyOf({ channelId, code }: InChannel): string {
    return JSON.stringify([String(channelId), code]);
}

function unique(codes: readonly string[]): readonly string[] {
    return [...new Set(codes)];
}

import type { DataSource } from 'typeorm';
import type { StatementProgram } from '../../core/adapter/loader';
import { flowError, isFlowError } from '../../core/errors/flow-error';
import type { Database } from '../../database/database';
import { type Sql, join, name, select, send, sql } from '../../database/statement';
import { type Table, tableOf } from '../../database/table';
import { type Id, type Row, insertNumbered } from '../../database/write';
import { FlowSecret } from '../entities/secret';

/** An encrypted value as it is stored. */
export interface StoredEnvelope {
    readonly id: Id;
    readonly code: string;
    readonly value: string | null;
}

/** The columns of a secret that is created over the API. */
export type NewSecret = Pick<FlowSecret, 'code' | 'provider' | 'value' | 'keyId' | 'allowedHosts'> & {
    readonly channelId: Id;
};

/** The statements on secrets. They never get plain values. */
export class SecretRows {
    private readonly secrets: Table;

    constructor(
        dataSource: DataSource,
        private readonly database: Database,
    ) {
        this.secrets = tableOf(dataSource, FlowSecret);
    }

    /** Throws CODE_TAKEN, also if two callers insert the code at the same moment. */
    insert(row: NewSecret): Promise<Id> {
        return this.database.transaction(() => this.inserting(row));
    }

    /** Returns false if the secret is no longer at that version, was deleted, or now belongs to the shop's code. */
    update(
        { id, channelId, version }: { readonly id: Id; readonly channelId: Id; readonly version: number },
        set: Row,
    ): Promise<boolean> {
        const { secrets } = this;
        const values = { ...set, version: version + 1 };
        return this.changed(sql`
            UPDATE ${secrets.name} SET ${this.assigned(values)}
            WHERE ${secrets.column('id')} = ${id} AND ${secrets.column('channelId')} = ${channelId}
            AND ${secrets.column('version')} = ${version} AND ${secrets.column('codeFirst')} = ${false}`);
    }

    /** Returns false if there was nothing to delete. */
    remove(id: Id, channelId: Id): Promise<boolean> {
        const { secrets } = this;
        return this.changed(sql`
            DELETE FROM ${secrets.name}
            WHERE ${secrets.column('id')} = ${id} AND ${secrets.column('channelId')} = ${channelId} AND ${secrets.column('codeFirst')} = ${false}`);
    }

    /** The encrypted values of a channel in the order of their ids, starting after an id. */
    envelopes(
        channelId: Id,
        { after, limit }: { readonly after: Id | undefined; readonly limit: number },
    ): Promise<readonly StoredEnvelope[]> {
        const { secrets } = this;
        const beyond = after === undefined ? sql`` : sql` AND ${secrets.column('id')} > ${after}`;
        return this.database.run(() =>
            select<StoredEnvelope>(sql`
            SELECT ${this.envelopeColumns()} FROM ${secrets.name}
            WHERE ${secrets.column('channelId')} = ${channelId} AND ${secrets.column('provider')} = ${'INLINE'}
            AND ${secrets.column('codeFirst')} = ${false}${beyond} ORDER BY ${secrets.column('id')} LIMIT ${limit}`),
        );
    }

    /** Undefined if it was deleted or is no longer an INLINE secret. */
    async envelope(id: Id): Promise<StoredEnvelope | undefined> {
        const { secrets } = this;
        const rows = await this.database.run(() =>
            select<StoredEnvelope>(sql`
            SELECT ${this.envelopeColumns()} FROM ${secrets.name}
            WHERE ${secrets.column('id')} = ${id} AND ${secrets.column('provider')} = ${'INLINE'} AND ${secrets.column('codeFirst')} = ${false}`),
        );
        return rows[0];
    }

    /** Replaces the envelope of an unchanged value, if it is still the one that was read. The version stays the same, since the value has not changed. */
    replace(id: Id, old: string, { text, keyId }: { readonly text: string; readonly keyId: string }): Promise<boolean> {
        const { secrets } = this;
        return this.changed(sql`
            UPDATE ${secrets.name} SET ${this.assigned({ value: text, keyId })}
            WHERE ${secrets.column('id')} = ${id} AND ${secrets.column('value')} = ${old}`);
    }

    private *inserting(row: NewSecret): StatementProgram<Id> {
        const { secrets, database } = this;
        const { channelId, code } = row;
        const taken = (): Error =>
            flowError('CODE_TAKEN', { code, problem: 'taken by another secret; choose another one' });
        const found = yield* select(sql`
            SELECT ${secrets.column('id')} FROM ${secrets.name}
            WHERE ${secrets.column('channelId')} = ${channelId} AND ${secrets.column('code')} = ${code}`);
        if (found.length > 0) throw taken();
        try {
            const [id] = yield* insertNumbered({ table: secrets, dialect: database.dialect }, [{ ...row }]);
            return id!;
        } catch (error) {
            // The unique index is the only constraint that a row with checked fields can violate.
            throw isFlowError(error) && error.code === 'RECORD_REFUSED' ? taken() : error;
        }
    }

    private changed(statement: Sql): Promise<boolean> {
        return this.database.run(function* (): StatementProgram<boolean> {
            return (yield* send(statement)).affected > 0;
        });
    }

    private envelopeColumns(): Sql {
        const { secrets } = this;
        return join(['id', 'code', 'value'].map(property => sql`${secrets.column(property)} AS ${name(property)}`));
    }

    private assigned(values: Row): Sql {
        const { secrets, database } = this;
        const set = Object.entries(values).map(
            ([property, value]) => sql`${secrets.column(property)} = ${secrets.toColumn(property, value)}`,
        );
        return join([...set, sql`${secrets.column('updatedAt')} = ${database.dialect.now}`]);
    }
}

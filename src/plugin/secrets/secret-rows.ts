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

/** The columns of a secret that a caller of the API makes. */
export type NewSecret = Pick<FlowSecret, 'code' | 'provider' | 'value' | 'keyId' | 'allowedHosts'> & {
    readonly channelId: Id;
};

/** The statements on secrets. What they are given to store holds no plain value. */
export class SecretRows {
    private readonly secrets: Table;

    constructor(
        dataSource: DataSource,
        private readonly database: Database,
    ) {
        this.secrets = tableOf(dataSource, FlowSecret);
    }

    /** Throws CODE_TAKEN, also when two callers come at the same moment. */
    insert(row: NewSecret): Promise<Id> {
        return this.database.transaction(() => this.inserting(row));
    }

    /** Answers false when the secret is not at that version any more, is gone, or has come to belong to the shop's code. */
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

    /** Answers false when there was nothing to delete any more. */
    remove(id: Id, channelId: Id): Promise<boolean> {
        const { secrets } = this;
        return this.changed(sql`
            DELETE FROM ${secrets.name}
            WHERE ${secrets.column('id')} = ${id} AND ${secrets.column('channelId')} = ${channelId} AND ${secrets.column('codeFirst')} = ${false}`);
    }

    /** The encrypted values of a channel, in the order of their ids: the next ones after an id. */
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

    /** Undefined when it is gone, or no INLINE secret any more. */
    async envelope(id: Id): Promise<StoredEnvelope | undefined> {
        const { secrets } = this;
        const rows = await this.database.run(() =>
            select<StoredEnvelope>(sql`
            SELECT ${this.envelopeColumns()} FROM ${secrets.name}
            WHERE ${secrets.column('id')} = ${id} AND ${secrets.column('provider')} = ${'INLINE'} AND ${secrets.column('codeFirst')} = ${false}`),
        );
        return rows[0];
    }

    /** Another envelope for the same value, while it is still the one that was read. The version stays: nothing has changed for anybody. */
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
            // Its unique index is all that a row whose fields have been checked can offend against.
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

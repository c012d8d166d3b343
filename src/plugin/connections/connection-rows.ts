import type { DataSource } from 'typeorm';
import type { StatementProgram } from '../../core/adapter/loader';
import { flowError, isFlowError } from '../../core/errors/flow-error';
import type { Database } from '../../database/database';
import { type Sql, join, send, sql } from '../../database/statement';
import { type Table, tableOf } from '../../database/table';
import { type Id, type Row, insertNumbered } from '../../database/write';
import { FlowConnection } from '../entities/connection';

/** The columns of a connection that a caller of the API creates. */
export type NewConnection = Pick<FlowConnection, 'code' | 'name' | 'type' | 'settings'> & { readonly channelId: Id };

/** Identifies a connection of a channel. */
interface ChannelConnection {
    readonly id: Id;
    readonly channelId: Id;
}

/** The statements that change connections. Each is atomic, so no transaction is needed. */
export class ConnectionRows {
    private readonly connections: Table;

    constructor(
        dataSource: DataSource,
        private readonly database: Database,
    ) {
        this.connections = tableOf(dataSource, FlowConnection);
    }

    /** Throws CODE_TAKEN, also if two callers create the same code at the same moment, because the index is unique. */
    async insert(row: NewConnection): Promise<Id> {
        const target = { table: this.connections, dialect: this.database.dialect };
        try {
            const [id] = await this.database.transaction(() => insertNumbered(target, [{ ...row }]));
            return id!;
        } catch (error) {
            // The fields have been checked, so only the unique index can reject the row.
            throw isFlowError(error) && error.code === 'RECORD_REFUSED'
                ? flowError(
                      'CODE_TAKEN',
                      { code: row.code, problem: 'taken by another connection; choose another one' },
                      { cause: error },
                  )
                : error;
        }
    }

    /** Returns false if the version of the connection has changed, or if it was deleted or now belongs to the shop's code. */
    update(connection: ChannelConnection, version: number, set: Row): Promise<boolean> {
        const { connections, database } = this;
        const values = Object.entries({ ...set, version: version + 1 });
        const assigned = join([
            ...values.map(
                ([property, value]) => sql`${connections.column(property)} = ${connections.toColumn(property, value)}`,
            ),
            sql`${connections.column('updatedAt')} = ${database.dialect.now}`,
        ]);
        return this.changed(
            sql`UPDATE ${connections.name} SET ${assigned} WHERE ${this.own(connection)} AND ${connections.column('version')} = ${version}`,
        );
    }

    /** Returns false if there was nothing left to delete. */
    remove(connection: ChannelConnection): Promise<boolean> {
        return this.changed(sql`DELETE FROM ${this.connections.name} WHERE ${this.own(connection)}`);
    }

    /** Matches the connection if callers may change it. */
    private own({ id, channelId }: ChannelConnection): Sql {
        const { connections } = this;
        return sql`${connections.column('id')} = ${id} AND ${connections.column('channelId')} = ${channelId} AND ${connections.column('codeFirst')} = ${false}`;
    }

    private changed(statement: Sql): Promise<boolean> {
        return this.database.run(function* (): StatementProgram<boolean> {
            return (yield* send(statement)).affected > 0;
        });
    }
}

import { Injectable } from '@nestjs/common';
import { TransactionalConnection } from '@vendure/core';
import { FlowLog } from '../entities/log';

/** Tells whether Flow's migrations have been run: a worker may be up before the server has made the tables. */
@Injectable()
export class FlowTables {
    private found = false;

    constructor(private readonly connection: TransactionalConnection) {}

    async exist(): Promise<boolean> {
        if (this.found) return true;
        const { rawConnection } = this.connection;
        const runner = rawConnection.createQueryRunner();
        try {
            // The last one that the migration makes.
            this.found = await runner.hasTable(rawConnection.getMetadata(FlowLog).tablePath);
            return this.found;
        } finally {
            await runner.release();
        }
    }
}

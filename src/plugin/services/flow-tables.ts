import { Injectable } from '@nestjs/common';
import { TransactionalConnection } from '@vendure/core';
import { FlowManagedFile } from '../entities/managed-file';

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
            // The last one that the migrations make.
            this.found = await runner.hasTable(rawConnection.getMetadata(FlowManagedFile).tablePath);
            return this.found;
        } finally {
            await runner.release();
        }
    }
}

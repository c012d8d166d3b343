import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Channel, Logger, ProcessContext, TransactionalConnection } from '@vendure/core';
import type { Database } from '../../platform/sql/database';
import type { FlowSetup } from '../setup';
import { FLOW_DATABASE, FLOW_SETUP, LOG_CONTEXT } from '../tokens';
import { Sweeper } from '../watch/sweeper';
import { FlowTables } from './flow-tables';
import { PipelineSync } from './pipeline-sync';

/** Brings the code-first pipelines into the database and lets the sweeper begin. */
@Injectable()
export class Startup implements OnApplicationBootstrap {
    constructor(
        private readonly connection: TransactionalConnection,
        private readonly process: ProcessContext,
        private readonly tables: FlowTables,
        private readonly sweeper: Sweeper,
        @Inject(FLOW_DATABASE) private readonly database: Database,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    async onApplicationBootstrap(): Promise<void> {
        if (!(await this.tables.exist())) {
            const text = 'The tables of Flow are not there. Run the migrations: FlowPlugin adds its own to the shop\'s.';
            // A worker may be quicker than the server, which fills an empty database and does the rest of this as well.
            if (this.process.isServer) Logger.error(text, LOG_CONTEXT);
            else Logger.warn(text, LOG_CONTEXT);
        } else if (await this.hasChannels()) {
            await this.syncPipelines();
        }
        this.sweeper.start();
    }

    private async syncPipelines(): Promise<void> {
        const sync = new PipelineSync(this.connection.rawConnection, this.database);
        const { created, published, disabled } = await sync.sync(this.setup.pipelines);
        const told = { 'New pipelines': created, 'New revisions of': published, 'No longer in the code, disabled': disabled };
        for (const [what, codes] of Object.entries(told)) {
            if (codes.length > 0) Logger.info(`${what}: ${codes.join(', ')}`, LOG_CONTEXT);
        }
    }

    private async hasChannels(): Promise<boolean> {
        return (await this.connection.rawConnection.getRepository(Channel).count()) > 0;
    }
}

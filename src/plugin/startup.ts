import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Channel, Logger, ProcessContext, TransactionalConnection } from '@vendure/core';
import { flowEntities } from './entities/flow-entities';
import { LOG_CONTEXT } from './tokens';
import { Periodics } from './periodic/periodics';
import { CodeFirstStart } from './code-first/start';
import { FlowTables } from './stores/flow-tables';
import { logOpenWebhook } from './triggers/webhook-trigger';
import { ActiveTriggers } from './triggers/active-triggers';

/** Brings what the code says into the database and lets what works at intervals begin. */
@Injectable()
export class Startup implements OnApplicationBootstrap {
    constructor(
        private readonly connection: TransactionalConnection,
        private readonly process: ProcessContext,
        private readonly tables: FlowTables,
        private readonly periodics: Periodics,
        private readonly codeFirst: CodeFirstStart,
        private readonly triggers: ActiveTriggers,
    ) {}

    async onApplicationBootstrap(): Promise<void> {
        this.codeFirst.check();
        const missing = await this.tables.missing();
        if (missing.length > 0) {
            const text = `${whatIsMissing(missing)} Run the shop's migrations, to which FlowPlugin adds its own: npx vendure migrate --run`;
            // A worker may be quicker than the server, which fills an empty database and does the rest of this as well.
            if (this.process.isServer) Logger.error(text, LOG_CONTEXT);
            else Logger.warn(text, LOG_CONTEXT);
        } else if (await this.hasChannels()) {
            await this.codeFirst.sync();
            // Before the first request, and before anything that looks at them begins.
            await this.triggers.refresh();
            if (this.process.isServer)
                for (const { pipelineCode, stepKey, config } of this.triggers.of('WEBHOOK'))
                    if (config['authentication'] === 'NONE') logOpenWebhook(pipelineCode, stepKey);
        }
        this.periodics.start();
    }

    private async hasChannels(): Promise<boolean> {
        return (await this.connection.rawConnection.getRepository(Channel).count()) > 0;
    }
}

function whatIsMissing(missing: readonly string[]): string {
    if (missing.length === flowEntities.length && missing.every(name => !name.includes('.')))
        return 'The tables of Flow are not there.';
    const [first, ...others] = missing;
    return `The tables of Flow are not up to date: ${first!}${others.length > 0 ? ` and ${others.length} more` : ''} missing.`;
}

import { Injectable, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { ModuleRef, ModulesContainer } from '@nestjs/core';
import { Channel, Logger, ProcessContext, TransactionalConnection } from '@vendure/core';
import { FlowAdapterRegistry } from './adapter-registry';
import { flowEntities } from './entities/flow-entities';
import { LOG_CONTEXT } from './tokens';
import { PeriodicJobs } from './periodic-jobs/periodic-jobs';
import { CodeFirstStart } from './code-first/start';
import { FlowTables } from './stores/flow-tables';
import { logOpenWebhook } from './triggers/webhook-trigger';
import { ActiveTriggers } from './triggers/active-triggers';

/** Syncs the code to the database, and then lets periodic work start. */
@Injectable()
export class Startup {
    constructor(
        private readonly connection: TransactionalConnection,
        private readonly process: ProcessContext,
        private readonly tables: FlowTables,
        private readonly periodicJobs: PeriodicJobs,
        private readonly codeFirst: CodeFirstStart,
        private readonly triggers: ActiveTriggers,
        private readonly adapters: FlowAdapterRegistry,
    ) {}

    async begin(): Promise<void> {
        this.adapters.close();
        this.codeFirst.check();
        const missing = await this.tables.missing();
        if (missing.length > 0) {
            const text = `${whatIsMissing(missing)} Run the shop's migrations, to which FlowPlugin adds its own: npx vendure migrate --run`;
            // A worker may start before the server has run the migrations; the server then does the rest as well.
            if (this.process.isServer) Logger.error(text, LOG_CONTEXT);
            else Logger.warn(text, LOG_CONTEXT);
        } else if (await this.hasChannels()) {
            await this.codeFirst.sync();
            // Before the first request, and before any code that reads the triggers starts.
            await this.triggers.refresh();
            if (this.process.isServer)
                for (const { pipelineCode, stepKey, config } of this.triggers.of('WEBHOOK'))
                    if (config['authentication'] === 'NONE') logOpenWebhook(pipelineCode, stepKey);
        }
        this.periodicJobs.start();
    }

    private async hasChannels(): Promise<boolean> {
        return (await this.connection.rawConnection.getRepository(Channel).count()) > 0;
    }
}

/** Starts Flow after all other plugins, because these register adapters in their `onApplicationBootstrap`. */
@Module({})
export class StartsLast implements OnApplicationBootstrap {
    constructor(
        modules: ModulesContainer,
        private readonly moduleRef: ModuleRef,
    ) {
        // Nest calls this hook module by module, those farthest from the root first. No module is nearer than the root itself.
        for (const module of modules.values()) if (module.metatype === StartsLast) module.distance = -1;
    }

    async onApplicationBootstrap(): Promise<void> {
        await this.moduleRef.get(Startup, { strict: false }).begin();
    }
}

function whatIsMissing(missing: readonly string[]): string {
    if (missing.length === flowEntities.length && missing.every(name => !name.includes('.')))
        return 'The tables of Flow do not exist.';
    const [first, ...others] = missing;
    return `The tables of Flow are not up to date: ${first!}${others.length > 0 ? ` and ${others.length} more` : ''} missing.`;
}

import { Inject, Injectable } from '@nestjs/common';
import { type ID, TransactionalConnection } from '@vendure/core';
import type { PipelineDefinition } from '../../core/pipeline/definition';
import { parsingDefinition } from '../../core/pipeline/parse';
import type { JsonObject } from '../../core/value/json';
import { withDatabaseErrors } from '../../database/database-errors';
import { FlowPipelineRevision } from '../entities/revision';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP } from '../tokens';
import { ProcessTaskQueue } from '../process-task-queue';

/** The maximum number of cached revisions, by last use. */
const KEPT = 20;

/** What runs do. */
export interface RunRevision extends Pick<FlowPipelineRevision, 'number'> {
    readonly definition: JsonObject;
    /** Throws DEFINITION_INVALID and ADAPTER_NOT_FOUND: an adapter may have been removed from the code since the publication. */
    parsed(): Promise<PipelineDefinition>;
}

/** The revisions of the latest runs. A revision never changes, nor do the adapters of a process: each is read and parsed once, for a run of one record is short. */
@Injectable()
export class RunRevisions {
    private readonly kept = new Map<string, RunRevision>();

    constructor(
        private readonly connection: TransactionalConnection,
        private readonly taskQueue: ProcessTaskQueue,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    /** Undefined if it no longer exists. */
    async find(id: ID): Promise<RunRevision | undefined> {
        const key = String(id);
        const revision = this.kept.get(key) ?? (await this.read(id));
        // Moves the entry to the end, as the last one used.
        this.kept.delete(key);
        if (revision) this.kept.set(key, revision);
        for (const oldest of this.kept.keys()) {
            if (this.kept.size <= KEPT) break;
            this.kept.delete(oldest);
        }
        return revision;
    }

    /** The revision if it is in memory; reads nothing. */
    inMemory(id: ID): RunRevision | undefined {
        return this.kept.get(String(id));
    }

    private async read(id: ID): Promise<RunRevision | undefined> {
        const revisions = this.connection.rawConnection.getRepository(FlowPipelineRevision);
        const stored = await withDatabaseErrors(() => revisions.findOne({ where: { id } }));
        if (!stored) return undefined;
        const { number, definition } = stored;
        let parsed: PipelineDefinition | undefined;
        return {
            number,
            definition,
            parsed: async () =>
                (parsed ??= await this.taskQueue.done(parsingDefinition(definition, this.setup.registry))),
        };
    }
}

import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { FlowSetup } from '../setup';
import { FLOW_IS_QUEUE_WORKER, FLOW_LEASES, FLOW_SETUP } from '../tokens';
import { Leader } from '../leases/leader';
import type { Leases } from '../leases/leases';
import { FlowTables } from '../stores/flow-tables';
import { PeriodicRunner, type PeriodicTaskOptions } from './periodic-runner';

/** Work that is done at intervals: in each process that works the queue, in the one of them that leads, or everywhere. */
interface PeriodicJobOptions extends Omit<PeriodicTaskOptions, 'leader' | 'isReady'> {
    /** The name of the lease, where only one process at a time shall do the work. */
    readonly leader?: string;
    /** True: also in processes that do not process the queue, such as a server next to its workers. */
    readonly everywhere?: boolean;
}

/** Whether this process works the queue, and the tables are there. */
export type IsQueueWorker = () => Promise<boolean>;

/** All that Flow does at intervals: begins when the application is up, ends with the work in hand when it shuts down. */
@Injectable()
export class PeriodicJobs implements OnModuleDestroy {
    private readonly all: PeriodicRunner[] = [];
    private isStarted = false;

    constructor(
        @Inject(FLOW_IS_QUEUE_WORKER) private readonly isQueueWorker: IsQueueWorker,
        @Inject(FLOW_LEASES) private readonly leases: Leases,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
        @Inject(FlowTables) private readonly tables: Pick<FlowTables, 'exist'>,
    ) {}

    /** Does this from now on, or from when the application is up. Answers how to end it. */
    add({ leader: name, everywhere = false, ...task }: PeriodicJobOptions): PeriodicRunner {
        const { leaseMs } = this.setup.options.runtime;
        const periodicRunner = new PeriodicRunner({
            ...task,
            ...(name !== undefined && { leader: new Leader(this.leases, { name, leaseMs }) }),
            isReady: everywhere ? () => this.tables.exist() : this.isQueueWorker,
        });
        this.all.push(periodicRunner);
        if (this.isStarted) periodicRunner.start();
        return periodicRunner;
    }

    /** To be called when the application is up. */
    start(): void {
        this.isStarted = true;
        for (const periodic of this.all) periodic.start();
    }

    async onModuleDestroy(): Promise<void> {
        await Promise.all(this.all.map(periodic => periodic.stop()));
        await this.leases.close();
    }
}

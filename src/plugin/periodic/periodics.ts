import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { FlowSetup } from '../setup';
import { FLOW_IS_WORKED_HERE, FLOW_LEASES, FLOW_SETUP } from '../tokens';
import { Leader } from '../leases/leader';
import type { Leases } from '../leases/leases';
import { FlowTables } from '../stores/flow-tables';
import { Periodic, type PeriodicWork } from './periodic';

/** Work that is done at intervals: in each process that works the queue, in the one of them that leads, or everywhere. */
export interface PeriodicTask extends Omit<PeriodicWork, 'leader' | 'isReady'> {
    /** The name of the lease, where only one process at a time shall do the work. */
    readonly leader?: string;
    /** True: also in processes that do not process the queue, such as a server next to its workers. */
    readonly everywhere?: boolean;
}

/** Whether this process works the queue, and the tables are there. */
export type IsWorkedHere = () => Promise<boolean>;

/** All that Flow does at intervals: begins when the application is up, ends with the work in hand when it shuts down. */
@Injectable()
export class Periodics implements OnModuleDestroy {
    private readonly all: Periodic[] = [];
    private isStarted = false;

    constructor(
        @Inject(FLOW_IS_WORKED_HERE) private readonly isWorkedHere: IsWorkedHere,
        @Inject(FLOW_LEASES) private readonly leases: Leases,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
        @Inject(FlowTables) private readonly tables: Pick<FlowTables, 'exist'>,
    ) {}

    /** Does this from now on, or from when the application is up. Answers how to end it. */
    add({ leader: name, everywhere = false, ...task }: PeriodicTask): Periodic {
        const { leaseMs } = this.setup.options.runtime;
        const periodic = new Periodic({
            ...task,
            ...(name !== undefined && { leader: new Leader(this.leases, { name, leaseMs }) }),
            isReady: everywhere ? () => this.tables.exist() : this.isWorkedHere,
        });
        this.all.push(periodic);
        if (this.isStarted) periodic.start();
        return periodic;
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

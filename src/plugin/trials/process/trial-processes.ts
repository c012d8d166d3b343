import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { JsonObject } from '../../../core/data/json';
import { ProcessPool } from '../../../io/processes/process-pool';
import type { Job } from './messages';
import { type Handed, TrialProcess } from './trial-process';

/** The processes of a server that step tests and previews work in. */
@Injectable()
export class TrialProcesses implements OnModuleDestroy {
    private readonly pool = new ProcessPool(() => TrialProcess.start());

    /** Throws what the job throws, the signal's reason, TRIAL_PROCESS_FAILED and TRIAL_PROCESS_LOST. */
    perform(job: Job, handed: Handed): Promise<JsonObject> {
        return this.pool.with(handed.signal, own => own.perform(job, handed));
    }

    onModuleDestroy(): void {
        this.rest();
    }

    /** Ends the processes that nobody works with; whoever needs one later gets a new one. */
    rest(): void {
        this.pool.rest();
    }
}

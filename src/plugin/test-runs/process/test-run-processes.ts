import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { JsonObject } from '../../../core/value/json';
import { flowError } from '../../../core/errors/flow-error';
import { ProcessPool } from '../../../io/processes/process-pool';
import type { Job } from './messages';
import { type JobEnd, type JobCall, MAX_MIB, TestRunProcess } from './test-run-process';

/** The processes of a server that run step tests and previews. */
@Injectable()
export class TestRunProcesses implements OnModuleDestroy {
    private readonly pool = new ProcessPool(() => TestRunProcess.start());

    /** Throws the job's error, the signal's reason, TRIAL_PROCESS_FAILED and TRIAL_PROCESS_LOST. */
    async perform(job: Job, jobCall: JobCall): Promise<JsonObject> {
        const attempt = (isFresh: boolean): Promise<JobEnd> =>
            this.pool.with(jobCall.signal, own => own.perform(job, jobCall), isFresh);
        const first = await attempt(false);
        // An idle process that was ended may get a job before its end is known, so the job is tried once more.
        const end = 'gone' in first ? await attempt(true) : first;
        if ('gone' in end) throw flowError('TRIAL_PROCESS_LOST', { mib: MAX_MIB, how: end.gone });
        return end.done;
    }

    onModuleDestroy(): void {
        this.rest();
    }

    /** Ends the idle processes. New ones are started on demand. */
    rest(): void {
        this.pool.rest();
    }
}

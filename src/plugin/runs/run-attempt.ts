import { QueryFailedError } from 'typeorm';
import { Redactor } from '../../core/adapter/redactor';
import { asFlowError, type FlowError, flowError } from '../../core/errors/flow-error';
import type { Counters } from '../../core/progress/counters';
import { targetsOf } from '../../core/run/compile';
import { executeRun, type RunEnd } from '../../core/run/execute';
import { endOf, type PipelineShape, totalsOf } from '../../core/progress/outcome';
import { gateOf } from '../../core/steps/kinds/gate';
import type { StepSigns } from '../../core/progress/signs';
import { databaseFault, databaseFaultOrSame } from '../../database/faults';
import type { PreparedRun } from './run-preparation';
import type { FlowOptions } from '../options/options';
import { RunJournal } from '../stores/journal';
import type { ClaimedRun, RunLeases } from '../stores/leases';
import { Loads } from '../stores/loads';
import { Memories } from '../stores/memories';
import { Positions } from '../stores/positions';
import { Rejects } from '../stores/rejects';
import { SourceActions } from '../stores/source-actions';
import { Spool } from '../stores/spool';
import type { RunPause } from '../stores/pauses';
import type { RunEnding } from '../stores/run-endings';
import type { RunProgress } from '../stores/run-progress';
import type { RunIdentity, StoreEnv } from '../stores/store-env';
import { redactedError, redactedPorts } from './redacted-ports';
import { RunWatch, type Sign } from './run-watch';

/** What an attempt needs of its surroundings. */
export interface AttemptKit {
    readonly env: StoreEnv;
    readonly leases: Pick<RunLeases, 'renew'>;
    readonly options: FlowOptions;
    look(run: RunIdentity): Promise<Sign>;
    /** Registers every secret of the run with the redactor. */
    prepare(run: ClaimedRun, redactor: Redactor): Promise<PreparedRun>;
    /** Does what is known to be done by the run. */
    caused<T>(run: RunIdentity, work: () => Promise<T>): Promise<T>;
    /** Uses the wait before a retry, in which other runs may use the slot; `holding` is called with the work that uses it. */
    idle(waitMs: number, signal: AbortSignal, holding: (work: Promise<unknown> | undefined) => void): Promise<void>;
    /** Called when the run is ready to be executed. */
    ready(run: ClaimedRun, prepared: PreparedRun): Promise<void>;
}

/**
 * One worker's work on one run: from its claim to its end, the end of a slice, or an error. The attempt of a dry run may continue after the end of
 * a slice, because only this attempt has the changes that the run plans.
 */
export class RunAttempt {
    readonly journal: RunJournal;
    /** Removes the run's secrets from everything that is reported about it. */
    readonly redactor = new Redactor();
    prepared: PreparedRun | undefined;
    private readonly watch: RunWatch;
    /** What was counted when it last came to an end or a pause. */
    counters: Counters = {};
    /** Whether the counters are those of the run, and not of a beginning that failed. */
    private isKnown = false;
    private slices = 0;
    /** Work of other runs that has the slot of this one, which may have come to its end meanwhile. */
    lent: Promise<unknown> | undefined;
    private signs: StepSigns | undefined;

    constructor(
        readonly run: ClaimedRun,
        private readonly kit: AttemptKit,
    ) {
        const { level, logSteps } = kit.options.logging;
        this.journal = new RunJournal(kit.env, run, { level, logSteps });
        const ports = {
            renew: (counters: Counters | undefined): Promise<Sign> =>
                kit.leases.renew(run, counters && this.progress(counters)),
            look: (): Promise<Sign> => kit.look(run),
        };
        this.watch = new RunWatch(ports, kit.options.runtime);
    }

    /**
     * Works for one slice. The lease is kept after it, until `close`. Never throws: an error is the end of the slice. That error contains no secret
     * of the run.
     */
    async perform(): Promise<RunEnd> {
        if (this.slices++ > 0) this.watch.beginSlice();
        const end = await this.work()
            .catch((error: unknown): RunEnd => this.stopped(failureOf(error)))
            .finally(() => this.prepared?.closeDoors());
        this.counters = end.counters;
        return this.redacted(end);
    }

    /** Aborted when the run must stop, also between two slices. */
    get signal(): AbortSignal {
        return this.watch.signal;
    }

    /** How many slices have begun. */
    get slice(): number {
        return this.slices;
    }

    /** How it has ended when it was stopped between two slices. */
    interrupted(): RunEnd {
        return this.redacted(this.stopped(asFlowError(this.signal.reason)));
    }

    /** Nothing keeps the lease any more. */
    close(): Promise<void> {
        return this.watch.close();
    }

    /** Batches in hand may end; the run is given back then. */
    shutDown(): void {
        this.watch.shutDown();
    }

    /** Undefined when it ended before anything was known about the pipeline, or about how far the run is: what is stored stays then. */
    progress(counters: Counters): RunProgress | undefined {
        const shape: PipelineShape | undefined = this.isKnown ? this.prepared?.compiled.shape : undefined;
        return shape && { counters, totals: totalsOf(counters, shape), signs: this.signs, shape };
    }

    private stopped(error: FlowError): RunEnd {
        return { end: 'stopped', error, stepKey: undefined, counters: this.counters };
    }

    private redacted(end: RunEnd): RunEnd {
        return end.end === 'stopped' ? { ...end, error: redactedError(end.error, this.redactor) } : end;
    }

    private async work(): Promise<RunEnd> {
        const { run, kit, journal, watch } = this;
        const prepared = this.prepared ?? (await this.prepare());
        const ports = {
            journal,
            positions: new Positions(kit.env, run),
            actions: new SourceActions(kit.env, run),
            memory: new Memories(kit.env, run),
            ...(!run.dryRun && { spool: new Spool(kit.env, run) }),
            rejects: new Rejects(kit.env, run, journal),
            loads: new Loads(kit.env, run, { journal, signal: watch.signal, ctx: prepared.ctx }),
            progress: (counters: Counters, signs: StepSigns) => {
                this.isKnown = true;
                this.signs = signs;
                watch.progress(counters);
            },
        };
        const { signal, yieldSignal } = watch;
        const redacted = redactedPorts(ports, this.redactor);
        const idle = (waitMs: number, stop: AbortSignal): Promise<void> =>
            kit.idle(waitMs, stop, work => (this.lent = work));
        const executed = await kit.caused(run, () =>
            executeRun(prepared.compiled, redacted, { signal, yieldSignal, idle }),
        );
        const end = executed.end === 'stopped' ? { ...executed, error: lostOr(executed.error) } : executed;
        if (end.end === 'stopped' && end.isUnknown) return { ...end, counters: this.counters };
        this.isKnown = true;
        return end;
    }

    private async prepare(): Promise<PreparedRun> {
        const { run, kit } = this;
        if (run.isCancelRequested) throw flowError('RUN_CANCELLED', {});
        const prepared = await kit.prepare(run, this.redactor);
        this.prepared = prepared;
        await kit.ready(run, prepared);
        return prepared;
    }
}

/** What reading through TypeORM throws is the driver's own; a database that is away must not fail the run. */
function failureOf(error: unknown): FlowError {
    return asFlowError(databaseFaultOrSame(error));
}

/** A custom adapter may query through TypeORM: a connection that was lost there is not a bug. */
function lostOr(error: FlowError): FlowError {
    const { cause } = error;
    if (error.code !== 'BUG' || !(cause instanceof QueryFailedError)) return error;
    const fault = databaseFault(cause);
    return fault.code === 'DATABASE_LOST' ? fault : error;
}

/** The ending of the run; undefined if it has not ended but continues elsewhere. */
export function endingOf({ run, journal, prepared }: RunAttempt, end: RunEnd): RunEnding | undefined {
    switch (end.end) {
        case 'completed': {
            const report = run.dryRun
                ? journal.report(end.counters, prepared ? targetsOf(prepared.compiled) : [])
                : undefined;
            return { status: 'COMPLETED', outcome: end.outcome, ...(report && { report }) };
        }
        case 'stopped': {
            const { error, stepKey } = end;
            const status = endOf(error);
            return status === 'FAILED' ? { status, error, stepKey } : status && { status };
        }
        case 'paused':
        case 'yielded':
            return undefined;
    }
}

/** How the run pauses, as it is stored. */
export function pauseOf(attempt: RunAttempt, end: Extract<RunEnd, { end: 'paused' }>): RunPause {
    const { stepKey, opening, counters } = end;
    const { prepared } = attempt;
    const progress = attempt.progress(counters);
    const gate = prepared && gateOf(prepared.compiled.definition, stepKey);
    return {
        stepKey,
        notifies: gate?.notifyWebhook !== undefined,
        ...(opening && { opening }),
        ...(progress && { progress }),
    };
}

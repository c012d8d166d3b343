import { QueryFailedError } from 'typeorm';
import { Redactor } from '../../core/adapter/redactor';
import { asFlowError, type FlowError, flowError } from '../../core/errors/flow-error';
import type { Counters } from '../../core/progress/counters';
import { targetsOf } from '../../core/run/compile';
import { executeRun, type RunEnd } from '../../core/run/execute';
import { endOf, type PipelineShape, totalsOf } from '../../core/progress/outcome';
import { gateOf } from '../../core/steps/kinds/gate';
import type { StepStatuses } from '../../core/progress/step-statuses';
import { databaseError, databaseErrorOrSame } from '../../database/database-errors';
import type { PreparedRun } from './run-preparation';
import type { FlowOptions } from '../options/options';
import { RunJournal } from '../stores/journal';
import type { ClaimedRun, RunLeases } from '../stores/leases';
import { Loads } from '../stores/loads';
import { StateEntries } from '../stores/state-entries';
import { Offsets } from '../stores/offsets';
import { Rejects } from '../stores/rejects';
import { SourceActions } from '../stores/source-actions';
import { Spool } from '../stores/spool';
import type { RunPause } from '../stores/pauses';
import type { RunTransition } from '../stores/run-transitions';
import type { RunProgress } from '../stores/run-progress';
import type { RunIdentity, StoreEnv } from '../stores/store-env';
import { redactedError, redactedPorts } from './redacted-ports';
import { RunMonitor, type RunSignal } from './run-monitor';

/** What an attempt needs of its surroundings. */
export interface RunAttemptDeps {
    readonly env: StoreEnv;
    readonly leases: Pick<RunLeases, 'renew'>;
    readonly options: FlowOptions;
    look(run: RunIdentity): Promise<RunSignal>;
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
    private readonly monitor: RunMonitor;
    /** The counters when it last ended or paused. */
    counters: Counters = {};
    /** Whether the counters are those of the run, and not of a beginning that failed. */
    private isKnown = false;
    private slices = 0;
    /** Work of other runs that has the slot of this one, which may have come to its end meanwhile. */
    lent: Promise<unknown> | undefined;
    private signs: StepStatuses | undefined;

    constructor(
        readonly run: ClaimedRun,
        private readonly deps: RunAttemptDeps,
    ) {
        const { level, logSteps } = deps.options.logging;
        this.journal = new RunJournal(deps.env, run, { level, logSteps });
        const ports = {
            renew: (counters: Counters | undefined): Promise<RunSignal> =>
                deps.leases.renew(run, counters && this.progress(counters)),
            look: (): Promise<RunSignal> => deps.look(run),
        };
        this.monitor = new RunMonitor(ports, deps.options.runtime);
    }

    /**
     * Works for one slice. The lease is kept after it, until `close`. Never throws: an error is the end of the slice. That error contains no secret
     * of the run.
     */
    async perform(): Promise<RunEnd> {
        if (this.slices++ > 0) this.monitor.beginSlice();
        const end = await this.work()
            .catch((error: unknown): RunEnd => this.stopped(failureOf(error)))
            .finally(() => this.prepared?.closeDoors());
        this.counters = end.counters;
        return this.redacted(end);
    }

    /** Aborted when the run must stop, also between two slices. */
    get signal(): AbortSignal {
        return this.monitor.signal;
    }

    /** How many slices have started. */
    get slice(): number {
        return this.slices;
    }

    /** How it has ended when it was stopped between two slices. */
    interrupted(): RunEnd {
        return this.redacted(this.stopped(asFlowError(this.signal.reason)));
    }

    /** Stops the renewal of the lease. */
    close(): Promise<void> {
        return this.monitor.close();
    }

    /** Batches in hand may end; the run is given back then. */
    shutDown(): void {
        this.monitor.shutDown();
    }

    /** Undefined if it ended before the pipeline or the run's progress was known. Then the stored progress is kept. */
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
        const { run, deps, journal, monitor } = this;
        const prepared = this.prepared ?? (await this.prepare());
        const ports = {
            journal,
            positions: new Offsets(deps.env, run),
            actions: new SourceActions(deps.env, run),
            memory: new StateEntries(deps.env, run),
            ...(!run.dryRun && { spool: new Spool(deps.env, run) }),
            rejects: new Rejects(deps.env, run, journal),
            loads: new Loads(deps.env, run, { journal, signal: monitor.signal, ctx: prepared.ctx }),
            progress: (counters: Counters, statuses: StepStatuses) => {
                this.isKnown = true;
                this.signs = statuses;
                monitor.progress(counters);
            },
        };
        const { signal, yieldSignal } = monitor;
        const redacted = redactedPorts(ports, this.redactor);
        const idle = (waitMs: number, stop: AbortSignal): Promise<void> =>
            deps.idle(waitMs, stop, work => (this.lent = work));
        const executed = await deps.caused(run, () =>
            executeRun(prepared.compiled, redacted, { signal, yieldSignal, idle }),
        );
        const end = executed.end === 'stopped' ? { ...executed, error: lostOr(executed.error) } : executed;
        if (end.end === 'stopped' && end.isUnknown) return { ...end, counters: this.counters };
        this.isKnown = true;
        return end;
    }

    private async prepare(): Promise<PreparedRun> {
        const { run, deps } = this;
        if (run.isCancelRequested) throw flowError('RUN_CANCELLED', {});
        const prepared = await deps.prepare(run, this.redactor);
        this.prepared = prepared;
        await deps.ready(run, prepared);
        return prepared;
    }
}

/** What reading through TypeORM throws is the driver's own; a database that is away must not fail the run. */
function failureOf(error: unknown): FlowError {
    return asFlowError(databaseErrorOrSame(error));
}

/** A custom adapter may query through TypeORM: a connection that was lost there is not a bug. */
function lostOr(error: FlowError): FlowError {
    const { cause } = error;
    if (error.code !== 'BUG' || !(cause instanceof QueryFailedError)) return error;
    const issue = databaseError(cause);
    return issue.code === 'DATABASE_LOST' ? issue : error;
}

/** The ending of the run; undefined if it has not ended but continues elsewhere. */
export function transitionOf({ run, journal, prepared }: RunAttempt, end: RunEnd): RunTransition | undefined {
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

/** The stored form of a pause. */
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

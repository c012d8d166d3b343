import { Redactor } from '../../core/adapter/redactor';
import { asFlowError, type FlowError, flowError } from '../../core/errors/flow-error';
import type { Counters } from '../../core/run/counters';
import { executeRun, type RunEnd } from '../../core/run/execute';
import { type PipelineShape, totalsOf } from '../../core/run/outcome';
import { databaseFault } from '../../platform/sql/faults';
import type { PreparedRun } from '../services/run-preparation';
import type { FlowOptions } from '../options';
import { RunJournal } from '../stores/journal';
import type { ClaimedRun, RunLeases } from '../stores/leases';
import { Loads } from '../stores/loads';
import { Memories } from '../stores/memories';
import { Positions } from '../stores/positions';
import { Rejects } from '../stores/rejects';
import type { RunProgress } from '../stores/run-progress';
import type { RunIdentity, StoreEnv } from '../stores/store-env';
import { redactedError, redactedPorts } from './redacted-ports';
import { RunWatch, type Sign } from './run-watch';

/** The longest that a timer can wait, some 24 days. */
const NO_SLICES = 2 ** 31 - 1;

/** What an attempt needs of its surroundings. */
export interface AttemptKit {
    readonly env: StoreEnv;
    readonly leases: Pick<RunLeases, 'renew'>;
    readonly options: FlowOptions;
    look(run: RunIdentity): Promise<Sign>;
    /** Tells the redactor of every secret that the run gets to know. */
    prepare(run: ClaimedRun, redactor: Redactor): Promise<PreparedRun>;
    /** Called when the run is ready to be executed. */
    ready(run: ClaimedRun, prepared: PreparedRun): Promise<void>;
}

/** One worker's work on one run: from its claim to its end, the end of a slice, or whatever stops it. */
export class RunAttempt {
    readonly journal: RunJournal;
    /** Takes the run's secrets out of whatever is told of it. */
    readonly redactor = new Redactor();
    prepared: PreparedRun | undefined;
    private readonly watch: RunWatch;
    private readonly ended: Promise<void>;
    private end: () => void = () => undefined;

    constructor(
        readonly run: ClaimedRun,
        private readonly kit: AttemptKit,
    ) {
        const { level, logSteps } = kit.options.logging;
        this.journal = new RunJournal(kit.env, run, { level, logSteps, earlier: run.dryRun ? run.report : null });
        const ports = {
            renew: (counters: Counters | undefined): Promise<Sign> =>
                kit.leases.renew(run, counters && this.progress(counters)),
            look: (): Promise<Sign> => kit.look(run),
        };
        // What a dry run plans to create is known to its own attempt alone, so it is not cut into slices.
        const { runtime } = kit.options;
        this.watch = new RunWatch(ports, run.dryRun ? { ...runtime, sliceMs: NO_SLICES } : runtime);
        this.ended = new Promise(resolve => {
            this.end = resolve;
        });
    }

    /** Never throws: what goes wrong is how it ended. The error that it ended with holds no secret of the run. */
    async perform(): Promise<RunEnd> {
        try {
            return this.told(await this.work());
        } catch (error) {
            return this.told({ end: 'stopped', error: failureOf(error), stepKey: undefined, counters: {} });
        } finally {
            await this.watch.close();
        }
    }

    /** Batches in hand may end; the run is given back then. */
    shutDown(): void {
        this.watch.shutDown();
    }

    /** The processor has done with it, whatever came of it. */
    settled(): void {
        this.end();
    }

    whenSettled(): Promise<void> {
        return this.ended;
    }

    /** Undefined when it ended before anything was known about the pipeline. */
    progress(counters: Counters): RunProgress | undefined {
        const shape: PipelineShape | undefined = this.prepared?.compiled.shape;
        return shape && { counters, totals: totalsOf(counters, shape) };
    }

    private told(end: RunEnd): RunEnd {
        return end.end === 'stopped' ? { ...end, error: redactedError(end.error, this.redactor) } : end;
    }

    private async work(): Promise<RunEnd> {
        const { run, kit, journal, watch } = this;
        if (run.isCancelRequested) throw flowError('RUN_CANCELLED', {});
        const prepared = await kit.prepare(run, this.redactor);
        this.prepared = prepared;
        await kit.ready(run, prepared);
        const ports = {
            journal,
            positions: new Positions(kit.env, run),
            memory: new Memories(kit.env, run),
            rejects: new Rejects(kit.env, run, journal),
            loads: new Loads(kit.env, run, journal),
            progress: (counters: Counters) => watch.progress(counters),
        };
        return executeRun(prepared.compiled, redactedPorts(ports, this.redactor), {
            signal: watch.signal,
            yieldSignal: watch.yieldSignal,
        });
    }
}

/** What reading through TypeORM throws is the driver's own; a database that is away must not fail the run. */
function failureOf(error: unknown): FlowError {
    try {
        const fault = databaseFault(error);
        if (fault.treat === 'transient') return fault;
    } catch {
        // No database error at all.
    }
    return asFlowError(error);
}

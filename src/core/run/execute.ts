import { own } from '../data/own-properties';
import type { JsonObject } from '../value/json';
import { asFlowError, type FlowError } from '../errors/flow-error';
import { OffsetCommitter, type AcknowledgedBatch } from './offset-committer';
import type { CompiledPipeline, Source } from './compile';
import type { Counters } from '../progress/counters';
import { Execution } from './execution';
import { endOf, outcomeOf, type PipelineShape, totalsOf } from '../progress/outcome';
import type { Pause } from './spooled-batches';
import type { RunControl } from './run-abort';
import type { BatchPass } from './batch-pass';
import type { SourceOffset, RunPorts } from '../ports/ports';
import type { EndedRun } from './run-hooks';
import type { RunOutcome } from '../progress/state';

/** The result of a completed run. */
interface RunResult {
    readonly counters: Counters;
    readonly outcome: RunOutcome;
}

/**
 * How an execution ended. `counters` cover the whole run, including earlier slices. After `completed`, `paused` and `yielded` they are what is
 * committed. After `stopped` they also include batches that settled after one that did not.
 */
export type RunEnd =
    | ({ readonly end: 'completed' } & RunResult)
    | ({ readonly end: 'paused'; readonly counters: Counters } & Pause)
    | { readonly end: 'yielded'; readonly counters: Counters }
    | {
          readonly end: 'stopped';
          readonly error: FlowError;
          readonly stepKey: string | undefined;
          readonly counters: Counters;
          /** How far the run is could not even be read: the counters say nothing then. */
          readonly isUnknown?: true;
      };

/** How long a stopped run waits for the work in flight: enough for a load to end, and well within two seconds. */
const GRACE_MS = 1_000;

/**
 * Executes a run from its committed position. Live run, dry run and preview differ only in their ports and mode. Never throws: the result contains
 * the error.
 */
export async function executeRun(compiled: CompiledPipeline, ports: RunPorts, control: RunControl): Promise<RunEnd> {
    const run = new Execution(compiled, ports, control);
    const work = drainAll(run).catch((error: unknown) => run.fail(error));
    await run.unlessAborted(work, GRACE_MS);
    const { counters, failure, isDone, pause } = run;
    if (failure) {
        run.concluded(failure);
        return { end: 'stopped', ...failure, counters, ...(!run.hasBegun && { isUnknown: true }) };
    }
    if (pause) return { end: 'paused', ...pause, counters };
    if (!isDone) return { end: 'yielded', counters };
    return {
        end: 'completed',
        counters,
        outcome: outcomeOf(totalsOf(counters, compiled.shape), run.partial.hasUnintended(counters)),
    };
}

/** The end or pause of the run as its hooks receive it; undefined if the run continues elsewhere or later. */
export function endedBy(end: RunEnd, shape: PipelineShape): EndedRun | undefined {
    const totals = totalsOf(end.counters, shape);
    switch (end.end) {
        case 'completed':
            return { status: 'COMPLETED', totals, outcome: end.outcome };
        case 'stopped': {
            const { error, stepKey } = end;
            const { code, message } = error;
            const status = endOf(error);
            return status && { status, totals, ...(status === 'FAILED' && { error: { code, message, stepKey } }) };
        }
        case 'paused':
            return end.opening?.by === 'THRESHOLD' ? undefined : { status: 'PAUSED', totals, stepKey: end.stepKey };
        case 'yielded':
            return undefined;
    }
}

/**
 * Drains the lanes in parallel, and the sources of each lane one after another. A source that an earlier slice read to its end contributes only its
 * held and released batches.
 */
async function drainAll(run: Execution): Promise<void> {
    const positions = await run.begin();
    const drained = await Promise.all(run.lanes.map(taskQueue => drainLane(taskQueue, positions, run)));
    if (drained.every(Boolean)) await run.finish();
}

/** Never throws: an error stops the other lanes too, and the function waits for them. */
async function drainLane(
    sources: readonly Source[],
    sourceOffsets: Readonly<Record<string, SourceOffset>>,
    run: Execution,
): Promise<boolean> {
    try {
        for (const source of sources) {
            const from = await run.startOf(source, own(sourceOffsets, source.step.key));
            if (!(await drain(source, released(source, from, run), run))) return false;
            if (!from.done && !(await drain(source, fresh(source, from, run), run))) return false;
        }
        return true;
    } catch (error) {
        run.fail(error);
        return false;
    }
}

/** A batch to process, or the end of the batches with the position to commit, if there is one. */
type Due =
    | ({
          readonly batchNo: number;
          readonly after: SourceOffset;
          /** The position before a batch that a failing source left unfilled. */
          readonly cutAt?: SourceOffset;
          make(batchPass: BatchPass): Promise<AcknowledgedBatch>;
      } & Asked)
    | ({ readonly end: SourceOffset | undefined } & Asked);

/** The actions that its source requests once the run has succeeded. */
interface Asked {
    readonly actions?: readonly JsonObject[];
}

/** The batches of a source after a position. If the reading is stopped, it ends without an end entry. */
async function* fresh(source: Source, from: SourceOffset, run: Execution): AsyncGenerator<Due, void, void> {
    await run.opening(source);
    for await (const batch of source.step.read(from, run.readEnv(source))) {
        const { batchNo, after, from: before } = batch;
        // If the run resumes at a cut batch, the cut is decided and stored: the batch is repeated unchanged, whatever part of it is loaded.
        const isStored = from.cut !== undefined && batchNo === from.batchNo;
        const cutAt = before.cut === undefined || isStored ? undefined : before;
        const actions = run.afterSuccess.wanted(source, batch.actions);
        yield after.done
            ? { end: after, actions }
            : {
                  batchNo,
                  after,
                  actions,
                  ...(cutAt && { cutAt }),
                  make: batchPass => batchPass.make(batch, source.next),
              };
    }
}

/** The batches of a source that steps held and released. The position of the source itself does not change. */
async function* released(source: Source, after: SourceOffset, run: Execution): AsyncGenerator<Due, void, void> {
    const { key } = source.step;
    const { stop } = run.readEnv(source);
    for await (const batch of run.held.released(key, stop)) {
        const { batchNo } = batch;
        yield { batchNo, after, make: batchPass => batchPass.continueFrom(batch, stepKey => run.held.node(stepKey)) };
    }
    if (!stop.aborted) yield { end: undefined };
}

/** Makes one trip per batch. Returns whether all batches have finished their trips and are committed. */
async function drain(source: Source, batches: AsyncGenerator<Due, void, void>, run: Execution): Promise<boolean> {
    const order = run.orderOf(source);
    const line = new OffsetCommitter(source.step.key, run.commitEnv(order));
    const batchPasses = new Set<Promise<void>>();
    let ended = false;
    // Records of a batch that its source left incomplete; they must not be loaded.
    let rest = 0;
    const settled = async (): Promise<void> => {
        await Promise.all(batchPasses);
        await line.flush();
    };
    try {
        for await (const due of batches) {
            if ('end' in due) {
                if (due.end) line.settle(line.enter(due.end, false, due.actions), { counters: {}, memos: [] });
                ended = true;
                break;
            }
            if (due.cutAt) {
                if (!(await run.mayCut({ sourceKey: source.step.key, batchNo: due.batchNo }))) {
                    rest = due.cutAt.cut ?? 0;
                    continue;
                }
                line.settle(line.enter(due.cutAt, false), { counters: {}, memos: [] });
                await settled();
            }
            await run.room.take(); // back-pressure: the extractor is not pulled while the run waits here
            if (!run.mayStart()) {
                run.room.giveBack(); // another source may be waiting for it, only to see that for itself
                break;
            }
            const { batchNo, after } = due;
            const pendingOffset = line.enter(after, true, due.actions);
            order.start(batchNo);
            const batchPass = run.trip(source, batchNo);
            const made = due
                .make(batchPass)
                .then(result => {
                    order.settled(batchNo);
                    run.settled(result.counters);
                    line.settle(pendingOffset, result);
                })
                .catch((error: unknown) => {
                    run.broken(batchPass.counters);
                    run.fail(error, batchPass.stepKey);
                })
                .finally(() => {
                    batchPasses.delete(made);
                    run.room.arrived();
                });
            batchPasses.add(made);
            if (run.pace.isDue) await run.pace.turn();
        }
    } catch (error) {
        // What was read before the source failed is loaded before the run fails.
        try {
            if (endOf(asFlowError(error)) === 'FAILED') {
                await settled();
                await run.logUnloaded(source, rest);
            }
        } finally {
            run.fail(error, source.step.key);
        }
    }
    await settled();
    return ended && !run.failure;
}

import { own } from '../data/own';
import type { JsonObject } from '../value/json';
import { asFlowError, type FlowError } from '../errors/flow-error';
import { CommitLine, type Settled } from './commit-line';
import type { CompiledPipeline, Source } from './compile';
import type { Counters } from '../progress/counters';
import { Execution } from './execution';
import { endOf, outcomeOf, type PipelineShape, totalsOf } from '../progress/outcome';
import type { Pause } from './held-batches';
import type { RunControl } from './stopping';
import type { Trip } from './trip';
import type { Position, RunPorts } from '../ports/ports';
import type { EndedRun } from './run-hooks';
import type { RunOutcome } from '../progress/state';

/** What a run that came to its end has to show. */
export interface RunResult {
    readonly counters: Counters;
    readonly outcome: RunOutcome;
}

/**
 * How an execution ended. `counters` are those of the whole run, slices before this one included. After `completed`,
 * `paused` and `yielded` they are what is committed; after `stopped` also what settled behind a batch that did not.
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

/** How long a run that was told to stop waits for what is on its way: enough for a load to end, well within two seconds. */
const GRACE_MS = 1_000;

/**
 * Executes a run from where it was left. Live run, dry run and preview differ in their ports and mode alone.
 * Never throws: whatever goes wrong is in the answer.
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

/** How the run has ended or paused by it, as its hooks are to be told; undefined where it goes on elsewhere or later. */
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
 * Lane beside lane, and in each source after source; of those that an earlier slice has read to their end, only what was held and let go on.
 */
async function drainAll(run: Execution): Promise<void> {
    const positions = await run.begin();
    const drained = await Promise.all(run.lanes.map(lane => drainLane(lane, positions, run)));
    if (drained.every(Boolean)) await run.finish();
}

/** Never throws: what goes wrong stops the other lanes too, which are waited for. */
async function drainLane(
    sources: readonly Source[],
    positions: Readonly<Record<string, Position>>,
    run: Execution,
): Promise<boolean> {
    try {
        for (const source of sources) {
            const from = await run.startOf(source, own(positions, source.step.key));
            if (!(await drain(source, released(source, from, run), run))) return false;
            if (!from.done && !(await drain(source, fresh(source, from, run), run))) return false;
        }
        return true;
    } catch (error) {
        run.fail(error);
        return false;
    }
}

/** A batch that is to travel, or the end of them: then the position to be committed, where there is one. */
type Due =
    | ({
          readonly batchNo: number;
          readonly after: Position;
          /** The position before a batch that a failing source left unfilled. */
          readonly cutAt?: Position;
          make(trip: Trip): Promise<Settled>;
      } & Asked)
    | ({ readonly end: Position | undefined } & Asked);

/** What its source wants done once the run has succeeded. */
interface Asked {
    readonly actions?: readonly JsonObject[];
}

/** The batches of a source behind a position. Ends without an end where the reading is stopped. */
async function* fresh(source: Source, from: Position, run: Execution): AsyncGenerator<Due, void, void> {
    await run.opening(source);
    for await (const batch of source.step.read(from, run.readEnv(source))) {
        const { batchNo, after, from: before } = batch;
        // Where the run is resumed at a batch that was cut, that is decided and stored: it comes again as it was, whatever of it is loaded.
        const isStored = from.cut !== undefined && batchNo === from.batchNo;
        const cutAt = before.cut === undefined || isStored ? undefined : before;
        const actions = run.afterSuccess.wanted(source, batch.actions);
        yield after.done
            ? { end: after, actions }
            : { batchNo, after, actions, ...(cutAt && { cutAt }), make: trip => trip.make(batch, source.next) };
    }
}

/** Those of its batches that steps have held and let go on. The source itself stays where it is. */
async function* released(source: Source, after: Position, run: Execution): AsyncGenerator<Due, void, void> {
    const { key } = source.step;
    const { stop } = run.readEnv(source);
    for await (const batch of run.held.released(key, stop)) {
        const { batchNo } = batch;
        yield { batchNo, after, make: trip => trip.goOn(batch, stepKey => run.held.node(stepKey)) };
    }
    if (!stop.aborted) yield { end: undefined };
}

/** One batch, one trip. Answers whether all of them have travelled and are committed. */
async function drain(source: Source, batches: AsyncGenerator<Due, void, void>, run: Execution): Promise<boolean> {
    const order = run.orderOf(source);
    const line = new CommitLine(source.step.key, run.commitEnv(order));
    const trips = new Set<Promise<void>>();
    let ended = false;
    // Records of a batch that its source left unfilled, and that must not be loaded.
    let rest = 0;
    const settled = async (): Promise<void> => {
        await Promise.all(trips);
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
            const ticket = line.enter(after, true, due.actions);
            order.start(batchNo);
            const trip = run.trip(source, batchNo);
            const made = due
                .make(trip)
                .then(result => {
                    order.settled(batchNo);
                    run.settled(result.counters);
                    line.settle(ticket, result);
                })
                .catch((error: unknown) => {
                    run.broken(trip.counters);
                    run.fail(error, trip.stepKey);
                })
                .finally(() => {
                    trips.delete(made);
                    run.room.arrived();
                });
            trips.add(made);
            if (run.pace.isDue) await run.pace.turn();
        }
    } catch (error) {
        // What was read before the source failed is loaded before the run fails.
        try {
            if (endOf(asFlowError(error)) === 'FAILED') {
                await settled();
                await run.tellUnloaded(source, rest);
            }
        } finally {
            run.fail(error, source.step.key);
        }
    }
    await settled();
    return ended && !run.failure;
}

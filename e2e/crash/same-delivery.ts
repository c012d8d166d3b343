import gql from 'graphql-tag';
import type { RunAnswer } from '../config/flow-server';
import type { CrashBench } from './crash-bench';
import type { Import, Verdict } from './import';

/** What became of a delivery that took several runs. */
export interface InRuns extends Verdict {
    /** Those that were cancelled. */
    readonly cancelled: readonly RunAnswer[];
}

/**
 * A delivery in three runs. The worker of the first is killed in the middle of its loads and another one goes on, then the run is cancelled
 * in the middle of other loads. That of the second is killed in the middle of what the first has left, and the run is cancelled before another
 * worker has it. The third one is left alone.
 */
export async function inSeveralRuns(bench: CrashBench, pages: number): Promise<InRuns> {
    const { crew } = bench;
    await crew.working();
    await bench.withoutDisturbance(pages);
    const first = await bench.begin(pages);
    await crew.ready();
    let goOn = await first.reach('inLoad');
    await first.disturbed();
    await (await crew.working()).kill('SIGKILL');
    await goOn();
    await bench.endLeases();
    await crew.relieve();
    crew.bootAhead();
    await first.gotOn();
    goOn = await first.reach('inLoad');
    await cancel(bench, first);
    const cancelled = [await first.ended()];
    await goOn();

    const second = await first.again();
    await crew.ready();
    goOn = await second.reach('inLoad');
    await (await crew.working()).kill('SIGKILL');
    await cancel(bench, second);
    await goOn();
    await bench.endLeases();
    await crew.relieve();
    cancelled.push(await second.ended());

    const third = await second.again();
    const outcome = await third.verdict();
    // What each run has counted is its own.
    return { ...outcome, cancelled, differences: outcome.differences.filter(told => told !== 'its counters') };
}

async function cancel({ shop }: CrashBench, { runId }: Import): Promise<void> {
    await shop.adminClient.query(gql`mutation Cancel($id: ID!) { cancelFlowPipelineRun(id: $id) { id } }`, {
        id: runId,
    });
}

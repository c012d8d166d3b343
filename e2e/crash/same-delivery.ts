import gql from 'graphql-tag';
import type { RunAnswer } from '../config/flow-server';
import type { CrashBench } from './crash-bench';
import type { Import, Verdict } from './import';

/** The result of a delivery that took several runs. */
export interface InRuns extends Verdict {
    /** The cancelled runs. */
    readonly cancelled: readonly RunAnswer[];
}

/**
 * Loads a delivery in three runs. In the first run, the worker is killed in the middle of its loads, another one
 * continues, and the run is cancelled in the middle of other loads. In the second run, the worker is killed in the
 * middle of the remaining records, and the run is cancelled before another worker claims it. The third run is
 * undisturbed.
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
    // The counters of each run differ from those of an undisturbed one.
    return { ...outcome, cancelled, differences: outcome.differences.filter(told => told !== 'its counters') };
}

async function cancel({ shop }: CrashBench, { runId }: Import): Promise<void> {
    await shop.adminClient.query(gql`mutation Cancel($id: ID!) { cancelFlowPipelineRun(id: $id) { id } }`, {
        id: runId,
    });
}

import { PUBLISHED_WITHIN_MS } from '../../src/plugin/stores/run-events';
import { until } from '../config/flow-server';
import type { CrashBench } from './crash-bench';
import { hooked } from './crash-shop';
import { deliver } from './delivery';
import { PATIENCE_MS } from './import';
import { counted, settled, workerKilledAt } from './killed-at-a-line';
import { heard } from './subscriber';

/** Lets a minute pass for the events that nobody has told yet, and waits until somebody has. */
async function aMinuteLater(bench: CrashBench, event: string): Promise<void> {
    const left = (): Promise<number> =>
        counted(bench, `SELECT count(*) AS n FROM flow_pending_effect WHERE kind = '${event}'`);
    await bench.database.rows(
        `UPDATE flow_pending_effect SET next_try_at = next_try_at - ${PUBLISHED_WITHIN_MS} WHERE kind = '${event}'`,
    );
    await until(
        async () => {
            await bench.crew.working();
            return left();
        },
        count => count === 0,
        PATIENCE_MS,
    );
}

/** How often subscribers were told this of a run, when whoever should have told it had died and a minute was over. */
export async function toldLater(bench: CrashBench, event: string, id: string): Promise<number> {
    await aMinuteLater(bench, event);
    return heard(bench, event, id);
}

/** What subscribers were told of two runs of which the first lost its worker just behind its last COMMIT. */
export interface ToldByTheDead {
    /** Of the first: when another worker had done all else, and a minute later. */
    readonly first: readonly number[];
    /** Of the other one, whose worker lived. */
    readonly other: number;
}

/** A worker is killed behind the COMMIT of a run's end, and before the event of it is published. */
export async function endsToldByTheDead(bench: CrashBench): Promise<ToldByTheDead> {
    const ended = 'FlowRunCompleted';
    const dead = await workerKilledAt(bench, 'answer', 'flow_pending_effect');
    deliver(bench.order.delivery, { name: 'toldkills', pages: 1, ready: 1 });
    const { id } = await bench.shop.start(hooked.code);
    await dead();
    await settled(bench);
    // Its hooks wait for nobody: whoever has told them has gone past the event.
    await until(
        () => counted(bench, `SELECT count(*) AS n FROM flow_pending_effect WHERE kind = 'RUN_ENDED'`),
        count => count === 0,
        PATIENCE_MS,
    );
    const first = [heard(bench, ended, id)];
    first.push(await toldLater(bench, ended, id));
    const { id: other } = await bench.shop.start(hooked.code);
    await bench.shop.ended(other, PATIENCE_MS);
    await until(
        () => Promise.resolve(heard(bench, ended, other)),
        times => times > 0,
        PATIENCE_MS,
    );
    return { first, other: await toldLater(bench, ended, other) };
}

import { PUBLISHED_WITHIN_MS } from '../../src/plugin/stores/run-events';
import { until } from '../config/flow-server';
import type { CrashBench } from './crash-bench';
import { hooked } from './crash-shop';
import { deliver } from './delivery';
import { PATIENCE_MS } from './import';
import { counted, settled, workerKilledAt } from './killed-at-a-line';
import { heard } from './subscriber';

/** Lets a minute pass for the events that have not been published, and waits until they are. */
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

/** How often subscribers received this event of a run a minute after the publishing worker had died. */
export async function toldLater(bench: CrashBench, event: string, id: string): Promise<number> {
    await aMinuteLater(bench, event);
    return heard(bench, event, id);
}

/** The events that subscribers received of two runs. The first lost its worker just after its last COMMIT. */
export interface ToldByTheDead {
    /** For the first: when another worker had done everything else, and a minute later. */
    readonly first: readonly number[];
    /** For the second, whose worker lived. */
    readonly other: number;
}

/** Kills a worker after the COMMIT of a run's end, before its event is published. */
export async function endsToldByTheDead(bench: CrashBench): Promise<ToldByTheDead> {
    const ended = 'FlowRunCompleted';
    const dead = await workerKilledAt(bench, 'answer', 'flow_pending_effect');
    deliver(bench.order.delivery, { name: 'toldkills', pages: 1, ready: 1 });
    const { id } = await bench.shop.start(hooked.code);
    await dead();
    await settled(bench);
    // The hooks of its end do not wait: once they are called, publishing has passed the event.
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

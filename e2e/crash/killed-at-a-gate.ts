import gql from 'graphql-tag';
import { type RunAnswer, until } from '../config/flow-server';
import type { CrashBench } from './crash-bench';
import { approved, BATCH, CONCURRENCY } from './crash-shop';
import { deliver, PAGE } from './delivery';
import { PATIENCE_MS } from './import';
import { changesOf, differences, type ShopDump } from './shop-dump';

const PAGES = 3;

/** The result of an import that waited at a gate. */
export interface AtAGate {
    readonly run: RunAnswer;
    /** Differences in counters or catalogue from an import whose workers lived. */
    readonly differences: readonly string[];
    /** How many batches were started more than once. */
    readonly reworked: number;
    /** How many entries the search index had of it while it waited. */
    readonly indexed: number;
}

/**
 * Kills a worker while its run waits at a gate, and the worker that continues after the gate in the middle of its
 * loads.
 */
export async function killedAtAGate(bench: CrashBench): Promise<AtAGate> {
    const quiet = await imported(bench, 'gatequiet', false);
    const disturbed = await imported(bench, 'gatekills', true);
    const isSame = JSON.stringify(quiet.run.counters) === JSON.stringify(disturbed.run.counters);
    return {
        run: disturbed.run,
        differences: [...(isSame ? [] : ['its counters']), ...differences(quiet.changes, disturbed.changes)],
        reworked: disturbed.reworked,
        indexed: disturbed.indexed,
    };
}

interface Imported extends Pick<AtAGate, 'indexed'> {
    readonly run: RunAnswer;
    readonly changes: ShopDump;
    readonly reworked: number;
}

async function imported(bench: CrashBench, name: string, isDisturbed: boolean): Promise<Imported> {
    const { crew, order, shop, database } = bench;
    await crew.working();
    const before = await bench.dump();
    const workedBefore = bench.worked();
    deliver(order.delivery, { name, pages: PAGES, ready: PAGES });
    const { id } = await shop.start(approved.code);
    await until(
        () => shop.run(id),
        ({ status }) => status === 'PAUSED',
        PATIENCE_MS,
    );
    // What was loaded before the gate is in the search index before the decision.
    const atTheGate = await bench.dump(name);
    if (isDisturbed) {
        await (await crew.working()).kill('SIGKILL');
        await crew.relieve();
        crew.bootAhead();
    }
    const letLoad = isDisturbed ? await database.holdLoads() : undefined;
    await shop.adminClient.query(
        gql`
            mutation Approve($id: ID!) {
                approveFlowGate(runId: $id, stepKey: "gate") {
                    id
                }
            }
        `,
        { id },
    );
    if (letLoad) {
        await until(
            () => database.waiting(),
            waiting => waiting === CONCURRENCY,
            PATIENCE_MS,
        );
        await (await crew.working()).kill('SIGKILL');
        await letLoad();
        await bench.endLeases();
        await crew.relieve();
    }
    const run = await shop.ended(id, PATIENCE_MS);
    const changes = changesOf(name, before, await bench.dump(name));
    const { search_index_item: indexed = [] } = atTheGate;
    return {
        run,
        changes,
        indexed: indexed.filter(row => row.includes(name)).length,
        reworked: bench.worked() - workedBefore - (PAGES * PAGE) / BATCH,
    };
}

import gql from 'graphql-tag';
import { z } from 'zod';
import { recordOperator } from '../../src';
import { type RunAnswer, until } from '../config/flow-server';
import type { CrashBench } from './crash-bench';
import { deliver } from './delivery';
import { PATIENCE_MS } from './import';

const NAME = 'deadlydelivery';
/** In the second batch, and not its first record. */
export const DEADLY = 6;

/** Ends the process at one record, as a fault in a native library does: nobody can catch it. */
export function deadlyOperator() {
    return recordOperator({
        code: 'deadly',
        category: 'Test',
        title: 'Deadly',
        summary: 'Kills its process at one record.',
        examples: [],
        config: z.strictObject({}),
        compile: () => data => {
            if (data['sku'] === `${NAME}-${DEADLY}`) process.kill(process.pid, 'SIGKILL');
            return data;
        },
    });
}

/** The code of a pipeline with it between two loads, the first of which adds without looking: whatever is loaded twice shows. */
export const DEADLY_PIPELINE = 'deadly';

/** Workers die at one record until it is set aside; a supervisor begins a new one for each. Also answers what was rejected, and which tags there are. */
export async function killedByARecord(bench: CrashBench): Promise<{
    readonly run: RunAnswer;
    readonly rejected: ReadonlyArray<{ readonly code: string; readonly seq: number }>;
    readonly tags: number;
}> {
    const { crew, order, shop } = bench;
    deliver(order.delivery, { name: NAME, pages: 2, ready: 2 });
    const { id } = await shop.start(DEADLY_PIPELINE);
    const working = async (): Promise<RunAnswer> => {
        if (crew.isDead) await bench.endLeases();
        await crew.working();
        return shop.run(id);
    };
    await until(working, ({ status }) => status !== 'PENDING' && status !== 'RUNNING', PATIENCE_MS);
    const { flowRecordErrors } = await shop.adminClient.query(
        gql`query Errors($id: ID!) { flowRecordErrors(runId: $id) { items { code seq } } }`,
        { id },
    );
    const { tag = [] } = await bench.dump();
    const tags = tag.filter(row => row.includes(NAME)).length;
    return { run: await shop.ended(id, PATIENCE_MS), rejected: flowRecordErrors.items, tags };
}

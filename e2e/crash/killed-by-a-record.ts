import gql from 'graphql-tag';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { recordOperator } from '../../src';
import { type RunAnswer, until } from '../config/flow-server';
import type { CrashBench } from './crash-bench';
import { deliver } from './delivery';
import { PATIENCE_MS } from './import';

const NAME = 'deadlydelivery';
/** In the second batch, but not its first record. */
const DEADLY = 6;

/** While this file exists, the record kills. */
const causeOf = (delivery: string): string => `${delivery}.deadly`;

/** Ends the process at one record, as a crash in a native library does: no code can catch it. */
export function deadlyOperator(delivery: string) {
    return recordOperator({
        code: 'deadly',
        category: 'Test',
        title: 'Deadly',
        summary: 'Kills its process at one record.',
        examples: [],
        config: z.strictObject({}),
        compile: () => data => {
            if (data['sku'] === `${NAME}-${DEADLY}` && existsSync(causeOf(delivery)))
                process.kill(process.pid, 'SIGKILL');
            return data;
        },
    });
}

/**
 * The code of a pipeline with this operator between two loads. The first load adds without checking, so that duplicates
 * are visible.
 */
export const DEADLY_PIPELINE = 'deadly';

/**
 * Workers die at one record until the run pauses. Then the cause is removed, and a user resumes the run. Also returns
 * the rejected records and the tags.
 */
export async function killedByARecord(bench: CrashBench): Promise<{
    readonly paused: RunAnswer;
    readonly run: RunAnswer;
    readonly tags: number;
}> {
    const { crew, order, shop } = bench;
    deliver(order.delivery, { name: NAME, pages: 2, ready: 2 });
    writeFileSync(causeOf(order.delivery), '');
    const { id } = await shop.start(DEADLY_PIPELINE);
    const working = async (): Promise<RunAnswer> => {
        if (crew.isDead) await bench.endLeases();
        await crew.working();
        return shop.run(id);
    };
    const paused = await until(working, ({ status }) => status !== 'PENDING' && status !== 'RUNNING', PATIENCE_MS);
    rmSync(causeOf(order.delivery));
    await shop.adminClient.query(gql`mutation Resume($id: ID!) { resumeFlowPipelineRun(id: $id) { status } }`, { id });
    const run = await shop.ended(id, PATIENCE_MS);
    const { tag = [] } = await bench.dump();
    return { paused, run, tags: tag.filter(row => row.includes(NAME)).length };
}

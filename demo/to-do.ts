import { type AdminApi } from './admin-api';
import { warehouseCsv } from './supplier';
import { idOf } from './watch';

const POLL_MS = 120;

/** What waits for somebody in the demo's shop: runs by their ids. */
export interface ToDo {
    /** A product that runs have written. */
    readonly product: string;
    readonly failed: string;
    readonly waiting: string;
}

/** Leaves something to be done, so that the dashboard has something to show: a file, a run that has failed, and one that waits at its gate. */
export async function leaveToDo(api: AdminApi): Promise<ToDo> {
    await api.upload('evening-file.csv', warehouseCsv(300));
    const { products } = await api.ask<{ products: { items: ReadonlyArray<{ id: string }> } }>(
        '{ products(options: { take: 1, sort: { id: ASC } }) { items { id } } }',
    );
    return {
        product: products.items[0]!.id,
        failed: await runUntil(api, 'weekend-feed', 'FAILED'),
        waiting: await runUntil(api, 'approved-prices', 'PAUSED'),
    };
}

/** The lines that name the pages. */
export function pagesOf(base: string, { product, failed, waiting }: ToDo): readonly string[] {
    const flow = `${base}/dashboard/flow`;
    return [
        `   What needs somebody          ${flow}/overview`,
        `   Records that were refused    ${flow}/record-errors`,
        `   A run that has failed        ${flow}/runs/${failed}`,
        `   A run that waits at a gate   ${flow}/runs/${waiting}`,
        `   All pipelines                ${flow}/pipelines`,
        `   A file that was uploaded     ${flow}/files`,
        `   What has written a product   ${base}/dashboard/products/${product}`,
    ];
}

async function runUntil(api: AdminApi, code: string, status: string): Promise<string> {
    const { startFlowPipelineRun: started } = await api.ask<{ startFlowPipelineRun: { id: string } }>(
        'mutation($id: ID!) { startFlowPipelineRun(pipelineId: $id) { id } }',
        { id: await idOf(api, code) },
    );
    for (;;) {
        const { flowPipelineRun: run } = await api.ask<{ flowPipelineRun: { status: string } }>(
            'query($id: ID!) { flowPipelineRun(id: $id) { status } }',
            { id: started.id },
        );
        if (run.status === status) return started.id;
        if (['COMPLETED', 'FAILED', 'CANCELLED', 'PAUSED'].includes(run.status))
            throw new Error(`${code} is ${run.status}, and was to be ${status}`);
        await new Promise(resolve => setTimeout(resolve, POLL_MS));
    }
}

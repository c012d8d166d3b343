import { type AdminApi } from './admin-api';
import { warehouseCsv } from './supplier';
import { idOf } from './watch';

const POLL_MS = 120;

/** What needs attention in the demo's shop. */
export interface ToDo {
    /** The id of a run that failed. */
    readonly failed: string;
    /** The id of a run that waits at a gate. */
    readonly waiting: string;
}

/** Creates what the dashboard shows as needing attention: a file, a run that failed, and one that waits at a gate. */
export async function leaveToDo(api: AdminApi): Promise<ToDo> {
    await api.upload('evening-file.csv', warehouseCsv(300));
    return {
        failed: await runUntil(api, 'weekend-feed', 'FAILED'),
        waiting: await runUntil(api, 'approved-prices', 'PAUSED'),
    };
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
            throw new Error(`${code} is ${run.status}; expected ${status}.`);
        await new Promise(resolve => setTimeout(resolve, POLL_MS));
    }
}

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { EventBus, RequestContextService, TransactionalConnection } from '@vendure/core';
import { filter, firstValueFrom } from 'rxjs';
import { FlowRunCompleted, FlowRunFailed, FlowRunPaused, type PipelineSource } from '../src';
import type { Id } from '../src/database/write';
import { FlowPipeline } from '../src/plugin/entities/pipeline';
import { RunQueue } from '../src/plugin/runs/run-queue';
import { RunStarter } from '../src/plugin/runs/run-starter';
import { RunStores } from '../src/plugin/runs/run-stores';
import { importPipeline } from './pipelines';
import { type BenchDatabase, type BenchShop, openShop } from './shop';

const USUAL_RECORDS = 100_000;
const BATCH = 500;
const LOOK_MS = 200;

interface Figures {
    readonly records: number;
    readonly holdSeconds: number;
    readonly approveMs: number;
    readonly goOnSeconds: number;
    /** The largest live heap while the gate was filled and emptied a second time, above the heap before. */
    readonly grownMib: number;
}

/**
 * Sends records into a gate and out of it, first a tenth of them and then all. Measures what holding costs, and that
 * memory does not grow with the number of held records.
 */
export async function benchGates(database: BenchDatabase, records = USUAL_RECORDS): Promise<void> {
    const counts = [Math.round(records / 10), records];
    const shop = await openShop(database, { pipelines: counts.map(count => gated(count)) });
    try {
        await shop.queues.start();
        for (const count of counts) {
            const times = await measured(shop, count);
            // The times must not include garbage collection.
            const heap = new HeapWatch();
            await measured(shop, count);
            print({ ...times, grownMib: heap.end() });
        }
    } finally {
        await shop.close();
    }
}

/** The import of the bench with a gate in place of its load. What loading costs is measured elsewhere. */
function gated(records: number): PipelineSource {
    const source = importPipeline({ code: `gate-${records}`, series: 'G', records, batchSize: BATCH });
    const { definition } = source;
    const steps = definition.steps.map(step =>
        step.kind === 'LOAD' ? { key: step.key, kind: 'GATE' as const, config: { approvalType: 'MANUAL' } } : step,
    );
    return { ...source, definition: { ...definition, steps } };
}

async function measured({ app }: BenchShop, records: number): Promise<Omit<Figures, 'grownMib'>> {
    const code = `gate-${records}`;
    const events = app.get(EventBus);
    const ctx = await app.get(RequestContextService).create({ apiType: 'admin' });
    const { id: pipelineId } = await app
        .get(TransactionalConnection)
        .rawConnection.getRepository(FlowPipeline)
        .findOneByOrFail({ code });
    const paused = firstValueFrom(events.ofType(FlowRunPaused));
    const from = performance.now();
    await app.get(RunStarter).start({ pipelineId, channelId: ctx.channelId, actor: null, dryRun: false });
    const { run, gate } = await paused;
    const held = performance.now();
    const runId = run.runId as Id;
    const isOpen = await app.get(RunStores).gates.approve({ runId, stepKey: gate!.stepKey, decider: 'PERSON' });
    if (!isOpen) throw new Error('The gate could not be approved.');
    const opened = performance.now();
    const ended = firstValueFrom(
        events.ofType(FlowRunCompleted).pipe(filter(({ run: { runId: id } }) => String(id) === String(runId))),
    );
    const failed = events.ofType(FlowRunFailed).subscribe(({ error }) => console.error(error.message));
    await app.get(RunQueue).add(runId);
    await ended;
    failed.unsubscribe();
    return {
        records,
        holdSeconds: (held - from) / 1_000,
        approveMs: opened - held,
        goOnSeconds: (performance.now() - opened) / 1_000,
    };
}

/** Measures the live heap repeatedly. */
class HeapWatch {
    private readonly before: number;
    private most: number;
    private readonly timer: NodeJS.Timeout;

    constructor() {
        setFlagsFromString('--expose-gc');
        const collect = runInNewContext('gc') as () => void;
        const living = (): number => {
            collect();
            return process.memoryUsage().heapUsed;
        };
        this.before = living();
        this.most = this.before;
        this.timer = setInterval(() => {
            this.most = Math.max(this.most, living());
        }, LOOK_MS);
    }

    /** MiB above the usage at its beginning. */
    end(): number {
        clearInterval(this.timer);
        return (this.most - this.before) / 1024 / 1024;
    }
}

function print({ records, holdSeconds, approveMs, goOnSeconds, grownMib }: Figures): void {
    const rate = (seconds: number): string => Math.round(records / seconds).toLocaleString('en');
    console.log(
        `${records.toLocaleString('en')} records: held in ${holdSeconds.toFixed(1)} s (${rate(holdSeconds)} /s), approved in ${approveMs.toFixed(0)} ms, ` +
            `continued in ${goOnSeconds.toFixed(1)} s (${rate(goOnSeconds)} /s), in the heap live at most ${grownMib.toFixed(0)} MiB more than at the start`,
    );
}

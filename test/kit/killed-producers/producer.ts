import { z } from 'zod';
import { queueProducer } from '../../../src/adapters/sinks/queue-producer';
import { defineExtractor } from '../../../src/core/adapter/extractor';
import { noResources } from '../../../src/core/adapter/no-resources';
import { Registry } from '../../../src/core/adapter/registry';
import { Secret } from '../../../src/core/adapter/secret';
import { EVERY_HOST } from '../../../src/core/adapter/secret-hosts';
import { parseDefinition } from '../../../src/core/pipeline/parse';
import { compilePipeline } from '../../../src/core/run/compile';
import { executeRun } from '../../../src/core/run/execute';
import { triggers } from '../../../src/core/triggers';
import { systemClock } from '../../../src/core/concurrency/clock';
import { OutboundGateway } from '../../../src/io/outbound/gateway';
import { memoryPorts } from '../memory-ports';
import type { Answer, FromProducer, Order } from './protocol';

/*
 * A worker that publishes the numbers from 0 on, and may be killed at any time. It reads everything about its run from the process that has started
 * it, as workers read it from their database.
 */

const numbers = defineExtractor({
    code: 'numbers',
    title: 'Numbers',
    summary: 'The numbers from 0 on.',
    config: z.strictObject({ count: z.number().int().meta({ title: 'Count', description: 'How many.' }) }),
    async *extract({ count }, { resumeFrom }) {
        const size = 250;
        for (let from = Number(resumeFrom ?? 0); from < count; from += size) {
            const to = Math.min(count, from + size);
            const records = Array.from({ length: to - from }, (_, i) => ({ n: from + i, text: `Größe ${from + i}` }));
            yield { records, checkpoint: to };
        }
    },
});

const waiting = new Map<number, (value: unknown) => void>();
let requested = 0;

function send(message: FromProducer): void {
    process.send!(message);
}

function ask<T>(what: Extract<FromProducer, { id: number }>['what'], given?: unknown): Promise<T> {
    const id = ++requested;
    send({ what, id, given });
    return new Promise<T>(resolve => waiting.set(id, resolve as (value: unknown) => void));
}

async function publish({ count, batchSize, config, connection }: Order): Promise<void> {
    const registry = Registry.of(triggers, [queueProducer], [numbers]);
    const steps = [
        { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
        { key: 'read', kind: 'EXTRACT', config: { adapterCode: 'numbers', count } },
        { key: 'send', kind: 'SINK', config: { adapterCode: 'queueProducer', connectionCode: 'broker', ...config } },
    ];
    const edges = [
        { from: 'start', to: 'read' },
        { from: 'read', to: 'send' },
    ];
    const definition = parseDefinition(
        { version: 1, steps, edges, throughput: { batchSize, concurrency: 2 } },
        registry,
    );
    const gateway = new OutboundGateway({ allowedHostnames: ['127.0.0.1', 'localhost'] });
    const outbound = gateway.forRun({ scope: 'kills', rateLimitRps: 0 });
    const resources = {
        ...noResources,
        // The secrets of these tests have their own codes as values.
        secrets: { get: (code: string) => new Secret(code, code, EVERY_HOST) },
        connections: { get: (code: string) => ({ code, ...connection }) },
    };
    const compiled = compilePipeline(
        definition,
        { runId: 'run', mode: 'live', triggerKey: 'start', startedAt: 0 },
        { registry, clock: systemClock, platform: undefined, resources, outbound },
    );
    const own = memoryPorts();
    const ports = {
        ...own,
        positions: {
            ...own.positions,
            load: () => ask('load'),
            commit: (given: unknown) => ask<void>('commit', given),
        },
        loads: {
            ...own.loads,
            storedVerdicts: ({ key }: { readonly key: unknown }) => ask<string | undefined>('told', { key }),
            settle: ({ key, digest }: { readonly key: unknown; digest(): string }, result: unknown) =>
                ask<void>('settle', { key, digest: digest(), result }),
        },
    } as typeof own;
    const { end } = await executeRun(compiled, ports, { signal: new AbortController().signal });
    await gateway.close();
    send({ what: 'end', end });
}

process.on('message', (message: Answer | Order) => {
    if ('count' in message) {
        publish(message).catch((error: unknown) => send({ what: 'end', end: String(error) }));
        return;
    }
    waiting.get(message.id)!(message.value);
    waiting.delete(message.id);
});
process.on('disconnect', () => process.exit(0));
send({ what: 'ready' });

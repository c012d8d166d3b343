import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { batchOperator, type PipelineSource } from '../../src';
import type { EdgeDefinition, StepDefinition } from '../../src/core/pipeline/definition';
import { PAGE } from './delivery';

/** The number of gates. There is a load step before each gate, and one after the last. */
export const GATES = 4;
const LOOK_MS = 20;

/**
 * Files next to the delivery: how many gates are open, and at which gates a batch has waited. Both outlive the
 * processes.
 */
const openFile = (delivery: string): string => `${delivery}.open`;
const waitedFile = (delivery: string): string => `${delivery}.waited`;

export function openGates(delivery: string, count: number): void {
    writeFileSync(openFile(delivery), String(count));
}

/** Closes all gates, and forgets who waited. */
export function closeGates(delivery: string): void {
    rmSync(waitedFile(delivery), { force: true });
    openGates(delivery, 0);
}

/** The gates at which a batch has waited. */
export function waitedAt(delivery: string): readonly number[] {
    const file = waitedFile(delivery);
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').map(Number) : [];
}

/** An operator between two load steps: a batch waits there until the gate is opened. */
export function gateBehind(delivery: string) {
    return batchOperator({
        code: 'gate',
        category: 'Test',
        title: 'Gate',
        summary: 'Waits until it is opened.',
        examples: [],
        config: z.strictObject({ number: z.int().meta({ title: 'Number', description: 'Which of the gates it is.' }) }),
        open:
            ({ number }) =>
            async (batch, cx) => {
                const isOpen = (): boolean => Number(readFileSync(openFile(delivery), 'utf8')) >= number;
                if (isOpen()) return batch;
                appendFileSync(waitedFile(delivery), `${number}\n`);
                while (!isOpen()) await cx.clock.sleep(LOOK_MS, cx.signal);
                return batch;
            },
    });
}

/** One page in one batch, which many load steps load with a gate between each two. */
export const gated: PipelineSource = {
    code: 'gated',
    name: 'Gated',
    description: '',
    enabled: true,
    definition: {
        version: 1,
        throughput: { batchSize: PAGE },
        steps: [
            { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
            { key: 'in', kind: 'EXTRACT', config: { adapterCode: 'patientSupplier' } },
            ...Array.from({ length: GATES }, (_, i) => [tags(i), gate(i + 1)]).flat(),
            tags(GATES),
        ],
        edges: chained([
            'start',
            'in',
            ...Array.from({ length: GATES }, (_, i) => [`tags${i}`, `gate${i + 1}`]).flat(),
            `tags${GATES}`,
        ]),
    },
};

function tags(number: number): StepDefinition {
    return { key: `tags${number}`, kind: 'LOAD', config: { adapterCode: 'appendTags' } };
}

function gate(number: number): StepDefinition {
    const operators = [{ op: 'gate', args: { number } }];
    return { key: `gate${number}`, kind: 'TRANSFORM', config: { operators } };
}

function chained(keys: readonly string[]): EdgeDefinition[] {
    return keys.slice(1).map((to, i) => ({ from: keys[i]!, to }));
}

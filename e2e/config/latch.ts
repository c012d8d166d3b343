import { z } from 'zod';
import { defineExtractor } from '../../src';

const waiting = new Map<string, { readonly reached: () => void; readonly opened: Promise<void> }>();

/** A point at which a run waits until a test opens it. */
export interface Latch {
    /** Resolves when the run has arrived. */
    readonly reached: Promise<void>;
    open(): void;
}

/** A latch that a definition refers to by name. The run must be executed in this process. */
export function latch(name: string): Latch {
    let reached!: () => void;
    let open!: () => void;
    const there = new Promise<void>(resolve => {
        reached = resolve;
    });
    const opened = new Promise<void>(resolve => {
        open = resolve;
    });
    waiting.set(name, { reached, opened });
    return { reached: there, open };
}

/** Reads one value, waits at a latch, and reads another one. */
export const latchedValues = defineExtractor({
    code: 'latchedValues',
    title: 'Latched values',
    summary: 'Waits at a latch between two values.',
    config: z.strictObject({
        latch: z.string().meta({ title: 'Latch', description: 'Its name.' }),
        label: z.string().meta({ title: 'Label', description: 'What the values begin with.' }),
    }),
    async *extract({ latch: name, label }, cx) {
        if (cx.resumeFrom === undefined) yield { records: [{ value: `${label}-before` }], checkpoint: 1 };
        const known = waiting.get(name);
        known?.reached();
        await Promise.race([
            known?.opened,
            new Promise<never>((_, stop) => {
                cx.signal.addEventListener(
                    'abort',
                    () => {
                        stop(cx.signal.reason as Error);
                    },
                    { once: true },
                );
            }),
        ]);
        yield { records: [{ value: `${label}-after` }], checkpoint: 2 };
    },
});

import { writeFileSync } from 'node:fs';
import type { JsonObject } from '../src/core/value/json';
import { digesting } from '../src/core/pipeline/digest';
import { checkingDefinition } from '../src/core/pipeline/parse';
import { readingInput } from '../src/core/pipeline/read-input';
import { compilingPipeline } from '../src/core/run/compile';
import { noResources } from '../src/core/adapter/no-resources';
import { systemClock } from '../src/core/concurrency/clock';
import { TaskQueue } from '../src/core/concurrency/task-queue';
import type { YieldingTask } from '../src/core/concurrency/yielding-task';
import { checkKey } from '../src/plugin/pipelines/check-key';
import { inlineCodes } from '../src/plugin/pipelines/inline-code';
import { readingDocumentText } from '../src/plugin/pipelines/document-text';
import { findingDefinitionReferences } from '../src/plugin/references/definition-references';
import { setUp } from '../src/plugin/setup';

const { registry } = setUp({});
const LIMITS = { maxValues: Infinity, maxConfigValues: Infinity, maxPatterns: Infinity };

const start = { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } };
const read = { key: 'read', kind: 'EXTRACT', config: { adapterCode: 'generator', count: 1, template: {} } };
const shaping = (operators: readonly JsonObject[]): JsonObject => ({
    version: 1,
    steps: [start, read, { key: 'shape', kind: 'TRANSFORM', config: { operators } }],
    edges: [
        { from: 'start', to: 'read' },
        { from: 'read', to: 'shape' },
    ],
});
const times = <T>(count: number, make: (i: number) => T): readonly T[] =>
    Array.from({ length: count }, (_, i) => make(i));
const trims = (count: number) => shaping(times(count, () => ({ op: 'trim', args: { path: 'a' } })));
/** Expensive patterns that are all different. */
const patterns = (from: number, pattern: (i: number) => string) =>
    shaping(
        times(500, i => ({ op: 'replaceRegex', args: { path: 'a', pattern: pattern(from + i), replacement: '' } })),
    );
const dense = (): JsonObject => ({
    version: 1,
    steps: times(200, i => ({
        key: `s${i}`,
        kind: 'TRANSFORM',
        config: { operators: [{ op: 'trim', args: { path: 'a' } }] },
    })),
    edges: times(200 * 200, i => [Math.floor(i / 200), i % 200] as const)
        .filter(([from, to]) => from !== to)
        .slice(0, 36_000)
        .map(([from, to]) => ({ from: `s${from}`, to: `s${to}` })),
});
const faulty = (edges: number): JsonObject => ({ version: 1, steps: [start], edges: times(edges, () => 0) });

interface Measured {
    readonly what: string;
    readonly ms: number;
    /** The longest time for which the event loop was blocked. */
    readonly blockMs: number;
    /** The most processor time used in such a block. A busy machine does not make it longer. */
    readonly cpuMs: number;
    readonly turns: number;
}

async function measured(what: string, work: () => YieldingTask<unknown>): Promise<Measured> {
    let blockMs = 0;
    let turns = 0;
    let cpuMs = 0;
    let last = performance.now();
    let spent = process.cpuUsage();
    let next: NodeJS.Immediate;
    const turned = (): void => {
        const now = performance.now();
        blockMs = Math.max(blockMs, now - last);
        const { user, system } = process.cpuUsage(spent);
        cpuMs = Math.max(cpuMs, (user + system) / 1000);
        last = now;
        spent = process.cpuUsage();
        turns++;
        next = setImmediate(turned);
    };
    turned();
    const began = performance.now();
    try {
        await new TaskQueue().done(work());
    } catch (error) {
        what = `${what} (${String(error).slice(0, 60)})`;
    } finally {
        clearImmediate(next!);
    }
    blockMs = Math.max(blockMs, performance.now() - last);
    return { what, ms: performance.now() - began, blockMs, cpuMs, turns };
}

function* compiling(definition: JsonObject): YieldingTask<unknown> {
    const checked = yield* checkingDefinition(definition, registry, LIMITS);
    const input = { runId: 'run', mode: 'dryRun', triggerKey: 'start', startedAt: 0 } as const;
    const kit = { registry, clock: systemClock, platform: undefined, resources: noResources };
    return yield* compilingPipeline(checked.definition!, input, kit);
}

/** Measures how long checks of the largest definitions take, and how long they block the event loop. */
export async function benchChecks(jsonFile: string | undefined): Promise<void> {
    const check = (definition: JsonObject) => () => checkingDefinition(definition, registry, LIMITS);
    const yaml = `flow: 1\ncode: a\ndefinition: ${JSON.stringify(trims(4_000))}\n`;
    const yieldingTasks: ReadonlyArray<readonly [string, () => YieldingTask<unknown>]> = [
        ['500 patterns with classes of Unicode', check(patterns(0, i => `${'\\pL'.repeat(130)}${i}`))],
        ['500 patterns with wide classes', check(patterns(500, i => `(?i)${'[B-\\x{1e942}]'.repeat(3)}${i}`))],
        ['500 patterns of many instructions', check(patterns(1000, i => `${'(a?b|c)'.repeat(130)}${i}`))],
        ['compiling the latter', () => compiling(patterns(1000, i => `${'(a?b|c)'.repeat(130)}${i}`))],
        ['36,000 edges', check(dense())],
        ['36,000 invalid edges', check(faulty(36_000))],
        ['90,000 invalid edges', check(faulty(90_000))],
        ['20,000 operators', check(trims(20_000))],
        ['compiling them', () => compiling(trims(20_000))],
        [
            '20,000 values in one configuration',
            check(shaping([{ op: 'pick', args: { fields: times(20_000, i => `f${i}`) } }])),
        ],
        ['20,000 invalid ones', check(shaping([{ op: 'pick', args: { fields: times(20_000, () => 0) } }]))],
        ['reading a megabyte', () => readingInput(trims(20_000))],
        ['its digest', () => digesting(trims(20_000))],
        ['its code', () => inlineCodes(trims(20_000), registry)],
        ['its references', () => findingDefinitionReferences(trims(20_000), registry)],
        ['a document in YAML', () => readingDocumentText(yaml, 'YAML')],
        [
            'patterns that find issues',
            () =>
                checkKey({
                    version: '1',
                    registry,
                    limits: LIMITS,
                    allowed: [],
                    permissions: new Set(),
                    customFields: [],
                }),
        ],
    ];
    const rows: Measured[] = [];
    // A server has already checked its first definition at its start.
    await measured('warm', check(trims(1)));
    for (const [what, work] of yieldingTasks) rows.push(await measured(what, work));
    const width = Math.max(...rows.map(({ what }) => what.length));
    const line = (...cells: readonly string[]): string => cells.map(cell => cell.padStart(9)).join('  ');
    console.log('check'.padEnd(width) + line('ms', 'block ms', 'of it CPU', 'turns'));
    for (const { what, ms, blockMs, cpuMs, turns } of rows)
        console.log(what.padEnd(width) + line(ms.toFixed(0), blockMs.toFixed(1), cpuMs.toFixed(1), String(turns)));
    if (jsonFile !== undefined) writeFileSync(jsonFile, `${JSON.stringify(rows, null, 2)}\n`);
}

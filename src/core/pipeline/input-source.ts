import { providedRecords } from '../adapter/provided-records';
import { isSourceReference, type SourceReference } from '../adapter/source-reference';
import type { JsonObject } from '../value/json';
import type { PipelineDefinition, StepDefinition } from './definition';
import { readsRecords } from '../steps/kinds';
import { buildGraph } from './graph';

/** A definition as one run executes it. */
export interface ExecutedDefinition {
    readonly definition: PipelineDefinition;
    /** The trigger that the run begins at. */
    readonly triggerKey: string;
}

/**
 * A definition for a run with supplied records. A source of the records replaces the trigger, under its key. Every EXTRACT step that the trigger
 * leads to, anywhere in the graph, passes its records through or looks them up. Needs a registry `withProvidedRecords`.
 */
export function withInputRecords(
    definition: PipelineDefinition,
    triggerKey: string,
    records: readonly JsonObject[],
): ExecutedDefinition {
    const start: StepDefinition = {
        ...buildGraph(definition).step(triggerKey),
        key: freeKey(definition, triggerKey),
    };
    const source: StepDefinition = {
        key: triggerKey,
        kind: 'EXTRACT',
        config: { adapterCode: providedRecords.code, records },
    };
    const steps = definition.steps.map(step => (step.key === triggerKey ? source : step));
    return {
        definition: {
            ...definition,
            steps: [start, ...steps],
            edges: [{ from: start.key, to: triggerKey }, ...definition.edges],
        },
        triggerKey: start.key,
    };
}

function freeKey({ steps }: Pick<PipelineDefinition, 'steps'>, key: string): string {
    const taken = new Set(steps.map(step => step.key));
    let free = key;
    while (taken.has(free)) free += '-';
    return free;
}

/** A stored file that a step reads instead of the configured one. */
export interface FileOfStep {
    readonly stepKey: string;
    readonly fileId: string;
}

/** Stored files that a run reads: one, by the step directly after its trigger, or one for each of several steps. */
export type InputFiles = { readonly fileId: string } | { readonly files: readonly FileOfStep[] };

/** The input that replaces the sources of a run: stored files, or the remote file that it was started for. */
export type InputSource = InputFiles | SourceReference;

/** The ids of the stored files. */
export function inputFileIds(given: InputSource): readonly string[] {
    if (isSourceReference(given)) return [];
    return 'files' in given ? given.files.map(({ fileId }) => fileId) : [given.fileId];
}

/**
 * Why a run cannot read these, as the end of a sentence; undefined if it can (the trigger must be connected directly to
 * the step).
 */
export function inputFilesProblem(
    definition: PipelineDefinition,
    triggerKey: string,
    given: InputFiles,
): string | undefined {
    const reading = readersOfFiles(definition, triggerKey);
    if (reading.length === 0)
        return `its trigger "${triggerKey}" leads directly to no enabled EXTRACT step that reads a stored file`;
    const odd = 'files' in given ? given.files.find(({ stepKey }) => !reading.includes(stepKey)) : undefined;
    if (!odd) return undefined;
    const known = reading.map(key => `"${key}"`).join(', ');
    return `"${odd.stepKey}" is not an enabled EXTRACT step directly after its trigger "${triggerKey}" that reads a stored file; allowed: ${known}`;
}

/** A definition whose EXTRACT steps directly after a trigger read the given stored files instead of the configured ones. */
export function withInputFiles(
    definition: PipelineDefinition,
    triggerKey: string,
    given: InputFiles,
): PipelineDefinition {
    const readers = readersOfFiles(definition, triggerKey);
    const byStep = new Map(
        'files' in given
            ? given.files.map(({ stepKey, fileId }) => [stepKey, fileId] as const)
            : readers.map(key => [key, given.fileId] as const),
    );
    const steps = definition.steps.map(step => {
        const fileId = readers.includes(step.key) ? byStep.get(step.key) : undefined;
        return fileId === undefined ? step : { ...step, config: { ...step.config, fileId } };
    });
    return { ...definition, steps };
}

/** Stages whose hooks transform records after a step of any kind. */
const CHANGING = /^(?:BEFORE|AFTER)_(?!EXTRACT$)/;

/**
 * A definition for records that a gate holds: a source of them leads to the gate, followed by the gate's downstream steps. It omits the hooks of
 * the run itself, and everything that happened to the records before the gate. Needs a registry `withProvidedRecords`.
 */
export function withoutSpooledSources(
    definition: PipelineDefinition,
    gateKey: string,
    records: readonly JsonObject[],
): PipelineDefinition {
    const after = buildGraph(definition).reachable(gateKey);
    const steps = definition.steps.filter(({ key }) => key === gateKey || after.has(key));
    const keys = new Set(steps.map(({ key }) => key));
    const start: StepDefinition = { key: freeKey(definition, 'start'), kind: 'TRIGGER', config: { type: 'MANUAL' } };
    const source: StepDefinition = {
        key: freeKey(definition, 'held'),
        kind: 'EXTRACT',
        config: { adapterCode: providedRecords.code, records },
    };
    const stages = Object.entries(definition.hooks).filter(
        ([stage]) => CHANGING.test(stage) && stage !== 'BEFORE_GATE',
    );
    return {
        ...definition,
        steps: [start, source, ...steps],
        edges: [
            { from: start.key, to: source.key },
            { from: source.key, to: gateKey },
            ...definition.edges.filter(({ from, to }) => keys.has(from) && keys.has(to)),
        ],
        hooks: Object.fromEntries(stages),
    };
}

/** Records that a step has rejected and that it is to receive again. */
export interface RejectedRecords {
    readonly stepKey: string;
    readonly records: readonly JsonObject[];
    /** The place of each record in its source. */
    readonly places: ReadonlyArray<string | null>;
}

/** A definition whose records come from steps that have rejected them. */
export interface ReplayedDefinition extends ExecutedDefinition {
    /** Steps that receive records which were at them before, by the keys of their sources. */
    readonly returning: Readonly<Record<string, string>>;
}

/** The key of the source of the rejected records at this index of the list. */
export function replaySource(definition: Pick<PipelineDefinition, 'steps'>, place: number): string {
    return freeKey(definition, `replay-${place + 1}`);
}

/**
 * A definition for a run that receives records which steps rejected in earlier runs. For each of these steps, a source of its records leads to it,
 * and nothing else is read. Needs a registry `withProvidedRecords`.
 */
export function withRejectedRecords(
    definition: PipelineDefinition,
    rejected: readonly RejectedRecords[],
): ReplayedDefinition {
    const start: StepDefinition = { key: freeKey(definition, 'replay'), kind: 'TRIGGER', config: { type: 'MANUAL' } };
    const sources = rejected.map(({ records, places }, place): StepDefinition => {
        const config = { adapterCode: providedRecords.code, records, places };
        return { key: replaySource(definition, place), kind: 'EXTRACT', config };
    });
    const edges = rejected.flatMap(({ stepKey }, place) => {
        const { key } = sources[place]!;
        return [
            { from: start.key, to: key },
            { from: key, to: stepKey },
        ];
    });
    const graph = buildGraph(definition);
    const returning = rejected
        .map(({ stepKey }, place) => [sources[place]!.key, stepKey] as const)
        // Rows that a source could not read as records have not passed a hook.
        .filter(([, stepKey]) => !readsRecords(graph.step(stepKey).kind));
    return {
        definition: {
            ...definition,
            steps: [start, ...sources, ...definition.steps],
            edges: [...edges, ...definition.edges],
        },
        triggerKey: start.key,
        returning: Object.fromEntries(returning),
    };
}

function readersOfFiles(definition: PipelineDefinition, triggerKey: string): readonly string[] {
    return buildGraph(definition)
        .sourcesOf(triggerKey)
        .filter(({ disabled, config }) => disabled !== true && 'fileId' in config)
        .map(({ key }) => key);
}

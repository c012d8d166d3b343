import { givenRecords } from '../adapter/given-records';
import type { JsonObject } from '../value/json';
import { readsRecords } from '../steps/kinds';
import type { PipelineDefinition, StepDefinition } from './definition';
import { buildGraph } from './graph';

/** A definition as one run executes it. */
export interface ExecutedDefinition {
    readonly definition: PipelineDefinition;
    /** The trigger that the run begins at. */
    readonly triggerKey: string;
}

/**
 * A definition for a run that is given its records (spec 1, rule 9): a source of them stands in the place of the trigger, under its key, and
 * every EXTRACT step that it leads to hands on what comes. Needs a registry `withGivenRecords`.
 */
export function readingGiven(
    definition: PipelineDefinition,
    triggerKey: string,
    records: readonly JsonObject[],
): ExecutedDefinition {
    const graph = buildGraph(definition);
    const passing = new Set(graph.sourcesOf(triggerKey).map(({ key }) => key));
    const start: StepDefinition = { ...graph.step(triggerKey), key: freeKey(definition, triggerKey) };
    const source: StepDefinition = {
        key: triggerKey,
        kind: 'EXTRACT',
        config: { adapterCode: givenRecords.code, records },
    };
    const steps = definition.steps.map(step => {
        if (step.key === triggerKey) return source;
        return passing.has(step.key) ? { ...step, disabled: true } : step;
    });
    return {
        definition: {
            ...definition,
            steps: [start, ...steps],
            edges: [{ from: start.key, to: triggerKey }, ...definition.edges],
        },
        triggerKey: start.key,
    };
}

function freeKey({ steps }: PipelineDefinition, key: string): string {
    const taken = new Set(steps.map(step => step.key));
    let free = key;
    while (taken.has(free)) free += '-';
    return free;
}

/**
 * A definition whose EXTRACT steps right behind a trigger read another stored file than their own (spec 1, rule 10: the trigger must be connected
 * directly to the step). Undefined where none of them reads a stored file.
 */
export function readingFile(
    definition: PipelineDefinition,
    triggerKey: string,
    fileId: string,
): PipelineDefinition | undefined {
    const reading = new Set(
        buildGraph(definition)
            .next(triggerKey)
            .filter(({ kind, disabled, config }) => readsRecords(kind) && disabled !== true && 'fileId' in config)
            .map(({ key }) => key),
    );
    if (reading.size === 0) return undefined;
    const steps = definition.steps.map(step =>
        reading.has(step.key) ? { ...step, config: { ...step.config, fileId } } : step,
    );
    return { ...definition, steps };
}

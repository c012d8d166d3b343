import { providedRecords } from '../adapter/provided-records';
import { isJsonObject, type JsonObject, type JsonValue } from '../value/json';
import { show } from '../value/show';
import { flowError } from '../errors/flow-error';
import type { YieldingTask } from '../concurrency/yielding-task';
import { looksRecordsUp, readsRecords, startsRuns } from '../steps/kinds';
import { readingInput } from './read-input';
import { definitionIssue } from './parse';
import { issueMovedTo } from '../schema/issues';
import type { Issue } from './issues';

/** The steps of a definition that are needed to test one of them. */
export interface DefinitionPart {
    /** A separate definition, with one trigger. The definition from which it was cut may have errors elsewhere. */
    readonly definition: JsonObject;
    /** The whole definition, with null for the steps outside of the part, and without the hooks outside of it. */
    readonly inPlace: JsonObject;
    /** Maps errors of the part to their paths in the whole definition. */
    placed(issues: readonly Issue[]): readonly Issue[];
}

/** The key of the trigger of a part, with hyphens where a step has it already. */
const PART_TRIGGER = 'trigger';
/** The source of the records that are given. */
const PART_SOURCE = 'records';

interface Placed {
    readonly step: JsonObject & { readonly key: string };
    readonly index: number;
}

/**
 * Cuts out what leads to a step: its sources and everything between them. If records are given, only the step remains, after their source. Throws
 * DEFINITION_MALFORMED, DEFINITION_INVALID for anything that no definition may contain, at any path, and INPUT_INVALID for a step that cannot be
 * tried.
 */
export function* partOf(input: unknown, stepKey: string, isGiven: boolean): YieldingTask<DefinitionPart> {
    const { value, issues } = yield* readingInput(input);
    yield;
    if (!value || issues.length > 0) throw definitionIssue(issues);
    const steps = listOf(value['steps']).flatMap((step, index): Placed[] =>
        isJsonObject(step) && typeof step['key'] === 'string' ? [{ step: step as Placed['step'], index }] : [],
    );
    const target = steps.find(({ step }) => step.key === stepKey);
    if (!target)
        throw rejected(
            `stepKey is ${show(stepKey)}; the definition has the steps ${steps.map(({ step }) => step.key).join(', ') || '(none)'}`,
        );
    assertTriable(target.step, isGiven);
    return isGiven ? alone(value, target) : behindSources(value, { steps, target });
}

function assertTriable({ key, kind, disabled, config }: Placed['step'], isGiven: boolean): void {
    if (startsRuns(kind))
        throw rejected(`stepKey is ${show(key)}, a ${String(kind)}; it does not process records, name a step after it`);
    if (disabled === true) throw rejected(`stepKey is ${show(key)}, a disabled step, which passes its input on`);
    if (readsRecords(kind) && isGiven && !(isJsonObject(config) && looksRecordsUp(kind, config)))
        throw rejected(
            `records are given for the ${String(kind)} step ${show(key)}, which reads its own; leave them out`,
        );
}

function alone(whole: JsonObject, { step, index }: Placed): DefinitionPart {
    const source = step.key === PART_SOURCE ? `${PART_SOURCE}-given` : PART_SOURCE;
    const trigger = triggerBeside([step.key, source]);
    const records = { key: source, kind: 'EXTRACT', config: { adapterCode: providedRecords.code, records: [] } };
    const edges = [
        { from: trigger.key, to: source },
        { from: source, to: step.key },
    ];
    const own = ownOf(whole, [step]);
    return {
        definition: { ...own, steps: [trigger, records, step], edges },
        inPlace: { ...own, steps: inPlace(whole, [index]) },
        placed: places([undefined, undefined, index], []),
    };
}

function behindSources(
    whole: JsonObject,
    { steps, target }: { readonly steps: readonly Placed[]; readonly target: Placed },
): DefinitionPart {
    const edges = listOf(whole['edges']).flatMap((edge, index) =>
        isEdge(edge) ? [{ edge, from: edge.from, to: edge.to, index }] : [],
    );
    const before = joinedTo(
        [target.step.key],
        // An EXTRACT step is tested with what it reads itself.
        readsRecords(target.step['kind']) ? [] : edges.map(({ from, to }) => [to, from]),
    );
    const leading = steps.filter(({ step }) => before.has(step.key) && !startsRuns(step['kind']));
    const forward = edges.map(({ from, to }) => [from, to] as const);
    const reading = leading.filter(({ step }) => readsRecords(step['kind'])).map(({ step }) => step.key);
    const behindOthers = new Set(
        reading.flatMap(key => [...joinedTo([key], forward)].filter(reached => reached !== key)),
    );
    const sources = reading.filter(key => !behindOthers.has(key));
    const reached = joinedTo(sources, forward);
    // To the others no records come, so they hand none on either.
    const kept = leading
        .filter(({ step }) => reached.has(step.key))
        .map(({ step, index }) => ({ step: behindOthers.has(step.key) ? handingOn(step) : step, index }));
    const keys = new Set(kept.map(({ step }) => step.key));
    if (sources.length === 0)
        throw rejected(`no EXTRACT step leads to the step ${show(target.step.key)}; give it records to be tried with`);
    const trigger = triggerBeside([...keys]);
    const inside = edges.filter(({ from, to }) => keys.has(from) && keys.has(to));
    const own = ownOf(
        whole,
        kept.map(({ step }) => step),
    );
    return {
        definition: {
            ...own,
            steps: [trigger, ...kept.map(({ step }) => step)],
            edges: [...sources.map(to => ({ from: trigger.key, to })), ...inside.map(({ edge }) => edge)],
        },
        inPlace: {
            ...own,
            steps: inPlace(
                whole,
                kept.map(({ index }) => index),
            ),
        },
        placed: places(
            [undefined, ...kept.map(({ index }) => index)],
            [...sources.map(() => undefined), ...inside.map(({ index }) => index)],
        ),
    };
}

/** An EXTRACT step after another one passes on what that has read, unless it looks it up. */
function handingOn(step: Placed['step']): Placed['step'] {
    const { kind, config } = step;
    const isPassed = readsRecords(kind) && !(isJsonObject(config) && looksRecordsUp(kind, config));
    return isPassed ? { ...step, disabled: true } : step;
}

function triggerBeside(keys: readonly string[]): JsonObject & { readonly key: string } {
    let key = PART_TRIGGER;
    while (keys.includes(key)) key += '-';
    return { key, kind: 'TRIGGER', config: { type: 'MANUAL' } };
}

/** The keys themselves and all that can be got to from them. */
function joinedTo(keys: readonly string[], pairs: ReadonlyArray<readonly [string, string]>): ReadonlySet<string> {
    const next = new Map<string, string[]>();
    for (const [from, to] of pairs) {
        const known = next.get(from);
        if (known) known.push(to);
        else next.set(from, [to]);
    }
    const found = new Set(keys);
    // The set grows during the iteration.
    for (const key of found) for (const to of next.get(key) ?? []) found.add(to);
    return found;
}

/**
 * Everything except steps and edges. It includes the hooks before and after these steps, but not the hooks of the run itself, which a trial does
 * not run.
 */
function ownOf(whole: JsonObject, steps: readonly JsonObject[]): JsonObject {
    const { hooks, ...rest } = whole;
    if (hooks === undefined) return rest;
    const stages = new Set(steps.flatMap(({ kind }) => [`BEFORE_${String(kind)}`, `AFTER_${String(kind)}`]));
    const kept = isJsonObject(hooks)
        ? Object.fromEntries(Object.entries(hooks).filter(([stage]) => stages.has(stage)))
        : hooks;
    return { ...rest, hooks: kept };
}

function inPlace(whole: JsonObject, kept: readonly number[]): readonly JsonValue[] {
    return listOf(whole['steps']).map((step, index) => (kept.includes(index) ? step : null));
}

type Indices = ReadonlyArray<number | undefined>;

function places(steps: Indices, edges: Indices): DefinitionPart['placed'] {
    const placed = (text: string): string =>
        text.replace(/^(steps|edges)\[(\d+)\]/, (same, list: string, at: string) => {
            const index = (list === 'steps' ? steps : edges)[Number(at)];
            return index === undefined ? same : `${list}[${index}]`;
        });
    return issues => issues.map(issue => issueMovedTo(issue, placed));
}

function isEdge(edge: JsonValue): edge is JsonObject & { readonly from: string; readonly to: string } {
    return isJsonObject(edge) && typeof edge['from'] === 'string' && typeof edge['to'] === 'string';
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
    return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

function rejected(problem: string): Error {
    return flowError('INPUT_INVALID', { problem });
}

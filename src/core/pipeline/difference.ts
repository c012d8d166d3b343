import type { Registry } from '../adapter/registry';
import { writingCanonically } from '../data/canonical-texts';
import { isJsonObject, type JsonObject, type JsonValue } from '../value/json';
import { fieldsOfCalls } from '../schema/operator-calls';
import type { YieldingTask } from '../concurrency/yielding-task';
import { aligningPairs } from './alignment';
import {
    type ComparedPart,
    edgesOf,
    gapsOf,
    listsOfOperators,
    quotedPathTo,
    stepsOf,
    textsOf,
} from './difference-parts';
import { sortingKeys } from './key-order';
import { normalCall, normalSettings, normalStep } from './normal-form';

/** One thing that differs between two definitions. */
export interface Difference {
    readonly kind: 'ADDED' | 'REMOVED' | 'CHANGED';
    /** An OPERATOR as a whole, one ARGUMENT of a step or operator, a SETTING of the pipeline. */
    readonly subject: 'STEP' | 'OPERATOR' | 'ARGUMENT' | 'EDGE' | 'SETTING';
    readonly stepKey?: string;
    /**
     * Where, in the newer definition, and in the older one for what was removed. Steps go by their keys and edges by what they join, so
     * that no path changes because something else was added: `steps.read.config.pageSize`, `steps.clean.config.operators[2].args.path`,
     * `edges.read.clean`, `edges.split.write.large` (with its branch), `throughput.batchSize`. A name with other characters than letters,
     * digits, hyphens and underscores is quoted in brackets: `args.mapping["Art.-Nr."]`.
     */
    readonly path: string;
    /** Undefined if it was added. */
    readonly before?: JsonValue;
    /** Undefined if it was removed. */
    readonly after?: JsonValue;
}

/**
 * Finds the differences in meaning between two definitions, even invalid ones: steps first, then edges, then settings. The order of keys, steps and
 * edges does not count, nor do settings that repeat their default. With a registry, the same is true of aliases and of arguments that repeat their
 * default. A moved operator is reported as removed and added. If two operators with the same `op` have the same neighbours, their arguments are
 * compared. The run time is proportional to the size of the definitions (see `aligningPairs`).
 */
export function* findingDifferences(
    before: JsonObject,
    after: JsonObject,
    registry?: Registry,
): YieldingTask<readonly Difference[]> {
    const comparison = new Comparison(registry);
    const [older, newer] = [yield* sortingKeys(before), yield* sortingKeys(after)];
    yield* comparison.steps(older, newer);
    yield* comparison.edges(older, newer);
    yield* comparison.settings(older, newer);
    return comparison.found;
}

/** What is compared, and under which path its older and its newer form are found. */
interface Place {
    readonly subject: Difference['subject'];
    readonly stepKey?: string;
    readonly before: string;
    readonly after: string;
}

interface Calls {
    /** The fields with calls of operators. */
    readonly calls: readonly string[];
}

class Comparison {
    readonly found: Difference[] = [];

    constructor(private readonly registry: Registry | undefined) {}

    *steps(before: JsonObject, after: JsonObject): YieldingTask<void> {
        const older = stepsOf(before.steps);
        const newer = stepsOf(after.steps);
        for (const [identity, step] of older) if (!newer.has(identity)) this.removed('STEP', step);
        for (const [identity, step] of newer) {
            const old = older.get(identity);
            if (old) yield* this.step(old, step);
            else this.added('STEP', step);
        }
    }

    *edges(before: JsonObject, after: JsonObject): YieldingTask<void> {
        const older = yield* edgesOf(before.edges);
        const newer = yield* edgesOf(after.edges);
        for (const [identity, edge] of older) if (!newer.has(identity)) this.removed('EDGE', edge);
        for (const [identity, edge] of newer) if (!older.has(identity)) this.added('EDGE', edge);
    }

    *settings(before: JsonObject, after: JsonObject): YieldingTask<void> {
        // In a comparison with an empty definition, defaults are not reported.
        const usual = isEmpty(before) || isEmpty(after) ? 'left out' : 'added';
        yield* this.fields(normalSettings(before, usual), normalSettings(after, usual), {
            subject: 'SETTING',
            before: '',
            after: '',
        });
        for (const list of ['steps', 'edges']) {
            const [old, now] = [unlessList(before[list]), unlessList(after[list])];
            if (!(yield* same(old, now))) this.changed(old, now, { subject: 'SETTING', before: list, after: list });
        }
    }

    private *step(older: ComparedPart, newer: ComparedPart): YieldingTask<void> {
        const keysetPosition: Place = {
            subject: 'STEP',
            ...(newer.stepKey !== undefined && { stepKey: newer.stepKey }),
            before: older.path,
            after: newer.path,
        };
        if (!isJsonObject(older.value) || !isJsonObject(newer.value)) {
            if (!(yield* same(older.value, newer.value))) this.changed(older.value, newer.value, keysetPosition);
            return;
        }
        const { config: oldConfig, retry: oldRetry, ...old } = normalStep(older.value, this.registry);
        const { config: newConfig, retry: newRetry, ...now } = normalStep(newer.value, this.registry);
        for (const field of fieldsOf(old, now)) {
            // A name that is given to a step is a change of the step: the step itself was there.
            if (!(yield* same(old[field], now[field])))
                this.changed(old[field], now[field], inside(keysetPosition, field));
        }
        const argument: Place = { ...keysetPosition, subject: 'ARGUMENT' };
        yield* this.value(oldRetry, newRetry, inside(argument, 'retry'));
        const at = {
            ...inside(argument, 'config'),
            calls: listsOfOperators(older.value.kind, newer.value.kind),
        };
        yield* this.config(oldConfig, newConfig, at);
    }

    private *config(
        before: JsonValue | undefined,
        after: JsonValue | undefined,
        keysetPosition: Place & Calls,
    ): YieldingTask<void> {
        if (isJsonObject(before) && isJsonObject(after)) yield* this.withCalls(before, after, keysetPosition);
        else yield* this.value(before, after, keysetPosition);
    }

    private *operators(
        before: readonly JsonValue[],
        after: readonly JsonValue[],
        keysetPosition: Place,
    ): YieldingTask<void> {
        const older = yield* this.normal(before);
        const newer = yield* this.normal(after);
        const at = (list: 'before' | 'after', index: number): string => `${keysetPosition[list]}[${index}]`;
        const whose = keysetPosition.stepKey === undefined ? {} : { stepKey: keysetPosition.stepKey };
        const part = (list: 'before' | 'after', index: number, calls: readonly JsonValue[]): ComparedPart => ({
            path: at(list, index),
            value: calls[index]!,
            ...whose,
        });
        const equal = yield* aligningPairs(yield* textsOf(older), yield* textsOf(newer));
        for (const gap of gapsOf(equal, older.length, newer.length)) {
            const rest = { before: older.slice(...gap.before), after: newer.slice(...gap.after) };
            const pairs = yield* aligningPairs(rest.before.map(opOf), rest.after.map(opOf));
            let [i, j] = [0, 0];
            for (const [kept, now] of [...pairs, [rest.before.length, rest.after.length] as const]) {
                for (; i < kept; i++) this.removed('OPERATOR', part('before', gap.before[0] + i, before));
                for (; j < now; j++) this.added('OPERATOR', part('after', gap.after[0] + j, after));
                if (i === rest.before.length) break;
                const paths = { before: at('before', gap.before[0] + i), after: at('after', gap.after[0] + j) };
                yield* this.call(rest.before[i++]!, rest.after[j++]!, { ...keysetPosition, ...paths });
            }
        }
    }

    private *normal(calls: readonly JsonValue[]): YieldingTask<readonly JsonValue[]> {
        const all: JsonValue[] = [];
        for (const call of calls) {
            all.push(normalCall(call, this.registry));
            yield;
        }
        return all;
    }

    private *call(before: JsonValue, after: JsonValue, keysetPosition: Place): YieldingTask<void> {
        if (!isJsonObject(before) || !isJsonObject(after)) {
            this.changed(before, after, { ...keysetPosition, subject: 'OPERATOR' });
            return;
        }
        const operator = typeof after.op === 'string' ? this.registry?.find('operator', after.op) : undefined;
        const { args: older, ...old } = before;
        const { args: newer, ...now } = after;
        if (!operator || !isJsonObject(older) || !isJsonObject(newer)) {
            yield* this.fields(before, after, keysetPosition);
            return;
        }
        yield* this.withCalls(older, newer, {
            ...inside(keysetPosition, 'args'),
            calls: fieldsOfCalls(operator.config),
        });
        yield* this.fields(old, now, keysetPosition);
    }

    /** Calls of operators one by one, all other fields as they are. */
    private *withCalls(before: JsonObject, after: JsonObject, { calls, ...place }: Place & Calls): YieldingTask<void> {
        const lists = calls.filter(field => isList(before[field]) && isList(after[field]));
        for (const field of lists)
            yield* this.operators(
                before[field] as readonly JsonValue[],
                after[field] as readonly JsonValue[],
                inside(place, field),
            );
        yield* this.fields(without(before, lists), without(after, lists), place);
    }

    private *fields(before: JsonObject, after: JsonObject, keysetPosition: Place): YieldingTask<void> {
        for (const field of fieldsOf(before, after))
            yield* this.value(own(before, field), own(after, field), inside(keysetPosition, field));
    }

    private *value(
        before: JsonValue | undefined,
        after: JsonValue | undefined,
        keysetPosition: Place,
    ): YieldingTask<void> {
        const { subject, stepKey } = keysetPosition;
        const whose = { subject, ...(stepKey !== undefined && { stepKey }) };
        yield;
        if (isJsonObject(before) && isJsonObject(after)) yield* this.fields(before, after, keysetPosition);
        else if (before === undefined && after !== undefined)
            this.found.push({ kind: 'ADDED', ...whose, path: keysetPosition.after, after });
        else if (before !== undefined && after === undefined)
            this.found.push({ kind: 'REMOVED', ...whose, path: keysetPosition.before, before });
        else if (!(yield* same(before, after))) this.changed(before, after, keysetPosition);
    }

    private changed(
        before: JsonValue | undefined,
        after: JsonValue | undefined,
        { subject, stepKey, after: path }: Place,
    ): void {
        const values = { ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
        this.found.push({ kind: 'CHANGED', subject, ...(stepKey !== undefined && { stepKey }), path, ...values });
    }

    private added(subject: Difference['subject'], { value, ...where }: ComparedPart): void {
        this.found.push({ kind: 'ADDED', subject, ...where, after: value });
    }

    private removed(subject: Difference['subject'], { value, ...where }: ComparedPart): void {
        this.found.push({ kind: 'REMOVED', subject, ...where, before: value });
    }
}

/** The text by which calls without a name are aligned. */
function opOf(call: JsonValue): string {
    return isJsonObject(call) && typeof call.op === 'string' ? `op ${call.op}` : typeof call;
}

function inside(keysetPosition: Place, field: string): Place {
    return {
        ...keysetPosition,
        before: quotedPathTo(keysetPosition.before, field),
        after: quotedPathTo(keysetPosition.after, field),
    };
}

function fieldsOf(before: JsonObject, after: JsonObject): readonly string[] {
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
}

function own(value: JsonObject, field: string): JsonValue | undefined {
    return Object.hasOwn(value, field) ? value[field] : undefined;
}

function* same(a: JsonValue | undefined, b: JsonValue | undefined): YieldingTask<boolean> {
    if (a === b) return true;
    if (a === undefined || b === undefined || typeof a !== typeof b) return false;
    return (yield* writingCanonically(a)) === (yield* writingCanonically(b));
}

function without(value: JsonObject, fields: readonly string[]): JsonObject {
    return fields.length === 0
        ? value
        : Object.fromEntries(Object.entries(value).filter(([field]) => !fields.includes(field)));
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
    return Array.isArray(value);
}

/** An error at the outermost level, reported as a whole. */
function unlessList(value: JsonValue | undefined): JsonValue | undefined {
    return isList(value) ? undefined : value;
}

function isEmpty(definition: JsonObject): boolean {
    return Object.keys(definition).length === 0;
}

import { writingCanonically } from '../data/canonical-texts';
import { findStepKind } from '../steps/kinds';
import { isJsonObject, type JsonValue } from '../value/json';
import type { YieldingTask } from '../concurrency/yielding-task';
import type { Match } from './alignment';

/** A part of a definition that another one may have or not. */
export interface ComparedPart {
    readonly path: string;
    readonly stepKey?: string;
    readonly value: JsonValue;
}

/** The fields with calls of operators in configurations of these kinds. */
export function listsOfOperators(...kinds: ReadonlyArray<JsonValue | undefined>): readonly string[] {
    const lists = kinds.flatMap(kind => {
        const adapters = findStepKind(kind)?.adapters;
        return adapters?.form === 'calls' && adapters.kind === 'operator' ? [adapters.list] : [];
    });
    return [...new Set(lists)];
}

/** Steps by their keys. A step without a key, or with a duplicate key, is identified by its place in the list. */
export function stepsOf(list: JsonValue | undefined): ReadonlyMap<string, ComparedPart> {
    const steps = new Map<string, ComparedPart>();
    (isList(list) ? list : []).forEach((value, index) => {
        const key = isJsonObject(value) && typeof value.key === 'string' ? value.key : undefined;
        const place = `steps[${index}]`;
        const path = key === undefined ? place : quotedPathTo('steps', key);
        const again = steps.has(path);
        steps.set(again ? `${place} ${path}` : path, {
            path: again ? place : path,
            ...(key !== undefined && { stepKey: key }),
            value,
        });
    });
    return steps;
}

/** Edges by their whole content; a duplicate edge appears once. */
export function* edgesOf(list: JsonValue | undefined): YieldingTask<ReadonlyMap<string, ComparedPart>> {
    const edges = new Map<string, ComparedPart>();
    for (const [index, value] of (isList(list) ? list : []).entries()) {
        const ends = isJsonObject(value)
            ? [value.from, value.to, value.branch].filter(end => typeof end === 'string')
            : [];
        const path = ends.length < 2 ? `edges[${index}]` : ends.reduce(quotedPathTo, 'edges');
        edges.set(yield* writingCanonically(value), { path, value });
        yield;
    }
    return edges;
}

/** The canonical texts of values. */
export function* textsOf(values: readonly JsonValue[]): YieldingTask<readonly string[]> {
    const texts: string[] = [];
    for (const value of values) {
        texts.push(yield* writingCanonically(value));
        yield;
    }
    return texts;
}

interface Gap {
    readonly before: readonly [start: number, end: number];
    readonly after: readonly [start: number, end: number];
}

/** The gaps between two matches, without empty ones. */
export function gapsOf(matches: readonly Match[], olderLength: number, newerLength: number): readonly Gap[] {
    const ends: readonly Match[] = [...matches, [olderLength, newerLength]];
    return ends.flatMap(([before, after], index) => {
        const [i, j] = index === 0 ? [-1, -1] : ends[index - 1]!;
        return before - i > 1 || after - j > 1 ? [{ before: [i + 1, before], after: [j + 1, after] } as const] : [];
    });
}

/** The path of a field: one with other characters than letters, digits, hyphens and underscores is quoted in brackets. */
export function quotedPathTo(parent: string, name: string): string {
    if (!/^[\w-]+$/.test(name)) return `${parent}[${JSON.stringify(name)}]`;
    return parent === '' ? name : `${parent}.${name}`;
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
    return Array.isArray(value);
}

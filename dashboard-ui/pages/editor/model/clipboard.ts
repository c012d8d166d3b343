import { type Definition, edgesOf, isObject, listOf, stepsOf } from './definition';
import { freshKey } from './edits';

/** Some steps, and the edges between them. */
export interface Part {
    readonly steps: readonly Definition[];
    readonly edges: readonly Definition[];
}

/** Why a text cannot be pasted. */
export type NoPart =
    | { readonly problem: 'no-json' | 'too-large' | 'too-deep' | 'no-steps' | 'too-many' }
    /** `at` names the step by its place, from 1. */
    | { readonly problem: 'no-step' | 'key' | 'reserved'; readonly at: number };

const MAX_TEXT = 1024 * 1024;
const MAX_DEPTH = 32;
const MAX_STEPS = 200;
const STEP_KEY = /^[A-Za-z0-9_-]{1,64}$/;
const RESERVED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Steps as text: a piece of a definition, which any pipeline of any shop takes. It names secrets, and holds none. */
export function copied(definition: Definition, keys: readonly string[]): string {
    const steps = stepsOf(definition).filter(({ key }) => keys.includes(key));
    const edges = edgesOf(definition).filter(({ from, to }) => keys.includes(from) && keys.includes(to));
    const part = { version: 1, steps: steps.map(({ raw }) => raw), edges: edges.map(({ raw }) => raw) };
    return JSON.stringify(part, null, 2);
}

/** The contents of pasted text: a part of a definition, a definition, or a whole document. Anything else is rejected. */
export function readPart(text: string): Part | NoPart {
    if (text.length > MAX_TEXT) return { problem: 'too-large' };
    let value: unknown;
    try {
        value = JSON.parse(text);
    } catch {
        return { problem: 'no-json' };
    }
    const definition = isObject(value) && isObject(value['definition']) ? value['definition'] : value;
    if (!isObject(definition) || !Array.isArray(definition['steps'])) return { problem: 'no-steps' };
    const steps = listOf(definition['steps']);
    if (steps.length === 0) return { problem: 'no-steps' };
    if (steps.length > MAX_STEPS) return { problem: 'too-many' };
    for (const [index, step] of steps.entries()) {
        const problem = problemOf(step);
        if (problem === 'too-deep') return { problem };
        if (problem !== undefined) return { problem, at: index + 1 };
    }
    const kept = stepsOf({ steps });
    return {
        steps: kept.map(({ raw }) => raw),
        edges: edgesOf({ steps, edges: definition['edges'] }).map(({ from, to, branch }) => ({
            from,
            to,
            ...(branch !== undefined && { branch }),
        })),
    };
}

function problemOf(step: unknown): 'no-step' | 'key' | 'reserved' | 'too-deep' | undefined {
    if (!isObject(step) || typeof step['kind'] !== 'string' || !isObject(step['config'])) return 'no-step';
    if (typeof step['key'] !== 'string' || !STEP_KEY.test(step['key'])) return 'key';
    return hidden(step, MAX_DEPTH - 2);
}

/** Keys that a definition must not have anywhere. The server rejects them too. */
function hidden(value: unknown, depth: number): 'reserved' | 'too-deep' | undefined {
    if (typeof value !== 'object' || value === null) return undefined;
    if (depth === 0) return 'too-deep';
    for (const [key, inner] of Object.entries(value)) {
        if (RESERVED.has(key)) return 'reserved';
        const found = hidden(inner, depth - 1);
        if (found !== undefined) return found;
    }
    return undefined;
}

/** Whether a text was rejected. */
export function isRefused(read: Part | NoPart): read is NoPart {
    return 'problem' in read;
}

/** Inserts a part, with new keys for its steps. Returns the new keys. */
export function pasted(
    definition: Definition,
    { steps, edges }: Part,
): { readonly definition: Definition; readonly keys: readonly string[] } {
    const names = new Map<string, string>();
    for (const step of steps) {
        const key = String(step['key']);
        names.set(key, freshName(definition, key, new Set(names.values())));
    }
    const nameOf = (key: unknown): string => names.get(String(key)) ?? String(key);
    return {
        keys: [...names.values()],
        definition: {
            ...definition,
            steps: [...listOf(definition['steps']), ...steps.map(step => ({ ...step, key: nameOf(step['key']) }))],
            edges: [
                ...listOf(definition['edges']),
                ...edges.map(edge => ({ ...edge, from: nameOf(edge['from']), to: nameOf(edge['to']) })),
            ],
        },
    };
}

/** The key itself where no step has it. */
function freshName(definition: Definition, key: string, taken: ReadonlySet<string>): string {
    const isFree = !taken.has(key) && !stepsOf(definition).some(step => step.key === key);
    return isFree ? key : freshKey(definition, key, taken);
}

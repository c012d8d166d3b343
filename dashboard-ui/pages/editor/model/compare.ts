import { type Definition, edgeId, edgesOf, listOf, stepsOf } from './definition';

/** Something that one of two people has changed. */
export interface Divergence {
    /** `step:price` or `setting:throughput`. */
    readonly id: string;
    readonly stepKey: string | undefined;
    readonly setting: string | undefined;
    /** Undefined: not there. */
    readonly base: unknown;
    readonly mine: unknown;
    readonly theirs: unknown;
    readonly changedBy: 'me' | 'them' | 'both';
}

/** Whose version is taken. */
export type Choice = 'mine' | 'theirs';

/** What two people have made of the same definition, step by step. */
export function divergences(base: Definition, mine: Definition, theirs: Definition): readonly Divergence[] {
    const [inBase, inMine, inTheirs] = [base, mine, theirs].map(partsOf) as [Parts, Parts, Parts];
    const ids = new Set([...inTheirs.keys(), ...inMine.keys(), ...inBase.keys()]);
    return [...ids].flatMap((id): readonly Divergence[] => {
        const [was, own, others] = [inBase.get(id), inMine.get(id), inTheirs.get(id)];
        if (same(own, others)) return [];
        const isMine = !same(own, was);
        const isTheirs = !same(others, was);
        const [kind, name] = [id.slice(0, id.indexOf(':')), id.slice(id.indexOf(':') + 1)];
        return [
            {
                id,
                stepKey: kind === 'step' ? name : undefined,
                setting: kind === 'setting' ? name : undefined,
                base: was,
                mine: own,
                theirs: others,
                changedBy: isMine && isTheirs ? 'both' : isMine ? 'me' : 'them',
            },
        ];
    });
}

/** Their definition with the chosen parts of mine. An edge that either side added or removed stays added or removed. */
export function merged(
    versions: { readonly base: Definition; readonly mine: Definition; readonly theirs: Definition },
    choiceOf: (divergence: Divergence) => Choice,
): Definition {
    const { base, mine, theirs } = versions;
    const taken = divergences(base, mine, theirs).filter(one => choiceOf(one) === 'mine');
    let steps = [...listOf(theirs['steps'])];
    let settings = new Map(Object.entries(theirs));
    for (const { stepKey, setting, mine: own } of taken) {
        if (setting !== undefined) {
            if (own === undefined) settings = new Map([...settings].filter(([name]) => name !== setting));
            else settings.set(setting, own);
        }
        if (stepKey === undefined) continue;
        const at = steps.findIndex(one => (one as Definition | null)?.['key'] === stepKey);
        if (own === undefined) steps = steps.filter((_, index) => index !== at);
        else if (at < 0) steps.push(own);
        else steps[at] = own;
    }
    const keys = new Set(stepsOf({ steps }).map(({ key }) => key));
    const before = new Set(edgesOf(base).map(edgeId));
    const own = new Set(edgesOf(mine).map(edgeId));
    const others = new Set(edgesOf(theirs).map(edgeId));
    const gone = edgesOf(theirs).filter(
        edge => !keys.has(edge.from) || !keys.has(edge.to) || (before.has(edgeId(edge)) && !own.has(edgeId(edge))),
    );
    const added = edgesOf(mine).filter(
        edge => keys.has(edge.from) && keys.has(edge.to) && !others.has(edgeId(edge)) && !before.has(edgeId(edge)),
    );
    const kept = listOf(theirs['edges']).filter((_, index) => !gone.some(edge => edge.index === index));
    return { ...Object.fromEntries(settings), steps, edges: [...kept, ...added.map(({ raw }) => raw)] };
}

type Parts = ReadonlyMap<string, unknown>;

function partsOf(definition: Definition): Parts {
    const { steps: _steps, edges: _edges, ...settings } = definition;
    return new Map([
        ...stepsOf(definition).map(({ key, raw }): [string, unknown] => [`step:${key}`, raw]),
        ...Object.entries(settings).map(([name, value]): [string, unknown] => [`setting:${name}`, value]),
    ]);
}

/** Whether two values are the same, whatever the order of their keys. */
export function same(a: unknown, b: unknown): boolean {
    if (Object.is(a, b)) return true;
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
    if (Array.isArray(a) !== Array.isArray(b)) return false;
    const [left, right] = [Object.entries(a), Object.entries(b)];
    return (
        left.length === right.length &&
        left.every(([key, value]) => Object.hasOwn(b, key) && same(value, (b as Definition)[key]))
    );
}

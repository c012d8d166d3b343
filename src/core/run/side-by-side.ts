import type { Node } from '../steps/step';

/** A step with all that its records may come to. */
interface Branch {
    readonly nodes: ReadonlySet<Node>;
    /** It may be gone beside others. */
    readonly isFar: boolean;
}

/** A stretch of the ways that leave a step: their places among those, in the order of the edges. */
export type Stretch = readonly number[];

/**
 * Which of the ways that leave a step are gone side by side. The ways of a stretch are; the stretches come one after another, in
 * the order of the edges. Ways that lie beside one another share a stretch where everything behind them is either in another system or
 * nowhere, and no step is behind two of them: which visit of a step is its first must not depend on who is faster.
 */
export class SideBySide {
    private readonly known = new WeakMap<readonly Node[], readonly Stretch[]>();
    private readonly branches = new Map<Node, Branch>();

    /** `isOn` is false where nothing is written, so that nothing is waited for. */
    constructor(private readonly isOn: boolean) {}

    /** Of ways as they leave one step; a list is asked for again and again. */
    of(ways: readonly Node[]): readonly Stretch[] {
        const known = this.known.get(ways);
        if (known) return known;
        const stretches = this.stretchesOf(ways);
        this.known.set(ways, stretches);
        return stretches;
    }

    private stretchesOf(ways: readonly Node[]): readonly Stretch[] {
        const stretches: number[][] = [];
        let stretch: { readonly places: number[]; readonly taken: Set<Node> } | undefined;
        for (const [place, node] of ways.entries()) {
            const { nodes, isFar } = this.branch(node);
            if (isFar && stretch && !overlaps(stretch.taken, nodes)) {
                stretch.places.push(place);
                for (const one of nodes) stretch.taken.add(one);
            } else {
                const places = [place];
                stretches.push(places);
                stretch = isFar ? { places, taken: new Set(nodes) } : undefined;
            }
        }
        return stretches;
    }

    private branch(node: Node): Branch {
        const known = this.branches.get(node);
        if (known) return known;
        const nodes = new Set([node]);
        // Grows while it is gone through.
        for (const one of nodes) for (const following of one.next) nodes.add(following);
        const branch = { nodes, isFar: this.isOn && isRemote(nodes) };
        this.branches.set(node, branch);
        return branch;
    }
}

/** That something of it is far away, and nothing of it in the shop; what holds records is known by the order in which it began to. */
function isRemote(behind: ReadonlySet<Node>): boolean {
    const steps = [...behind].map(({ step }) => step);
    const isFree = steps.every(({ touches, holds }) => (touches === 'remote' || touches === 'nothing') && !holds);
    return isFree && steps.some(({ touches }) => touches === 'remote');
}

function overlaps(taken: ReadonlySet<Node>, nodes: ReadonlySet<Node>): boolean {
    return [...nodes].some(node => taken.has(node));
}

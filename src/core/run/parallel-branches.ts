import type { Node } from '../steps/step';

/** A step with all steps that its records may reach. */
interface Branch {
    readonly nodes: ReadonlySet<Node>;
    /** It may run in parallel with others. */
    readonly isFar: boolean;
}

/** A stretch of the ways that leave a step: their places among those, in the order of the edges. */
export type ParallelBranch = readonly number[];

/**
 * Decides which outgoing ways of a step run in parallel. The ways of a stretch do; the stretches run one after another, in the order of the edges.
 * Sibling ways share a stretch if everything downstream of them is in another system or nowhere, and no step is downstream of two of them.
 * Otherwise, the first visit of a step would depend on which way is faster.
 */
export class ParallelBranches {
    private readonly known = new WeakMap<readonly Node[], readonly ParallelBranch[]>();
    private readonly branches = new Map<Node, Branch>();

    /** `isOn` is false in a run that writes nothing, because there is nothing to wait for. */
    constructor(private readonly isOn: boolean) {}

    /** The stretches of the outgoing ways of one step, cached because the same list is used repeatedly. */
    of(ways: readonly Node[]): readonly ParallelBranch[] {
        const known = this.known.get(ways);
        if (known) return known;
        const parallelBranches = this.parallelBranchesOf(ways);
        this.known.set(ways, parallelBranches);
        return parallelBranches;
    }

    private parallelBranchesOf(ways: readonly Node[]): readonly ParallelBranch[] {
        const parallelBranches: number[][] = [];
        let parallelBranch: { readonly places: number[]; readonly taken: Set<Node> } | undefined;
        for (const [place, node] of ways.entries()) {
            const { nodes, isFar } = this.branch(node);
            if (isFar && parallelBranch && !overlaps(parallelBranch.taken, nodes)) {
                parallelBranch.places.push(place);
                for (const one of nodes) parallelBranch.taken.add(one);
            } else {
                const places = [place];
                parallelBranches.push(places);
                parallelBranch = isFar ? { places, taken: new Set(nodes) } : undefined;
            }
        }
        return parallelBranches;
    }

    private branch(node: Node): Branch {
        const known = this.branches.get(node);
        if (known) return known;
        const nodes = new Set([node]);
        // The set grows during the iteration.
        for (const one of nodes) for (const following of one.next) nodes.add(following);
        const branch = { nodes, isFar: this.isOn && isRemote(nodes) };
        this.branches.set(node, branch);
        return branch;
    }
}

/**
 * Whether some of the steps write to another system and none writes to the shop. A holding step does not qualify, because the order in which it
 * began to hold identifies it.
 */
function isRemote(after: ReadonlySet<Node>): boolean {
    const steps = [...after].map(({ step }) => step);
    const isFree = steps.every(({ touches, holds }) => (touches === 'remote' || touches === 'nothing') && !holds);
    return isFree && steps.some(({ touches }) => touches === 'remote');
}

function overlaps(taken: ReadonlySet<Node>, nodes: ReadonlySet<Node>): boolean {
    return [...nodes].some(node => taken.has(node));
}

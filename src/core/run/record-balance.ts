import { type Counters, countsOf, type StepCounters } from '../progress/counters';
import type { SourceOffset } from '../ports/ports';
import type { Node } from '../steps/step';
import type { CompiledPipeline, Source } from './compile';

/** A step whose records do not add up: how many came to it, and how many have an end. */
interface CounterMismatch {
    readonly stepKey: string;
    readonly came: number;
    readonly ended: number;
}

/** How far a source was read in this execution. */
interface Reading {
    /** Where it was taken up. */
    from: number;
    /** How far it is committed. */
    to: number;
    /** What earlier executions of the run counted as read. */
    readonly before: number;
}

type Leaving = Source | Node;

/**
 * Checks at the end of a run that every record which left a source has exactly one end: loaded, unchanged, delivered, filtered or rejected.
 *
 * - Of a source: it counts as many records as it gave numbers to.
 * - Within a step: in + expanded = out + filtered + rejected, and nothing is held.
 * - Between steps: what leaves a step comes to all steps after it. What leaves a ROUTE step comes to one of them, which can be checked where no
 *   branch leads to two steps and no two branches lead to one.
 */
export class RecordBalance {
    private readonly readings = new Map<string, Reading>();

    constructor(private readonly compiled: Pick<CompiledPipeline, 'sources' | 'nodes'>) {}

    /** A source is read from this position. */
    began(sourceKey: string, { seq }: SourceOffset, counters: Counters): void {
        this.readings.set(sourceKey, { from: seq, to: seq, before: countsOf(counters, sourceKey).in });
    }

    /** Its batches up to this position have settled. */
    committed(sourceKey: string, { seq }: SourceOffset): void {
        const reading = this.readings.get(sourceKey);
        if (reading) reading.to = seq;
    }

    /** It is read again from its beginning, and leaves out this many numbers. */
    leftOut(sourceKey: string, numbers: number): void {
        const reading = this.readings.get(sourceKey);
        if (reading) reading.from += numbers;
    }

    /** The first step whose records do not add up. */
    imbalance(counters: Counters): CounterMismatch | undefined {
        const { sources, nodes } = this.compiled;
        const leaving: readonly Leaving[] = [...sources, ...nodes];
        for (const [key, { from, to, before }] of this.readings) {
            const wrong = unequal(key, to - from, countsOf(counters, key).in - before);
            if (wrong) return wrong;
        }
        for (const { step } of leaving) {
            const wrong = withinStep(step.key, countsOf(counters, step.key));
            if (wrong) return wrong;
        }
        for (const node of nodes) {
            const wrong = betweenSteps(node, leaving, counters) ?? behindRoute(node, leaving, counters);
            if (wrong) return wrong;
        }
        return undefined;
    }
}

function withinStep(key: string, counts: StepCounters): CounterMismatch | undefined {
    const { expanded, out, filtered, rejected, held } = counts;
    return unequal(key, counts.in + expanded, out + filtered + rejected) ?? unequal(key, 0, held);
}

function betweenSteps(node: Node, leaving: readonly Leaving[], counters: Counters): CounterMismatch | undefined {
    if (leaving.some(one => isRoute(one) && one.next.includes(node))) return undefined;
    return unequal(node.step.key, handedTo(node, leaving, counters), countsOf(counters, node.step.key).in);
}

function behindRoute(route: Node, leaving: readonly Leaving[], counters: Counters): CounterMismatch | undefined {
    if (!isRoute(route)) return undefined;
    const { next, branches = [] } = route;
    if (new Set(branches).size < branches.length || new Set(next).size < next.length) return undefined;
    const others = leaving.filter(one => one !== route);
    if (next.some(node => others.some(one => isRoute(one) && one.next.includes(node)))) return undefined;
    const came = next.reduce(
        (sum, node) => sum + countsOf(counters, node.step.key).in - handedTo(node, others, counters),
        0,
    );
    return unequal(route.step.key, countsOf(counters, route.step.key).out, came);
}

/** How many records these steps hand to the node. Edges past disabled steps may lead there more than once. */
function handedTo(node: Node, leaving: readonly Leaving[], counters: Counters): number {
    return leaving.reduce((sum, { next, step }) => {
        const ways = next.filter(one => one === node).length;
        return sum + ways * countsOf(counters, step.key).out;
    }, 0);
}

function isRoute(one: Leaving): boolean {
    return 'branches' in one && one.branches !== undefined;
}

function unequal(stepKey: string, came: number, ended: number): CounterMismatch | undefined {
    return came === ended ? undefined : { stepKey, came, ended };
}

import type { Batch, FlowRecord, Origin } from '../data/record';
import type { StateEntry } from '../progress/state-entries';
import type { StateStore } from '../ports/ports';
import type { Node, StepResult, StepReconciler } from '../steps/step';
import { isLoaded, readSeenSet, type SeenByStep, seenEntries, storedKey } from '../steps/step-reconciler';
import type { JsonObject } from '../value/json';

/** The downstream nodes of the place where records leave the stream: a step, or the start of a source. */
export type DownstreamSteps = Pick<Node, 'next' | 'branches'>;

/** The input of a step, and what happened to it. */
export interface DroppedRecords extends Pick<StepResult, 'out' | 'failed' | 'dropped' | 'held' | 'routed'> {
    readonly batch: Batch;
}

/**
 * Tracks records that are in a source but do not reach the load that watches for missing ones, because filters, `deltaFilter`, branches or hooks
 * took them out. Entities loaded from them earlier count as seen. If such a record does not contain its key at that point, it is unknown which
 * entities are missing.
 */
export class SeenTracker {
    private readonly after = new WeakMap<readonly Node[], ReadonlySet<string>>();

    constructor(
        private readonly stepReconcilers: ReadonlyMap<string, StepReconciler>,
        private readonly run: { readonly by: SeenByStep; readonly memory: StateStore },
    ) {}

    async of(at: DownstreamSteps, taken: DroppedRecords): Promise<readonly StateEntry[]> {
        const stateEntries: StateEntry[] = [];
        for (const [stepKey, sweep] of this.stepReconcilers) {
            if (!this.leadsTo(at.next, stepKey)) continue;
            const left = this.leftOf(at, taken, stepKey);
            if (left.length > 0) stateEntries.push(...(await this.seen(left, stepKey, sweep)));
        }
        return stateEntries;
    }

    /**
     * The earlier loaded entities among the records taken out; with the scope FILTER all of the records, because other runs may have created them.
     */
    private async seen(
        left: Batch,
        stepKey: string,
        { keyOf, listed }: StepReconciler,
    ): Promise<readonly StateEntry[]> {
        const { by, memory } = this.run;
        const keys = left.flatMap(({ data }) => keyOf(data) ?? []);
        const before = await memory.recall(stepKey, [...new Set(keys.map(storedKey))]);
        const isKnown = (data: JsonObject): boolean => {
            const key = keyOf(data);
            const value = key === undefined ? undefined : before.get(storedKey(key));
            return key === undefined || (value !== undefined && isLoaded(readSeenSet(value)));
        };
        // The operation that a record requests does not matter, because it was not executed.
        const given = left.map(({ data: { __operation: _, ...data }, origin }) => ({ data, origin }));
        const seen = seenEntries(
            given.filter(({ data }) => isKnown(data)),
            { stepKey, by, keyOf },
        );
        if (!listed) return seen;
        const others = given.filter(({ data }) => !isKnown(data));
        return [...seen, ...seenEntries(others, { stepKey, by, keyOf, isOther: true })];
    }

    private leftOf({ next, branches }: DownstreamSteps, taken: DroppedRecords, stepKey: string): Batch {
        const { batch, out, failed, dropped = [], held = [], routed } = taken;
        const gone = new Set<Origin>();
        const reach = (origin: Origin): void => {
            gone.add(origin);
            origin.parts?.forEach(reach);
        };
        for (const { origin } of [...out, ...held, ...dropped]) reach(origin);
        failed.forEach(reach);
        const silently = batch.filter(({ origin }) => !gone.has(origin));
        const elsewhere: FlowRecord[] = [];
        if (routed && branches) {
            const ways = next.flatMap((node, i) =>
                this.leadsTo([node], stepKey) ? [...(routed.get(branches[i]!) ?? [])] : [],
            );
            const there = new Set(ways);
            elsewhere.push(...out.filter(record => !there.has(record)));
        }
        return [...dropped, ...silently, ...elsewhere];
    }

    private leadsTo(nodes: readonly Node[], stepKey: string): boolean {
        let keys = this.after.get(nodes);
        if (!keys) {
            const all = new Set(nodes);
            // The set grows during the iteration.
            for (const node of all) for (const following of node.next) all.add(following);
            keys = new Set([...all].map(({ step }) => step.key));
            this.after.set(nodes, keys);
        }
        return keys.has(stepKey);
    }
}

/** The records that the sweeps of later steps have acted on: the entity that was loaded from them is hidden or deleted. */
export async function reconciledRecords(
    records: Batch,
    stepReconcilers: ReadonlyMap<string, Pick<StepReconciler, 'keyOf'>>,
    memory: Pick<StateStore, 'recall'>,
): Promise<ReadonlySet<FlowRecord>> {
    const gone = new Set<FlowRecord>();
    for (const [stepKey, { keyOf }] of stepReconcilers) {
        const keys = new Map(
            records.flatMap(record => {
                const key = keyOf(record.data);
                return key === undefined ? [] : [[record, storedKey(key)] as const];
            }),
        );
        const known = await memory.recall(stepKey, [...new Set(keys.values())]);
        for (const [record, key] of keys) {
            const value = known.get(key);
            if (value !== undefined && readSeenSet(value).isGone === true) gone.add(record);
        }
    }
    return gone;
}

import type { MemoryStore } from '../ports/ports';
import type { Node, StepMemory } from '../steps/step';

/** A batch between its start and the moment when all of it is durable. */
interface InFlightBatch {
    readonly batchNo: number;
    /** What it has recalled, by part of a step. */
    readonly recalled: Map<string, Set<string>>;
    readonly left: Set<string>;
    isSettled: boolean;
}

/**
 * Lets the batches of one source come to what a step remembers in their order, however many are on their way. Each finds what those before
 * it have left there, as if they had come one after another: so a batch is answered alike at any concurrency, and again after a crash.
 * Only batches that ask for the same keys wait until the earlier one is committed; the others just for their turn to ask.
 *
 * A batch waits for earlier ones alone, and those are on their way already, so nobody waits for ever.
 */
export class BatchOrder {
    private readonly inFlight: InFlightBatch[] = [];
    private waiting: Array<() => void> = [];
    private reason: unknown;
    private isClosed = false;

    /** `revisited`: the keys of the steps to which a batch may come more than once: it has done there when it has settled. */
    constructor(readonly revisited: ReadonlySet<string> = new Set()) {}

    /** In the order of the source. */
    start(batchNo: number): void {
        this.inFlight.push({ batchNo, recalled: new Map(), left: new Set(), isSettled: false });
    }

    /** The batch will recall nothing more there. */
    left(batchNo: number, part: string): void {
        this.batch(batchNo).left.add(part);
        this.wake();
    }

    /** The batch will come to no step any more. */
    settled(batchNo: number): void {
        this.batch(batchNo).isSettled = true;
        this.wake();
    }

    /** The first of them are durable. */
    landed(batches: number): void {
        this.inFlight.splice(0, batches);
        this.wake();
    }

    /** The run stops: nobody waits any more. */
    close(reason: unknown): void {
        if (this.isClosed) return;
        this.isClosed = true;
        this.reason = reason;
        this.wake();
    }

    /** Until what is stored for the keys is what the batch is to find. */
    async turn(batchNo: number, part: string, keys: readonly string[]): Promise<void> {
        const mayAsk = ({ left, isSettled }: InFlightBatch): boolean => isSettled || left.has(part);
        const isElsewhere = ({ recalled }: InFlightBatch): boolean => {
            const theirs = recalled.get(part);
            return !theirs || !keys.some(key => theirs.has(key));
        };
        await this.until(batchNo, mayAsk);
        const { recalled } = this.batch(batchNo);
        recalled.set(part, new Set([...(recalled.get(part) ?? []), ...keys]));
        await this.until(batchNo, isElsewhere);
    }

    private async until(batchNo: number, isReady: (earlier: InFlightBatch) => boolean): Promise<void> {
        while (!this.inFlight.every(batch => batch.batchNo >= batchNo || isReady(batch))) {
            if (this.isClosed) throw this.reason;
            await new Promise<void>(resolve => this.waiting.push(resolve));
        }
    }

    private batch(batchNo: number): InFlightBatch {
        return this.inFlight.find(batch => batch.batchNo === batchNo)!;
    }

    private wake(): void {
        const { waiting } = this;
        this.waiting = [];
        for (const resume of waiting) resume();
    }
}

/** The orders of all sources of an execution; a source has one from its opening on. */
export class BatchOrders {
    private readonly bySource = new Map<string, BatchOrder>();

    /** The order of a source, whose batches go on to these steps. */
    open(sourceKey: string, next: readonly Node[]): BatchOrder {
        const order = new BatchOrder(comesAgain(next));
        this.bySource.set(sourceKey, order);
        return order;
    }

    /** What a step has of them. */
    memory(stepKey: string, store: MemoryStore): StepMemory {
        const placeOf = (part: string): string => JSON.stringify([stepKey, part]);
        return {
            recall: async ({ part, scope }, { sourceKey, batchNo }, keys) => {
                await this.of(sourceKey).turn(batchNo, placeOf(part), keys);
                return store.recall(stepKey, keys, scope);
            },
            left: (part, { sourceKey, batchNo }) => {
                const order = this.of(sourceKey);
                if (!order.revisited.has(stepKey)) order.left(batchNo, placeOf(part));
            },
        };
    }

    close(reason: unknown): void {
        for (const order of this.bySource.values()) order.close(reason);
    }

    private of(sourceKey: string): BatchOrder {
        return this.bySource.get(sourceKey)!;
    }
}

/** The keys of the steps to which a batch of the source may come more than once. */
export function comesAgain(nodes: readonly Node[]): ReadonlySet<string> {
    const ways = new Map<Node, number>();
    const walk = (next: readonly Node[]): void => {
        for (const node of next) {
            const known = ways.get(node) ?? 0;
            // What lies behind a node with two ways has been counted twice by then.
            if (known === 2) continue;
            ways.set(node, known + 1);
            walk(node.next);
        }
    };
    walk(nodes);
    return new Set([...ways].filter(([, count]) => count > 1).map(([{ step }]) => step.key));
}

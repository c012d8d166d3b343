import type { StateStore } from '../ports/ports';
import type { Node, StepState } from '../steps/step';

/** A batch between its start and the moment when all of it is durable. */
interface InFlightBatch {
    readonly batchNo: number;
    /** The keys that it has recalled, by part of a step. */
    readonly recalled: Map<string, Set<string>>;
    readonly left: Set<string>;
    isSettled: boolean;
}

/**
 * Gives the batches of one source access to a step's memory in source order, however many are in flight. Each batch finds what the earlier ones
 * stored, as if they had run one after another. So its result is the same at any concurrency and after a crash. A batch waits for the commit of an
 * earlier one only if both need the same keys; otherwise it waits only for its turn to read.
 *
 * A batch waits only for earlier batches, and those are already in flight, so there is no deadlock.
 */
export class BatchSequencer {
    private readonly inFlight: InFlightBatch[] = [];
    private waiting: Array<() => void> = [];
    private reason: unknown;
    private isClosed = false;

    /** `revisited`: the keys of the steps that a batch may reach more than once. There, a batch is finished only when it has settled. */
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

    /** The batch will visit no more steps. */
    settled(batchNo: number): void {
        this.batch(batchNo).isSettled = true;
        this.wake();
    }

    /** The first ones are durable. */
    committed(batches: number): void {
        this.inFlight.splice(0, batches);
        this.wake();
    }

    /** The run stops: every waiting batch is released. */
    close(reason: unknown): void {
        if (this.isClosed) return;
        this.isClosed = true;
        this.reason = reason;
        this.wake();
    }

    /** Waits until the stored values of these keys are the ones that the batch has to find. */
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

/** The batch orders of all sources of an execution; a source has one from its opening on. */
export class BatchSequencers {
    private readonly bySource = new Map<string, BatchSequencer>();

    /** Opens the order of a source whose batches continue to these steps. */
    open(sourceKey: string, next: readonly Node[]): BatchSequencer {
        const order = new BatchSequencer(isRedelivered(next));
        this.bySource.set(sourceKey, order);
        return order;
    }

    /** What a step has of them. */
    memory(stepKey: string, store: StateStore): StepState {
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

    private of(sourceKey: string): BatchSequencer {
        return this.bySource.get(sourceKey)!;
    }
}

/** The keys of the steps to which a batch of the source may come more than once. */
export function isRedelivered(nodes: readonly Node[]): ReadonlySet<string> {
    const ways = new Map<Node, number>();
    const walk = (next: readonly Node[]): void => {
        for (const node of next) {
            const known = ways.get(node) ?? 0;
            // A node that two ways reach has already counted everything downstream twice.
            if (known === 2) continue;
            ways.set(node, known + 1);
            walk(node.next);
        }
    };
    walk(nodes);
    return new Set([...ways].filter(([, count]) => count > 1).map(([{ step }]) => step.key));
}

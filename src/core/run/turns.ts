import type { Node, StepMemory } from '../steps/step';
import type { MemoryStore } from '../ports/ports';

/** A batch between its start and the moment when all of it is durable. */
interface Stay {
    readonly batchNo: number;
    /** What it has recalled, by part of a step. */
    readonly recalled: Map<string, Set<string>>;
    readonly left: Set<string>;
    isSettled: boolean;
}

/**
 * Lets the batches of a source come to what a step remembers in their order, however many are on their way. Each finds what those before
 * it have left there, as if they had come one after another: so a batch is answered alike at any concurrency, and again after a crash.
 * Only batches that ask for the same keys wait until the earlier one is committed; the others just for their turn to ask.
 *
 * A batch waits for earlier ones alone, and those are on their way already, so nobody waits for ever.
 */
export class Turns {
    /** The keys of the steps to which a batch of the source at hand may come more than once: it has done there when it has settled. */
    revisited: ReadonlySet<string> = new Set();
    private readonly stays: Stay[] = [];
    private waiting: Array<() => void> = [];
    private reason: unknown;
    private isClosed = false;

    /** What a step has of it. */
    memory(stepKey: string, store: MemoryStore): StepMemory {
        const placeOf = (part: string): string => JSON.stringify([stepKey, part]);
        return {
            recall: async ({ part, scope }, batchNo, keys) => {
                await this.turn(batchNo, placeOf(part), keys);
                return store.recall(stepKey, keys, scope);
            },
            left: (part, batchNo) => {
                if (!this.revisited.has(stepKey)) this.left(batchNo, placeOf(part));
            },
        };
    }

    /** In the order of the source. */
    start(batchNo: number): void {
        this.stays.push({ batchNo, recalled: new Map(), left: new Set(), isSettled: false });
    }

    /** The batch will recall nothing more there. */
    left(batchNo: number, part: string): void {
        this.stay(batchNo).left.add(part);
        this.wake();
    }

    /** The batch will come to no step any more. */
    settled(batchNo: number): void {
        this.stay(batchNo).isSettled = true;
        this.wake();
    }

    /** The first of them are durable. */
    landed(batches: number): void {
        this.stays.splice(0, batches);
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
        const mayAsk = ({ left, isSettled }: Stay): boolean => isSettled || left.has(part);
        const isElsewhere = ({ recalled }: Stay): boolean => {
            const theirs = recalled.get(part);
            return !theirs || !keys.some(key => theirs.has(key));
        };
        await this.until(batchNo, mayAsk);
        const { recalled } = this.stay(batchNo);
        recalled.set(part, new Set([...(recalled.get(part) ?? []), ...keys]));
        await this.until(batchNo, isElsewhere);
    }

    private async until(batchNo: number, isReady: (earlier: Stay) => boolean): Promise<void> {
        while (!this.stays.every(stay => stay.batchNo >= batchNo || isReady(stay))) {
            if (this.isClosed) throw this.reason;
            await new Promise<void>(resolve => this.waiting.push(resolve));
        }
    }

    private stay(batchNo: number): Stay {
        return this.stays.find(stay => stay.batchNo === batchNo)!;
    }

    private wake(): void {
        const { waiting } = this;
        this.waiting = [];
        for (const resume of waiting) resume();
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

import type { JsonValue } from '../data/json';
import type { FlowRecord } from '../data/record';
import { type Memo, memoKey } from '../run/memos';
import type { StepEnv, Visit } from './step';

/** Whose memory it is. */
export interface MemoryOf {
    readonly stepKey: string;
    readonly visit: Visit;
    readonly env: Pick<StepEnv, 'memory'>;
    /** What the operator or rule remembers under. */
    readonly part: string;
    /** Its memos are kept even when their records fail. */
    readonly outlivesFailure?: boolean;
}

/** What one call of an operator or rule recalls and wants remembered. */
export class PartMemory {
    readonly memos: Memo[] = [];
    private readonly recalled = new Set<string>();

    constructor(private readonly of: MemoryOf) {}

    async recall(keys: readonly string[]): Promise<ReadonlyMap<string, JsonValue>> {
        const { part, visit, env } = this.of;
        const stored = new Map<string, string>();
        for (const key of keys) {
            stored.set(memoKey(part, key), key);
            this.recalled.add(key);
        }
        const found = await env.memory.recall(part, visit.batchNo, [...stored.keys()]);
        return new Map([...found].map(([key, value]) => [stored.get(key)!, value]));
    }

    remember({ origin }: FlowRecord, key: string, value: JsonValue): void {
        if (!this.recalled.has(key)) throw new Error(`it remembers "${key}", which it has not recalled`);
        if (JSON.stringify(value) === undefined) throw new Error(`what it remembers for "${key}" is no JSON value`);
        const { stepKey, part, outlivesFailure } = this.of;
        this.memos.push({ origin, stepKey, key: memoKey(part, key), value, ...(outlivesFailure && { outlivesFailure }) });
    }
}

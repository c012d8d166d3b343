import type { JsonValue } from '../value/json';
import type { FlowRecord } from '../data/record';
import { type StateEntry, stateKey, type StateScope } from '../progress/state-entries';
import type { StepEnv, Invocation } from './step';
import { clause } from '../errors/rendered';
import { WordedError } from '../errors/worded-error';

/** Whose memory it is. */
interface StateOwner {
    readonly stepKey: string;
    readonly visit: Invocation;
    readonly env: Pick<StepEnv, 'memory' | 'pace'>;
    /** What the operator or rule remembers under. */
    readonly part: string;
    /**
     * Its memos are kept even if their records fail, because a failed record was seen as well. Memos of the run are
     * always kept.
     */
    readonly outlivesFailure?: boolean;
}

/** Under which key and how long something is stored. */
interface Place {
    readonly stored: string;
    readonly scope: StateScope;
}

/** What one call of an operator or rule recalls and wants remembered. */
export class PartState {
    readonly memos: StateEntry[] = [];
    private readonly recalled = new Map<string, Place>();

    constructor(private readonly owner: StateOwner) {}

    /** What is then remembered under these keys has the same scope. */
    async recall(keys: readonly string[], scope: StateScope = 'pipeline'): Promise<ReadonlyMap<string, JsonValue>> {
        const {
            part,
            visit,
            env: { memory, pace },
        } = this.owner;
        const requested = new Map<string, string>();
        for (const key of keys) {
            // Long keys are hashed, and a batch may have many of them.
            if (pace.isDue) await pace.turn();
            requested.set(this.placeOf(key, scope).stored, key);
        }
        const found = await memory.recall({ part, scope }, visit, [...requested.keys()]);
        return new Map([...found].map(([stored, value]) => [requested.get(stored)!, value]));
    }

    remember({ origin }: FlowRecord, key: string, value: JsonValue): void {
        const place = this.recalled.get(key);
        if (!place) throw new WordedError(clause`it remembers "${key}", which it has not recalled`);
        if (JSON.stringify(value) === undefined)
            throw new WordedError(clause`what it remembers for "${key}" is not a JSON value`);
        const { stepKey, outlivesFailure } = this.owner;
        const { stored, scope } = place;
        this.memos.push({
            origin,
            stepKey,
            key: stored,
            value,
            ...(scope === 'run' && { scope }),
            ...((outlivesFailure || scope === 'run') && { outlivesFailure: true }),
        });
    }

    private placeOf(key: string, scope: StateScope): Place {
        const known = this.recalled.get(key);
        if (known && known.scope !== scope)
            throw new WordedError(
                clause`it recalls "${key}" of the ${scope}, and has recalled it of the ${known.scope}`,
            );
        const place = known ?? { stored: stateKey(this.owner.part, key), scope };
        this.recalled.set(key, place);
        return place;
    }
}

import type { JsonObject } from '../../core/value/json';
import { leastJson } from '../../core/data/weight';
import { type FlowError, flowError } from '../../core/errors/flow-error';
import { scriptYield } from './script-result-lines';

/** Of one record as JSON, and of those of a batch together. */
const MAX_JOB_CHARS = 16 * 1024 * 1024;

/** Records of an order as JSON text: serialised when their turn comes, and released when they are done. */
export class JobTexts {
    private readonly texts = new Map<number, string>();
    private readonly turns = scriptYield();

    constructor(private readonly records: readonly JsonObject[]) {}

    get count(): number {
        return this.records.length;
    }

    /** The number of records from `at` on that fit into the limits: at least one. Undefined if that one is too large itself. */
    async fill(at: number, most: { readonly records: number; readonly chars: number }): Promise<number | undefined> {
        let chars = 0;
        let count = 0;
        while (count < most.records && at + count < this.records.length && (count === 0 || chars < most.chars)) {
            const text = await this.textOf(at + count);
            if (text === undefined) return count === 0 ? undefined : count;
            chars += text.length;
            count++;
        }
        return count;
    }

    /** The texts that `fill` has produced. */
    slice(at: number, count: number): readonly string[] {
        return Array.from({ length: count }, (_, index) => this.texts.get(at + index)!);
    }

    /** The records before this one are done with. */
    drop(before: number): void {
        for (const at of this.texts.keys()) if (at < before) this.texts.delete(at);
    }

    private async textOf(at: number): Promise<string | undefined> {
        const known = this.texts.get(at);
        if (known !== undefined) return known;
        await this.turns.turnIfDue();
        const record = this.records[at]!;
        if (leastJson(record, MAX_JOB_CHARS) > MAX_JOB_CHARS) return undefined;
        const text = JSON.stringify(record);
        if (text.length > MAX_JOB_CHARS) return undefined;
        this.texts.set(at, text);
        return text;
    }
}

/** All records of a batch as JSON, or why they are too much for one call. */
export async function batchText(records: readonly JsonObject[]): Promise<string | FlowError> {
    const texts = new JobTexts(records);
    let whole = '';
    for (let at = 0; at < records.length; at++) {
        const isTaken = (await texts.fill(at, { records: 1, chars: 0 })) !== undefined;
        if (isTaken) whole += `${at === 0 ? '' : ','}${texts.slice(at, 1)[0]!}`;
        texts.drop(at + 1);
        if (!isTaken || whole.length > MAX_JOB_CHARS) {
            const problem = `its records have more characters together than fit into one call; allowed: ${MAX_JOB_CHARS}, so lower throughput.batchSize`;
            return flowError('SCRIPT_FAILED', { problem });
        }
    }
    return whole;
}

/** Why a record does not come to the script. */
export function recordTooLarge(): FlowError {
    const problem = `the record has more than ${MAX_JOB_CHARS} characters as JSON, the maximum`;
    return flowError('SCRIPT_FAILED', { problem });
}

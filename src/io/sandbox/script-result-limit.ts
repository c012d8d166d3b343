import type { ResultLimits } from '../../core/adapter/inline-script';
import { endOfString } from '../../core/data/json-marks';
import { type FlowError, flowError } from '../../core/errors/flow-error';

/** The size by which a script's answers to all calls of an order may exceed its input; each list, object, number … also uses memory. */
const USUAL: ResultLimits = { chars: 16 * 1024 * 1024, values: 1024 * 1024 };
const QUOTE = 34;
const COMMA = 44;
const LIST = 91;
const OBJECT = 123;

/** The limit for the results of one order in this process, which are counted before they are parsed. */
export class ScriptResultLimit {
    private chars = 0;
    private values = 0;

    constructor(private readonly limits = USUAL) {}

    /**
     * Why a result is not accepted; undefined if it fits. `given` is the input that the result may contain. Throws if
     * the limits require it.
     */
    take(line: string, given = ''): FlowError | undefined {
        this.chars += line.length - given.length;
        const { chars, values } = this.limits;
        if (this.chars > chars) return this.tooMuch('characters', chars);
        this.values += valuesIn(line) - valuesIn(given);
        return this.values > values ? this.tooMuch('values', values) : undefined;
    }

    private tooMuch(what: string, most: number): FlowError {
        if (this.limits.exceeded) throw this.limits.exceeded();
        return tooMuch(what, most);
    }
}

function tooMuch(what: string, most: number): FlowError {
    const problem = `its answers to the records of a batch have more than ${most} ${what} beyond those of the records themselves; answer less, or lower throughput.batchSize`;
    return flowError('SCRIPT_FAILED', { problem });
}

/** About how many values a JSON text has: never fewer than it has lists, objects and elements. */
export function valuesIn(text: string): number {
    let values = 1;
    for (let at = 0; at < text.length;) {
        const code = text.charCodeAt(at);
        if (code === QUOTE) {
            at = endOfString(text, at);
            if (at < 0) break;
            continue;
        }
        if (code === COMMA || code === LIST || code === OBJECT) values++;
        at++;
    }
    return values;
}

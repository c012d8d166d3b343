import { endOfString } from '../../core/data/json-marks';
import { type FlowError, flowError } from '../../core/errors/flow-error';

/** So much more than it was given may a script answer to all calls of an order together. */
const MAX_CHARS = 16 * 1024 * 1024;
/** Each list, object, number … takes memory of its own: `[[],[],…]` is short as text. */
const MAX_VALUES = 1024 * 1024;
const QUOTE = 34;
const COMMA = 44;
const LIST = 91;
const OBJECT = 123;

/** What this process holds of the answers to one order, counted before any of it is parsed. */
export class AnswerBound {
    private chars = 0;
    private values = 0;

    /** Why an answer is not taken; undefined when it fits. `given` is what may be given back for it. */
    take(line: string, given = ''): FlowError | undefined {
        this.chars += line.length - given.length;
        if (this.chars > MAX_CHARS) return tooMuch('characters', MAX_CHARS);
        this.values += valuesIn(line) - valuesIn(given);
        return this.values > MAX_VALUES ? tooMuch('values', MAX_VALUES) : undefined;
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

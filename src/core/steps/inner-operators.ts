import { DROP, type InnerOperators, type PartLocation, type RecordLocation } from '../adapter/operator';
import { walkOf } from '../adapter/record-walk';
import type { JsonObject } from '../value/json';
import { FlowError } from '../errors/flow-error';
import { recordInvalid, problemOf } from '../errors/record-invalid';
import { type CompiledRecordOperator, explainedError, wholeBatch } from './fused-operators';

/** Operators that another one works with, one after the other. */
export function innerOperators(operators: readonly CompiledRecordOperator[]): InnerOperators {
    return {
        *pass(part, at) {
            let pieces: readonly JsonObject[] = [part];
            for (const operator of operators) {
                const made: JsonObject[] = [];
                for (const [piece, data] of pieces.entries()) {
                    yield;
                    operator.reads?.[0]?.look(data);
                    try {
                        const place = new InnerPlace(at, operator.position, piece);
                        const walk = walkOf(operator.fn);
                        const result = walk ? yield* walk(data, place) : operator.fn(data, place);
                        if (result === DROP) continue;
                        if (Array.isArray(result))
                            for (const one of result as readonly JsonObject[]) made.push(wholeBatch(one));
                        else made.push(wholeBatch(result as JsonObject));
                    } catch (error) {
                        throw placed(explainedError(operator, error), at);
                    }
                    // At once: what operators in a row make of each other's pieces multiplies.
                    if (made.length > at.most)
                        throw recordInvalid(at.pathOf(undefined), `becomes more than ${at.most} elements, the maximum`);
                }
                pieces = made;
            }
            return pieces;
        },
    };
}

/** Which part of which record an inner operator has before it. */
class InnerPlace implements RecordLocation {
    constructor(
        private readonly at: PartLocation,
        private readonly position: number,
        private readonly piece: number,
    ) {}

    get seq(): number {
        return this.at.outer.seq;
    }

    get id(): string {
        return JSON.stringify([this.at.outer.id, this.at.index, this.position, this.piece]);
    }

    warn(path: string, problem: string): void {
        this.at.outer.warn(this.at.pathOf(path), problem);
    }
}

/** The same error, with its path in the whole record. */
function placed(error: FlowError, { pathOf }: PartLocation): FlowError {
    const { code, details } = error;
    const inner = details?.['path'];
    const path = pathOf(typeof inner === 'string' ? inner : undefined);
    const { message, facts = {} } = recordInvalid(path, problemOf(error));
    return new FlowError(code, message, { cause: error, details: { ...details, path }, facts });
}

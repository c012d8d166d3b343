import { show } from '../value/show';
import { type FlowError, flowError } from './flow-error';

/** The error that rejects one record: `Field "price": "abc" is not a number.` Its details contain the path. */
export function recordInvalid(path: string, problem: string): FlowError {
    return flowError('RECORD_INVALID', { path, problem }, { details: { path } });
}

/** Like `recordInvalid`, with the value before the problem. A missing value is only reported as missing. */
export function valueInvalid(path: string, value: unknown, problem: string): FlowError {
    return recordInvalid(path, value === undefined ? 'is missing' : `${show(value)} ${problem}`);
}

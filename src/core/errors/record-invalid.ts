import { show } from '../value/show';
import { type FlowError, flowError } from './flow-error';

/** The error that rejects one record: `Field "price": is "abc", which is no number`. The path is in its details, too. */
export function recordInvalid(path: string, problem: string): FlowError {
    return flowError('RECORD_INVALID', { path, problem }, { details: { path } });
}

/** As `recordInvalid`, quoting the value that is not what it should be. */
export function valueInvalid(path: string, value: unknown, should: string): FlowError {
    return recordInvalid(path, `is ${show(value)}, ${should}`);
}

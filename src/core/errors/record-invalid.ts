import { show } from '../value/show';
import { FlowError, flowError } from './flow-error';
import { type ErrorTextFacts, rendered } from './rendered';

/** What is wrong with a field, as the end of `Field "sku": …`, and what it consists of, so that the dashboard can show it in its language. */
export interface ExplainedProblem {
    readonly problem: string;
    readonly facts?: ErrorTextFacts | undefined;
}

/** Fills the placeholders of a problem: `has {count} characters; {allowed}`. Phrases are facts that have placeholders for the other facts. */
export function explained(
    problem: string,
    facts: ErrorTextFacts,
    phrases: Readonly<Record<string, string>> = {},
): ExplainedProblem {
    const filled = Object.entries(phrases).map(([name, phrase]) => [name, rendered(phrase, facts)]);
    const text = rendered(problem, { ...facts, ...(Object.fromEntries(filled) as typeof phrases) });
    return { problem: text, facts: { ...facts, ...phrases, problem } };
}

/** The error that rejects one record: `Field "price": "abc" is not a number.` Its details contain the path. */
export function recordInvalid(path: string, given: string | ExplainedProblem): FlowError {
    const { problem, facts = { problem } } = typeof given === 'string' ? { problem: given } : given;
    const { message } = flowError('RECORD_INVALID', { path, problem });
    return new FlowError('RECORD_INVALID', message, { details: { path }, facts: { ...facts, path } });
}

/** Like `recordInvalid`, with the value before the problem. A missing value is only reported as missing. */
export function valueInvalid(path: string, value: unknown, problem: string): FlowError {
    if (value === undefined) return recordInvalid(path, 'is missing');
    return recordInvalid(path, explained(`{value} ${problem}`, { value: show(value) }));
}

/** What is wrong, without the field that the message names first. */
export function problemOf({ message, facts }: FlowError): ExplainedProblem {
    const path = facts?.['path'];
    const lead = path === undefined ? '' : `Field "${path}": `;
    return { problem: message.slice(lead.length).replace(/\.$/, ''), ...(lead !== '' && { facts }) };
}

import type { JsonObject, JsonValue } from '../../core/value/json';
import type { Trimmed } from '../../core/adapter/loader';
import { FlowError, flowError } from '../../core/errors/flow-error';
import { type ExplainedProblem, recordInvalid } from '../../core/errors/record-invalid';

/** The maximum number of further errors in a message, in addition to the first. */
const TOLD = 3;

const NONE: readonly never[] = [];

/** The errors of one record, each with field, value and reason. */
export class RecordIssues {
    /** The first of its texts that was read without the blanks round it. */
    trimmed: Omit<Trimmed, 'records'> | undefined;
    private list: ReadonlyArray<ExplainedProblem & { path: string; value: JsonValue }>;
    private questions: ReadonlyArray<{ path: string; value: JsonValue; question: () => unknown }> = NONE;

    /** `others` are added unchanged. */
    constructor(others?: RecordIssues) {
        this.list = others?.list ?? NONE;
    }

    /** Registers an asynchronous check: a function that returns an error, or undefined. `settle` calls it. */
    ask(path: string, value: JsonValue, question: () => unknown): void {
        this.questions = [...this.questions, { path, value, question }];
    }

    /** Whether there are open checks. */
    get isOpen(): boolean {
        return this.questions.length > 0;
    }

    /** Runs the open checks, one after another. */
    async settle(): Promise<void> {
        for (let next = this.questions[0]; next; next = this.questions[0]) {
            const problem = await next.question();
            if (typeof problem === 'string') this.add(next.path, problem, next.value);
            this.questions = this.questions.slice(1);
        }
    }

    /** Whether there are no errors; throws if that is not known yet. */
    get isSound(): boolean {
        if (this.isOpen) throw flowError('BUG', { problem: 'a batch was planned that was not prepared' });
        return this.list.length === 0;
    }

    add(path: string, given: string | ExplainedProblem, value: JsonValue = null): void {
        const problem = typeof given === 'string' ? { problem: given } : given;
        this.list = [...this.list, { path, ...problem, value }];
    }

    get count(): number {
        return this.list.length;
    }

    /** The error that rejects the record: the first errors in words, all of them in the details. */
    error(): FlowError {
        const [first, ...others] = this.list;
        if (!first) return flowError('BUG', { problem: 'a record was rejected without an error' });
        const told = others
            .slice(0, TOLD)
            .map(({ path, problem }) => `; field "${path}": ${problem}`)
            .join('');
        const more = told + (others.length > TOLD ? ` (and ${others.length - TOLD} more)` : '');
        const details: JsonObject = {
            field: first.path,
            value: shorten(first.value),
            faults: this.list.map(({ path, problem, value }) => ({ path, problem, value: shorten(value) })),
        };
        const problem = more === '' ? first : first.problem + more;
        const { code, message, facts = {} } = recordInvalid(first.path, problem);
        return new FlowError(code, message, { details, facts });
    }
}

/** The number of records whose open checks run in parallel. */
const ASKED_AT_ONCE = 8;

/** Runs the open checks of some records: functions of the shop, which may return promises (ADR 5). */
export async function resolveIssues(records: ReadonlyArray<{ readonly faults: RecordIssues }>): Promise<void> {
    const waiting = records.filter(({ faults: issues }) => issues.isOpen).values();
    const asking = async (): Promise<void> => {
        for (const { faults: issues } of waiting) await issues.settle();
    };
    await Promise.all(Array.from({ length: ASKED_AT_ONCE }, asking));
}

/** The values of some records that were trimmed when they were read. */
export function trimIn(records: ReadonlyArray<{ readonly faults: RecordIssues }>): Trimmed | undefined {
    const first = records.find(({ faults: issues }) => issues.trimmed)?.faults.trimmed;
    return first && { ...first, records: records.filter(({ faults: issues }) => issues.trimmed).length };
}

function shorten(value: JsonValue): JsonValue {
    return typeof value === 'string' && value.length > 200 ? `${value.slice(0, 200)}…` : value;
}

/** A value as a message quotes it. */
export function quoted(value: JsonValue | undefined): string {
    const text = JSON.stringify(value) ?? 'nothing';
    if (text.length <= 60) return text;
    // If the cut is inside a quotation, it ends the quotation: its end must not depend on what follows.
    const cut = [...text].slice(0, 58).join('').replace(/\\+$/, '');
    const isWithin = (cut.replace(/\\./g, '').match(/"/g) ?? []).length % 2 === 1;
    return `${cut}…${isWithin ? '"' : ''}`;
}

/** The known alternatives, as the end of a sentence. */
export function known(names: Iterable<string>): string {
    const list = [...names];
    const shown = list
        .slice(0, 20)
        .map(name => JSON.stringify(name))
        .join(', ');
    if (list.length === 0) return 'there is none';
    return list.length > 20 ? `known: ${shown} and ${list.length - 20} more` : `known: ${shown}`;
}

import type { JsonObject, JsonValue } from '../../core/value/json';
import type { Trimmed } from '../../core/adapter/loader';
import { type FlowError, flowError } from '../../core/errors/flow-error';

/** Faults that a message tells besides the first. */
const TOLD = 3;

const NONE: readonly never[] = [];

/** What is wrong with one record: field, value and reason of each fault. */
export class Faults {
    /** The first of its texts that was read without the blanks round it. */
    trimmed: Omit<Trimmed, 'records'> | undefined;
    private list: ReadonlyArray<{ path: string; problem: string; value: JsonValue }>;
    private questions: ReadonlyArray<{ path: string; value: JsonValue; question: () => unknown }> = NONE;

    /** `others` are taken over as they are. */
    constructor(others?: Faults) {
        this.list = others?.list ?? NONE;
    }

    /** What can only be said after a while: a function that answers what is wrong, or undefined. Asked by `settle`. */
    ask(path: string, value: JsonValue, question: () => unknown): void {
        this.questions = [...this.questions, { path, value, question }];
    }

    /** Whether something is to be asked still. */
    get isOpen(): boolean {
        return this.questions.length > 0;
    }

    /** Asks what reading has left open, one after the other. */
    async settle(): Promise<void> {
        for (let next = this.questions[0]; next; next = this.questions[0]) {
            const problem = await next.question();
            if (typeof problem === 'string') this.add(next.path, problem, next.value);
            this.questions = this.questions.slice(1);
        }
    }

    /** Whether nothing is wrong; throws where that is still to be found out. */
    get isSound(): boolean {
        if (this.isOpen) throw flowError('BUG', { problem: 'a batch was planned that was not prepared' });
        return this.list.length === 0;
    }

    add(path: string, problem: string, value?: JsonValue): void {
        this.list = [...this.list, { path, problem, value: value ?? null }];
    }

    get count(): number {
        return this.list.length;
    }

    /** The error that rejects the record: the first faults in words, all of them in the details. */
    error(): FlowError {
        const [first, ...others] = this.list;
        if (!first) return flowError('BUG', { problem: 'a record was rejected without a fault' });
        const told = others
            .slice(0, TOLD)
            .map(({ path, problem }) => `; field "${path}": ${problem}`)
            .join('');
        const more = told + (others.length > TOLD ? ` (and ${others.length - TOLD} more)` : '');
        const details: JsonObject = {
            field: first.path,
            value: shorten(first.value),
            faults: this.list.map(f => ({ ...f, value: shorten(f.value) })),
        };
        return flowError('RECORD_INVALID', { path: first.path, problem: first.problem + more }, { details });
    }
}

/** Records whose open questions are asked side by side. */
const ASKED_AT_ONCE = 8;

/** Answers what reading some records has left open: the shop's own functions, which may answer promises (ADR 5). */
export async function settleFaults(records: ReadonlyArray<{ readonly faults: Faults }>): Promise<void> {
    const waiting = records.filter(({ faults }) => faults.isOpen).values();
    const asking = async (): Promise<void> => {
        for (const { faults } of waiting) await faults.settle();
    };
    await Promise.all(Array.from({ length: ASKED_AT_ONCE }, asking));
}

/** What of some records was read without the blanks round it. */
export function trimmedIn(records: ReadonlyArray<{ readonly faults: Faults }>): Trimmed | undefined {
    const first = records.find(({ faults }) => faults.trimmed)?.faults.trimmed;
    return first && { ...first, records: records.filter(({ faults }) => faults.trimmed).length };
}

function shorten(value: JsonValue): JsonValue {
    return typeof value === 'string' && value.length > 200 ? `${value.slice(0, 200)}…` : value;
}

/** A value as a message quotes it. */
export function quoted(value: JsonValue | undefined): string {
    const text = JSON.stringify(value) ?? 'nothing';
    if (text.length <= 60) return text;
    // What is cut within a quotation ends it: where it ends must not depend on what follows.
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

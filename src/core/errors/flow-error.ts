import type { JsonObject } from '../value/json';
import { type ErrorTextFacts, rendered } from './rendered';
import { ERRORS, type ErrorCode, type ErrorFacts, type Treatment } from './catalogue';

const MARK = Symbol.for('vendure-plugin-flow/error');

interface ErrorOptions {
    readonly cause?: unknown;
    /** Milliseconds to wait before the next attempt, if the other side requested a delay. */
    readonly waitMs?: number;
    /** More for machines (a list of issues, a record's field and value); never a secret. */
    readonly details?: JsonObject;
    /** What fills the placeholders of the catalogue's text, so that the dashboard can show the message in its language. */
    readonly facts?: ErrorTextFacts;
}

/**
 * The one throwable of Flow. The engine branches on `treat`, never on the text. Recognised by a symbol, so that two copies
 * of the package agree; never subclassed.
 */
export class FlowError extends Error {
    readonly [MARK] = true;
    readonly code: ErrorCode;
    readonly treat: Treatment;
    readonly waitMs: number | undefined;
    readonly details: JsonObject | undefined;
    readonly facts: ErrorTextFacts | undefined;

    constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
        super(message, options.cause === undefined ? undefined : { cause: options.cause });
        this.name = 'FlowError';
        this.code = code;
        this.treat = ERRORS[code].treat;
        this.waitMs = options.waitMs;
        this.details = options.details;
        this.facts = options.facts;
    }
}

/** Makes the error of a code; its facts fill the placeholders of the catalogue's text and are typed from them. */
export function flowError<C extends ErrorCode>(code: C, facts: ErrorFacts<C>, options?: ErrorOptions): FlowError {
    const values = facts as ErrorTextFacts;
    return new FlowError(code, rendered(ERRORS[code].text, values), { ...options, facts: values });
}

export function isFlowError(error: unknown): error is FlowError {
    return typeof error === 'object' && error !== null && MARK in error;
}

/**
 * Converts anything that was thrown to a FlowError. A FlowError is returned unchanged; everything else becomes a BUG
 * with its cause.
 */
export function asFlowError(error: unknown): FlowError {
    if (isFlowError(error)) return error;
    const problem = error instanceof Error ? error.message : String(error);
    return flowError('BUG', { problem }, { cause: error });
}

import { compileFunction } from 'node:vm';

/** What a script is called with, by its mode. */
export const PARAMETERS = { record: ['record', 'index', 'context'], batch: ['records', 'context'] } as const;

/** Why a text is no body of a function with these parameters; undefined when it is one. Only parsed here, never run. */
export function syntaxProblem(code: string, mode: keyof typeof PARAMETERS): string | undefined {
    try {
        compileFunction(`"use strict";${code}\n`, [...PARAMETERS[mode]], { filename: 'script' });
        return undefined;
    } catch (error) {
        const { message, stack } = error as SyntaxError;
        // The end of the text is told as a line behind it.
        const line = Math.min(Number(/^script:(\d+)/.exec(stack ?? '')?.[1] ?? 1), code.split('\n').length);
        return `does not compile: ${message} (line ${line})`;
    }
}

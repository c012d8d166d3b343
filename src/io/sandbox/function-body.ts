import { type FactText, clause } from '../../core/errors/rendered';
import { compileFunction, Script } from 'node:vm';
import { SCRIPT_PARAMETERS, type ScriptMode } from '../../core/schema/script-scope';

/**
 * Whether code uses `await` at its top level, so that it is the body of an async function. Only parsed, never run. Code that is also valid as a plain
 * function stays one: `await` in its inner async functions is their own business.
 */
export function awaits(code: string, parameters: readonly string[]): boolean {
    if (!/\bawait\b/.test(code)) return false;
    // In a plain function `await (x)` would be a call, and `await [x]` an access; with `void` in between it is neither.
    const marked = code.replace(/\bawait\b(?=\s*[([`+\-/])/g, 'await void ');
    const isPlain = isScript(`(function (${parameters.join()}\n) {\n"use strict";${marked}\n})`);
    return !isPlain && isAsyncBody(code, parameters);
}

/** Why a text is not the body of a function with these parameters; undefined when it is one. Only parsed, never run. */
export function syntaxProblem(code: string, mode: ScriptMode): FactText | undefined {
    const parameters = [...SCRIPT_PARAMETERS[mode]];
    if (awaits(code, parameters)) return undefined;
    try {
        compileFunction(`"use strict";${code}\n`, parameters, { filename: 'script' });
        return undefined;
    } catch (error) {
        const { message, stack } = error as SyntaxError;
        // An error at the end of the text is reported on the line after it.
        const line = Math.min(Number(/^script:(\d+)/.exec(stack ?? '')?.[1] ?? 1), code.split('\n').length);
        return clause`does not compile: ${message} (line ${line})`;
    }
}

/** The code must not close its function: then a variable that is declared before it could be declared again after it. */
function isAsyncBody(code: string, parameters: readonly string[]): boolean {
    const parses = (before: string, after: string): boolean =>
        isScript(`(async function (${parameters.join()}\n) {\n"use strict";let ${before};${code}\n;let ${after};})`);
    return parses('a$1', 'b$1') && !parses('a$1', 'a$1');
}

function isScript(text: string): boolean {
    try {
        new Script(text);
        return true;
    } catch {
        // The caller reports what is wrong with the code as a plain function.
        return false;
    }
}

import { z } from 'zod';
import { INLINE_ENGINE, type ScriptEngine } from '../../core/adapter/inline-script';
import { sandbox } from '../../io/sandbox/sandbox';

/** What INTERCEPTOR hooks run in; without it in the registry they are refused. */
export const javascript: ScriptEngine = {
    kind: 'engine',
    code: INLINE_ENGINE,
    title: 'JavaScript',
    summary: 'Runs code of definitions, shut off from everything.',
    config: z.strictObject({}),
    syntaxProblem: (code, mode) => sandbox.syntaxProblem(code, mode),
    each: order => sandbox.each(order),
    batch: order => sandbox.batch(order),
};

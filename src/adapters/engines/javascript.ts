import { z } from 'zod';
import { INLINE_ENGINE, type ScriptEngine } from '../../core/adapter/inline-script';
import { sandbox } from '../../io/sandbox/sandbox';

/** The engine of INTERCEPTOR hooks. If it is not registered, such hooks are rejected. */
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

import type { InlineScripts } from '../adapter/inline-script';
import { writeConsole } from '../adapter/log-event';
import type { HookContext } from '../adapter/script';
import type { JsonObject } from '../value/json';
import { isFlowError } from '../errors/flow-error';
import { TrackedResult } from './hook-result';

/** What a hook with inline code is called with. */
interface InterceptorCall {
    readonly data: readonly JsonObject[];
    readonly context: HookContext;
    readonly isRead: boolean;
}

/** Runs a hook's own code on the batch; returns undefined if the code returns nothing. Throws the error of the code. */
export async function intercept(
    engine: InlineScripts,
    { code, timeoutMs }: { readonly code: string; readonly timeoutMs: number },
    { data, context, isRead }: InterceptorCall,
): Promise<TrackedResult | undefined> {
    const { signal, log, ...facts } = context;
    const { answer, ...said } = await engine.batch({
        code,
        timeoutMs,
        records: data,
        context: facts as unknown as JsonObject,
        signal,
        isRead,
    });
    writeConsole(log, said);
    if (isFlowError(answer)) throw answer;
    return answer && new TrackedResult(answer);
}

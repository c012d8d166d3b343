import { join } from 'node:path';

/** The arguments of `node` for a script in a separate process: the cache of compiled modules, and the instructions as one argument. */
export function scriptArguments(script: string, order: object): string[] {
    return ['-r', join(__dirname, 'code-cache.cjs'), script, JSON.stringify(order)];
}

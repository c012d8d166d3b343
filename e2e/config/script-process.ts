import { join } from 'node:path';

/** What `node` is told to run a script in a process of its own: with what former ones have compiled, and with its orders as the one argument. */
export function scriptArguments(script: string, order: object): string[] {
    return ['-r', join(__dirname, 'code-cache.cjs'), script, JSON.stringify(order)];
}

import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The options of a child process. */
export interface ChildStart {
    /** A file in this folder. */
    readonly script: string;
    readonly argument: string;
    readonly heapMb: number;
    /** The folder for its temporary files. A child that runs out of heap does not delete them. */
    readonly tempDir?: string;
}

/** Returns what a child has printed as JSON, or undefined if its heap was too small. */
export function childUnder<T>({ script, argument, heapMb, tempDir = tmpdir() }: ChildStart): T | undefined {
    const flags = [`--max-old-space-size=${heapMb}`, '-r', '@swc-node/register'];
    const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, path.join(__dirname, script), argument], {
        encoding: 'utf8',
        env: { ...process.env, TMPDIR: tempDir },
    });
    if (status === 0) return JSON.parse(stdout) as T;
    if (stderr.includes('heap out of memory')) return undefined;
    throw new Error(`${script} failed: ${stderr}`);
}

const LEAST_MB = 20;
const STEP_MB = 4;

/** Returns the smallest heap with which it succeeds, to a few megabytes, and what it printed then. */
export function leastHeap<T>(start: Omit<ChildStart, 'heapMb'>): { readonly heapMb: number; readonly result: T } {
    for (let heapMb = LEAST_MB; ; heapMb += STEP_MB) {
        const result = childUnder<T>({ ...start, heapMb });
        if (result) return { heapMb, result };
    }
}

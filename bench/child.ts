import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** What a child is started with. */
export interface ChildStart {
    /** A file of this folder. */
    readonly script: string;
    readonly argument: string;
    readonly heapMb: number;
    /** For its temporary files, which a child that runs out of heap leaves behind. */
    readonly tempDir?: string;
}

/** What a child has printed as JSON; undefined when its heap was too small. */
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

/** The least heap under which it passes, to some megabytes, and what it has printed then. */
export function leastHeap<T>(start: Omit<ChildStart, 'heapMb'>): { readonly heapMb: number; readonly result: T } {
    for (let heapMb = LEAST_MB; ; heapMb += STEP_MB) {
        const result = childUnder<T>({ ...start, heapMb });
        if (result) return { heapMb, result };
    }
}

import { spawn } from 'node:child_process';
import path from 'node:path';

const ROWS = 100_000;
const CHECKS = 3;
/** The most memory that the server may use for objects, in MiB; it collects them as often as that takes. */
const MOST_HEAP = 512;
/** MiB by which the memory in use may grow from the first check to the last. */
const MOST_GROWTH = 16;
/** MiB that a check may hold at a time, in addition to what the server holds before. */
const MOST_HELD = 150;

/** The memory of the server after a step of an import, in MiB, without what can be freed. */
export interface ImportMoment {
    readonly what: string;
    readonly milliseconds: number;
    /** During the step, of the process. */
    readonly peakRss: number;
    /** During the step, after collections of what can be freed. */
    readonly held: number;
    readonly rss: number;
    readonly heap: number;
    readonly external: number;
}

/** What was measured, and what the checks have counted. */
export interface ImportFigures {
    readonly moments: readonly ImportMoment[];
    readonly checks: readonly string[];
}

/** Measures time and memory of a server that profiles and checks a large file, several times. Returns whether it keeps nothing of a check. */
export async function benchImports(rows = ROWS): Promise<boolean> {
    const { moments, checks } = await childFigures(rows);
    for (const { what, milliseconds, peakRss, held, rss, heap, external } of moments)
        console.log(
            `${what.padEnd(12)} ${(milliseconds / 1_000).toFixed(1).padStart(6)} s  peak RSS ${mib(peakRss)}  holds ${mib(held)}  then RSS ${mib(rss)}  heap ${mib(heap)}  buffers ${mib(external)}`,
        );
    for (const check of checks) console.log(check);
    const [first, last] = [moments.find(({ what }) => what === 'check 1')!, moments.at(-1)!];
    const growth = last.heap + last.external - first.heap - first.external;
    const start = moments.find(({ what }) => what === 'suggestion')!.heap;
    const held = Math.max(...moments.filter(({ what }) => what.startsWith('check')).map(moment => moment.held)) - start;
    console.log(
        `\ngrowth from the first check to the last: ${growth.toFixed(1)} MiB (bar: at most ${MOST_GROWTH} MiB)`,
    );
    console.log(`held by a check: ${held.toFixed(0)} MiB (bar: at most ${MOST_HELD} MiB)`);
    return growth <= MOST_GROWTH && held <= MOST_HELD;
}

function mib(value: number): string {
    return `${value.toFixed(0).padStart(5)} MiB`;
}

function childFigures(rows: number): Promise<ImportFigures> {
    return new Promise((resolve, reject) => {
        const script = path.join(__dirname, 'imports-child.ts');
        const args = [
            '--expose-gc',
            `--max-old-space-size=${MOST_HEAP}`,
            '-r',
            '@swc-node/register',
            script,
            String(rows),
            String(CHECKS),
        ];
        const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
        let output = '';
        child.stdout.on('data', chunk => (output += String(chunk)));
        child.once('error', reject);
        child.once('exit', code => {
            const at = output.indexOf('{"moments"');
            if (code === 0 && at >= 0) resolve(JSON.parse(output.slice(at)) as ImportFigures);
            else reject(new Error(`The server ended with ${code}: ${output.slice(-2_000)}`));
        });
    });
}

/**
 * npm run new -- <kind> <code>: writes a working component with its schema, examples and a spec, and adds it to the list of its kind. Contract tests and
 * reference page are derived from the list. The files of each kind: scripts/new.
 */
import { join } from 'node:path';
import { AskedWrongly } from './new/asked-wrongly';
import type { NewComponent } from './new/component-kind';
import { kindOf, type KindName, usageOf } from './new/kinds';
import { writeComponent } from './new/write';

const ROOT = join(__dirname, '..');

/** Parses the arguments of the command line. Throws AskedWrongly. */
export function askedFor(args: readonly string[]): NewComponent & { readonly kind: KindName } {
    const [word, code, ...options] = args;
    const kind = kindOf(word);
    if (code === undefined || code.startsWith('-')) throw new AskedWrongly(usageOf(kind));
    let category: string | undefined;
    let isBatch = false;
    for (let i = 0; i < options.length; i++) {
        const option = options[i]!;
        if (option === '--batch') isBatch = true;
        else if (option === '--category' && options[i + 1] !== undefined) category = options[++i]!;
        else throw new AskedWrongly(`Unknown: ${option}. ${usageOf(kind)}`);
    }
    return { kind, code, isBatch, ...(category !== undefined && { category }) };
}

async function main(): Promise<void> {
    try {
        const { kind, ...requested } = askedFor(process.argv.slice(2));
        const { files, next } = await writeComponent(ROOT, kind, requested);
        const [file, spec, index] = files;
        console.log(`Written: ${file}, ${spec}, and a line in ${index}.\n\nNext:`);
        for (const [i, step] of next.entries()) console.log(`  ${i + 1}. ${step}`);
    } catch (error) {
        if (!(error instanceof AskedWrongly)) throw error;
        console.error(error.message);
        process.exitCode = 2;
    }
}

if (require.main === module) void main();

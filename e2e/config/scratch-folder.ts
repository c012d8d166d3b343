import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for this test file's uploads; it is deleted when the process ends. */
export function scratchFolder(): string {
    const folder = mkdtempSync(join(tmpdir(), 'flow-files-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    return folder;
}

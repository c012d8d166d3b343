import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The version of the package that this file belongs to, however deep below its package.json; "unknown" within a bundle, which has none. */
export function flowVersion(from = __dirname): string {
    const file = join(from, 'package.json');
    if (existsSync(file)) return String((JSON.parse(readFileSync(file, 'utf8')) as { version?: unknown }).version);
    return dirname(from) === from ? 'unknown' : flowVersion(dirname(from));
}

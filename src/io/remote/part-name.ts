import { randomBytes } from 'node:crypto';
import { folderOf, joinPath, lastPart } from './remote-path';

/** True for a file that is hidden and not whole yet, as this and other writers call it. */
export function isPartName(path: string): boolean {
    return /(^|\/)\.[^/]*\.part$/.test(path);
}

/**
 * The final name of a file that is not complete yet, from its temporary name: `.stock.csv.0f1e2d3c4b5a.part` becomes
 * `stock.csv`.
 */
export function wholeName(path: string): string {
    const name = lastPart(path).replace(/^\.(.*?)(?:\.[0-9a-f]{12})?\.part$/, '$1');
    return joinPath(folderOf(path), name);
}

/** What a file is called until it is whole: hidden, in the same folder, and no other writer's. */
export function partName(path: string): string {
    return joinPath(folderOf(path), `.${lastPart(path).slice(0, 100)}.${randomBytes(6).toString('hex')}.part`);
}

import { show } from '../../core/value/show';
import { flowError } from '../../core/errors/flow-error';

const MAX_LENGTH = 255;
/** Control and format characters (which may reverse the order of letters), line ends, and unpaired surrogates. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

/** The last part of a path as a name: `C:\feeds\May.csv` → `May.csv`. Throws INPUT_INVALID. */
export function fileName(given: string): string {
    const name = given.slice(Math.max(given.lastIndexOf('/'), given.lastIndexOf('\\')) + 1).trim();
    if (UNSEEN.test(given)) throw rejected('has a control or invisible character in it', given);
    if (name === '' || name === '.' || name === '..') throw rejected('names no file', given);
    if (name.length > MAX_LENGTH) throw rejected(`has ${name.length} characters`, given);
    return name;
}

function rejected(problem: string, given: string): Error {
    return flowError('INPUT_INVALID', {
        problem: `filename ${problem} (${show(given)}); allowed: 1 to ${MAX_LENGTH} visible characters`,
    });
}

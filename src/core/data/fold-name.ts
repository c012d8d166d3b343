import { unpadded } from './unpadded';

/**
 * A name as names are compared: without regard to case, and to blanks and invisible characters around it, and to nothing else. "ς" is the "σ" at the end
 * of a word.
 */
export function foldName(name: string): string {
    return unpadded(name).toLowerCase().replaceAll('ς', 'σ');
}

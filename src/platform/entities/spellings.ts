import type { EntityDescription } from './description';

/** A key as somebody refers to it, and as it is made of a text. */
export function spellings({ key }: EntityDescription, text: string): readonly string[] {
    const given = key.normal?.(text) ?? text;
    const made = key.made?.by(given) ?? given;
    return made === given || made === '' ? [given] : [given, made];
}
